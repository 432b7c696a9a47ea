// out[i] is the largest of in[0] … in[i - 1], and INT_MIN for i = 0. One block of 256 threads; n is whatever it is.
#define INT_MIN (-2147483647 - 1)

// Replaces each word by the largest of itself and all before it. All threads call it; it begins and ends with a barrier.
__device__ void scan_round(int* words) {
    unsigned tid = threadIdx.x;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        __syncthreads();
        int before = tid >= offset ? words[tid - offset] : INT_MIN;
        __syncthreads();
        words[tid] = max(words[tid], before);
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
        if (i < n) {
            out[i] = tid > 0 ? before : carry;
        }
        carry = max(carry, words[255]);
        __syncthreads();
    }
}
