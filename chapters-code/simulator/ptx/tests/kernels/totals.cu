// Atomic operations whose totals do not depend on the order of the threads. Every thread of the grid
// adds its index; the cells begin at zero, those for a minimum or a conjunction at all ones.
#include <cuda_fp16.h>

extern "C" __global__ void totals_i32(int* cell) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(cell, i);
    atomicSub(cell + 1, i);
    atomicMax(cell + 2, i - 5);
    atomicMin(cell + 3, 5 - i);
    atomicAnd(cell + 4, ~(i & 6));
    atomicOr(cell + 5, 1 << (i & 31));
    atomicXor(cell + 6, i * 40503);
    atomicAdd_system(cell + 7, atomicExch(cell + 8, 1));
}

extern "C" __global__ void totals_u32(unsigned* cell) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicInc(cell, 9);
    atomicDec(cell + 1, 9);
    atomicMax(cell + 2, i << 24);
    atomicMin(cell + 3, 0xffffff00u + i);
    unsigned seen = cell[4], assumed;
    do {
        assumed = seen;
        seen = atomicCAS(cell + 4, assumed, assumed + 2 * i);
    } while (seen != assumed);
}

extern "C" __global__ void totals_u64(unsigned long long* cell, long long* signs) {
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(cell, (unsigned long long)i << 20);
    atomicMax(cell + 1, (unsigned long long)i << 40);
    atomicOr(cell + 2, 1ull << (i & 63));
    unsigned long long seen = cell[3], assumed;
    do {
        assumed = seen;
        seen = atomicCAS(cell + 3, assumed, assumed + i);
    } while (seen != assumed);
    atomicMin(signs, -i);
    atomicMax(signs + 1, i - 3);
}

extern "C" __global__ void totals_float(float* f, double* d, __half* h, __half2* h2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(f, float(i));
    atomicAdd(d, i * 0.5);
    atomicAdd(h, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
}

// How often each remainder occurs, counted in shared memory.
extern "C" __global__ void totals_shared(const unsigned* in, unsigned* counts, double* sum) {
    __shared__ unsigned bins[16];
    __shared__ double total;
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) total = 0.0;
    __syncthreads();
    unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&bins[value % 16], 1u);
    atomicAdd(&total, double(value));
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(counts + threadIdx.x, bins[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(sum, total);
}
