// Races in shared memory between the warps of a block. One block of 128 threads.
#include "planted.cuh"

// A tree whose first step reads what other warps are still writing.
KERNEL(tree_first_barrier) {
    __shared__ int s[128];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    if (OK) __syncthreads();
    for (unsigned stride = 64; stride > 0; stride /= 2) {
        if (tid < stride) s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0) out[0] = s[0];
}

// A tree with a barrier before it, but none between its steps.
KERNEL(tree_step_barrier) {
    __shared__ int s[128];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    for (unsigned stride = 64; stride >= 32; stride /= 2) {
        if (tid < stride) s[tid] += s[tid + stride];
        if (OK) __syncthreads();
    }
    if (tid < 32) out[tid] = s[tid];
}

__device__ int sum_of_block(int value, int *s) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(FULL, value, by);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = value;
    __syncthreads();
    return s[0] + s[1] + s[2] + s[3];
}

// Two sums through one array: the second fills it while slow warps still read the first.
KERNEL(reused_scratch) {
    __shared__ int s[4];
    int sum = sum_of_block(in[threadIdx.x], s);
    if (OK) __syncthreads();
    int squares = sum_of_block(in[threadIdx.x] * in[threadIdx.x], s);
    out[threadIdx.x] = sum + squares;
}

// Hillis and Steele's scan in place, with one barrier a step where it takes two.
KERNEL(hillis_steele) {
    __shared__ int s[128];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    for (unsigned by = 1; by < 128; by *= 2) {
        int before = tid >= by ? s[tid - by] : 0;
        if (OK) __syncthreads();
        s[tid] += before;
        __syncthreads();
    }
    out[tid] = s[tid];
}

// A tile that is read by columns before all of its rows are there. 8 x 16 elements.
KERNEL(transposed_tile) {
    __shared__ int tile[8][17];
    unsigned tid = threadIdx.x;
    tile[tid / 16][tid % 16] = in[tid];
    if (OK) __syncthreads();
    out[tid] = tile[tid % 8][tid / 8];
}

// Two buffers taken in turn: one barrier a step is enough, but not with one buffer.
KERNEL(one_buffer_for_two) {
    __shared__ int s[2][128];
    unsigned tid = threadIdx.x;
    int sum = 0;
    for (int step = 0; step < 4; step++) {
        int buffer = OK ? step % 2 : 0;
        s[buffer][tid] = in[tid] + step;
        __syncthreads();
        sum += s[buffer][127 - tid];
    }
    out[tid] = sum;
}

// One thread tells the others a value.
KERNEL(told_by_one) {
    __shared__ int pivot;
    if (threadIdx.x == 0) pivot = in[n / 2];
    if (OK) __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] > pivot;
}

// Bins that are incremented with a read and a write.
KERNEL(bins_without_atomics) {
    __shared__ int bins[16];
    unsigned tid = threadIdx.x;
    if (tid < 16) bins[tid] = 0;
    __syncthreads();
    if (OK) {
        atomicAdd(&bins[in[tid] & 15], 1);
    } else {
        bins[in[tid] & 15]++;
    }
    __syncthreads();
    if (tid < 16) out[tid] = bins[tid];
}

// Bins that one warp zeroes while others count already.
KERNEL(bins_zeroed_late) {
    __shared__ int bins[16];
    unsigned tid = threadIdx.x;
    if (tid < 16) bins[tid] = 0;
    if (OK) __syncthreads();
    atomicAdd(&bins[in[tid] & 15], 1);
    __syncthreads();
    if (tid < 16) out[tid] = bins[tid];
}

// A total that a thread zeroes before it adds to it, but not before the others do.
KERNEL(total_zeroed_late) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    if (OK) __syncthreads();
    atomicAdd(&total, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = total;
}

// A stencil in place: everybody must have read before anybody writes.
KERNEL(stencil_in_place) {
    __shared__ int s[130];
    unsigned tid = threadIdx.x;
    s[tid + 1] = in[tid];
    if (tid < 2) s[tid * 129] = 0;
    __syncthreads();
    int sum = s[tid] + s[tid + 1] + s[tid + 2];
    if (OK) __syncthreads();
    s[tid + 1] = sum;
    __syncthreads();
    out[tid] = s[tid + 1];
}

// The last one to write wins, and nobody knows who that is.
KERNEL(last_writer_wins) {
    __shared__ int largest;
    if (threadIdx.x == 0) largest = 0;
    __syncthreads();
    if (OK) {
        atomicMax(&largest, in[threadIdx.x]);
    } else if (in[threadIdx.x] > 30) {
        largest = in[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = largest;
}

// Shorts are narrower than a bank, but two of them in one word are still two places.
KERNEL(neighbouring_shorts) {
    __shared__ short s[128];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    if (!OK) out[tid] = s[tid ^ 64];
    __syncthreads();
    out[tid] = s[tid ^ 1];
}

// A tile's number is drawn anew while slow warps still use the old one.
KERNEL(tile_drawn_early) {
    __shared__ int tile;
    int sum = 0;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(&scratch[0], 1);
        __syncthreads();
        int mine = tile;
        if (OK) __syncthreads();
        if (mine >= 4) break;
        sum += in[(mine * 32 + threadIdx.x) % n];
    }
    out[threadIdx.x] = sum;
}

// A tree that runs from the small strides to the large ones, without the barrier after its last
// step: the result is read by a thread of another warp.
KERNEL(result_read_early) {
    __shared__ int s[128];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    for (unsigned stride = 1; stride < 128; stride *= 2) {
        __syncthreads();
        if (tid % (2 * stride) == 0) s[tid] += s[tid + stride];
    }
    if (OK) __syncthreads();
    if (tid == 127) out[0] = s[0];
}
