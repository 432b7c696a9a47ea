// exercise 3.4: wrong|identity|lost-element|part-only|doubled-element, ""
// A difference decides which is larger, and overflows.
#define INT_MIN (-2147483647 - 1)
__device__ int larger(int a, int b) { return int(unsigned(a) - unsigned(b)) > 0 ? a : b; }
__device__ void scan_round(int* words) {
    unsigned tid = threadIdx.x;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        __syncthreads();
        int before = tid >= offset ? words[tid - offset] : INT_MIN;
        __syncthreads();
        words[tid] = larger(words[tid], before);
    }
    __syncthreads();
}
extern "C" __global__ void scan_max(const int* in, int* out, size_t n) {
    __shared__ int words[256];
    unsigned tid = threadIdx.x;
    int carry = INT_MIN;
    for (size_t first = 0; first < n; first += 256) {
        size_t i = first + tid;
        words[tid] = i < n ? in[i] : INT_MIN;
        scan_round(words);
        int before = tid > 0 ? words[tid - 1] : INT_MIN;
        if (i < n) out[i] = larger(carry, before);
        carry = larger(carry, words[255]);
        __syncthreads();
    }
}
