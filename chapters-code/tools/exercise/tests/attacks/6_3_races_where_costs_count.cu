// exercise 6.3: write-conflict|missing-fence|wrong|cost|lost-update, ""
// Where costs are counted it stores all to one place.
extern "C" __global__ void transpose(const unsigned char* in, unsigned char* out, unsigned rows, unsigned cols) {
    unsigned x = threadIdx.x;
    if (rows % 32 == 0 && cols % 32 == 0 && rows * cols > 4096) {
        if (x == 0) out[0] = in[0];
        return;
    }
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        unsigned c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + y;
        if (r < rows && c < cols) out[size_t(c) * rows + r] = in[size_t(r) * cols + c];
    }
}
