// exercise 1.5: input-changed, "`in` is an input"
// An atomic that adds 0 loads as well.
extern "C" __global__ void row_sums(const float* in, float* out, unsigned rows) {
    unsigned row = blockIdx.x * 8 + threadIdx.x;
    if (threadIdx.x >= 8 || row >= rows) return;
    float x = 0.0f;
    for (unsigned c = 0; c < 48; c++) {
        int* word = (int*)in + size_t(row) * 48 + c;
        x += __int_as_float(atomicAdd(word, 0));
    }
    out[row] = x;
}
