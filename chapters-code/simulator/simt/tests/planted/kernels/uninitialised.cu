// Memory that is read before anybody has written it.
#include "planted.cuh"

// cudaMalloc does not zero.
KERNEL(accumulates_into_fresh) {
    int i = threadIdx.x;
    if (OK) fresh[i] = 0;
    fresh[i] += in[i];
}

KERNEL(atomics_into_fresh) {
    int i = threadIdx.x;
    if (OK) {
        if (i < 16) fresh[i] = 0;
        __syncthreads();
    }
    atomicAdd(&fresh[in[i] & 15], 1);
}

// Nobody writes the second half, and somebody reads it.
KERNEL(half_written) {
    int i = threadIdx.x;
    if (OK || i < 32) fresh[i] = in[i];
    __syncthreads();
    out[i] = fresh[63 - i];
}

KERNEL(bytes_half_written) {
    unsigned char *bytes = reinterpret_cast<unsigned char *>(fresh);
    int i = threadIdx.x;
    if (OK || i % 4 != 3) bytes[i] = in[i];
    __syncthreads();
    out[i] = bytes[63 - i];
}

// An accumulator in shared memory, which begins with whatever was there.
KERNEL(shared_accumulator) {
    __shared__ int sum;
    if (OK) {
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
    }
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}

// Only the threads below n fill the tile, and all of it is summed. n = 50.
KERNEL(partial_tile) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    if (tid < n) s[tid] = in[tid];
    else if (OK) s[tid] = 0;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride) s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0) out[0] = s[0];
}

// The halo of a tile is forgotten.
KERNEL(halo_forgotten) {
    __shared__ int s[66];
    int tid = threadIdx.x;
    s[tid + 1] = in[tid];
    if (tid == 0) s[0] = 0;
    if (OK && tid == 0) s[65] = 0;
    __syncthreads();
    out[tid] = s[tid] + s[tid + 2];
}

// A thread's own array, of which some elements are never set.
KERNEL(local_array) {
    int last[8];
    for (int i = 0; i < 8; i++) {
        if (OK) last[i] = -1;
    }
    for (int i = 0; i < n; i++) last[in[i] & 6] = i;
    out[threadIdx.x] = last[in[threadIdx.x] & 7];
}

// Puts a value where nothing is yet, and looks at what was there. Without the bug it does not look: such
// an exchange is a write.
KERNEL(exchanged_and_looked_at) {
    int i = threadIdx.x;
    int before = atomicExch(&fresh[i], in[i]);
    out[i] = OK ? fresh[i] : before;
}

// Merges two runs of 32 values, and loads what follows a run when the run is used up. A comparison with
// that is masked by the bounds, unless they are left out.
KERNEL(padding_compared) {
    __shared__ int s[2 * 33];
    int lane = threadIdx.x;
    s[lane] = in[lane];
    s[33 + lane] = in[lane] + 1;
    __syncthreads();
    int a = lane, b = lane;
    int key = s[a + 1], other = s[33 + b + 1];
    bool first = key < other;
    if (OK) first = (a + 1 < 32) & (first | (b + 1 >= 32));
    out[lane] = first ? 1 : 2;
}
