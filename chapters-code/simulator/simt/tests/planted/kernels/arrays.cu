// Indices that leave one array of shared memory and reach another.
#include "planted.cuh"

// One element more than the first of two arrays has.
KERNEL(first_into_second) {
    __shared__ int first[64], second[64];
    int tid = threadIdx.x;
    first[tid] = in[tid];
    second[tid] = 0;
    __syncthreads();
    first[OK ? tid : tid + 1] += 1;
    __syncthreads();
    out[tid] = first[tid] + second[63 - tid];
}

// One element before the second.
KERNEL(second_into_first) {
    __shared__ int first[64], second[64];
    int tid = threadIdx.x;
    first[tid] = in[tid];
    second[tid] = in[63 - tid];
    __syncthreads();
    out[tid] = (OK && tid == 0 ? 0 : second[tid - 1]) + first[tid];
}

// A static array is followed by dynamic shared memory.
KERNEL(static_into_dynamic) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int tid = threadIdx.x;
    fixed[tid] = in[tid];
    dynamic[tid] = 0;
    __syncthreads();
    out[tid] = fixed[OK ? 63 - tid : 64 - tid] + dynamic[tid];
}

// Dynamic shared memory, with a negative index.
KERNEL(dynamic_into_static) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int tid = threadIdx.x;
    fixed[tid] = in[tid];
    dynamic[tid] = in[63 - tid];
    __syncthreads();
    out[tid] = dynamic[OK ? tid : tid - 1] + fixed[tid];
}

// A pointer that a loop moves on goes one step too far.
KERNEL(pointer_moved_on) {
    __shared__ int first[64], second[64];
    int tid = threadIdx.x;
    first[tid] = in[tid];
    second[tid] = 1;
    __syncthreads();
    int sum = 0;
    for (const int *at = first; at < first + (OK ? n : n + 1); at++) sum += *at;
    out[tid] = sum + second[tid];
}

// A read of four elements whose last lie in the next array.
KERNEL(vector_across_two) {
    __shared__ __align__(16) int first[68];
    __shared__ __align__(16) int second[64];
    int tid = threadIdx.x;
    first[tid] = in[tid];
    if (tid < 4) first[64 + tid] = 0;
    second[tid] = 1;
    __syncthreads();
    int4 four = reinterpret_cast<int4 *>(first)[OK ? tid % 17 : tid % 18];
    out[tid] = four.x + four.w + second[tid];
}

// The last row of a tile plus one.
KERNEL(row_behind_tile) {
    __shared__ int tile[8][8], sums[8];
    int tid = threadIdx.x;
    tile[tid / 8][tid % 8] = in[tid];
    if (tid < 8) sums[tid] = 0;
    __syncthreads();
    out[tid] = tile[(tid / 8 + (OK ? 0 : 1))][tid % 8] + sums[tid % 8];
}

// A bin too many is counted.
KERNEL(bin_too_many) {
    __shared__ int bins[32], total[32];
    int tid = threadIdx.x;
    if (tid < 32) bins[tid] = total[tid] = 0;
    __syncthreads();
    atomicAdd(&bins[in[tid] % (OK ? 32 : 33)], 1);
    __syncthreads();
    if (tid < 32) out[tid] = bins[tid] + total[tid];
}

// A function gets the array, and is inlined.
__device__ void set(int *array, int index, int value) { array[index] = value; }

KERNEL(argument_of_function) {
    __shared__ int first[64], second[64];
    int tid = threadIdx.x;
    set(first, OK ? tid : (tid + 1) % 65, in[tid]);
    set(second, tid, 0);
    __syncthreads();
    out[tid] = first[63 - tid] + second[tid];
}

// A storage for two uses, one after the other, is one array; a fifth part of another is not.
KERNEL(union_of_two_uses) {
    __shared__ union {
        int keys[64];
        struct { int counts[32], sums[32]; } totals;
    } storage;
    __shared__ int rest[16];
    int tid = threadIdx.x;
    storage.keys[tid] = in[tid];
    if (tid < 16) rest[tid] = 0;
    __syncthreads();
    int key = storage.keys[63 - tid];
    __syncthreads();
    if (tid < 32) storage.totals.counts[tid] = storage.totals.sums[tid] = key;
    __syncthreads();
    // Beyond `counts` lies `sums`, which is of the same array.
    out[tid] = storage.totals.counts[OK ? tid : tid + 8] + rest[tid % 16];
}

// Dynamic shared memory is cut by hand: each part is within the whole.
KERNEL(parts_of_dynamic) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int tid = threadIdx.x;
    int *first = dynamic, *second = dynamic + n / 2;
    fixed[tid] = 0;
    first[tid / 2] = in[tid / 2];
    second[tid / 2] = in[tid / 2];
    __syncthreads();
    out[tid] = first[tid] + second[tid / 2 - (OK ? 0 : n)] + fixed[tid];
}
