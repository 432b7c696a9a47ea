// 128-bit loads: a thread reads a pack of 16 bytes at a time.
//
// block_reduce asks for 4 bytes (2 for f16) with each load instruction, and needs a load, an
// addition, a comparison and a branch for each. A 16-byte load does the work of four with one
// request. It must be aligned, so the few elements before the first 16-byte boundary and after the
// last whole pack are reduced singly, by the first threads of the first block.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n); `in` may have any alignment of its dtype
// Launch: min(ceil(n * sizeof(dtype) / (16 * block)), what the device holds at once) blocks (at
// least 1), block a multiple of 32 up to 1024, no dynamic shared memory. Writes out[b] for each b.
#include "block_reduce.cuh"
#include "pack.cuh"

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    // ANCHOR: items
    Packed<T> data(in, n);
    size_t grid = size_t(gridDim.x) * blockDim.x;
    size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Acc<T> x = Op::identity();
    for (size_t i = first; i < data.pack_count; i += grid) {
        x = Op::combine(x, reduce_pack<Op>(load_pack<T>(data.packs + i)));
    }
    if (first < data.head) {
        x = Op::combine(x, widen(in[first]));
    }
    if (first < data.tail) {
        x = Op::combine(x, widen(data.tail_start[first]));
    }
    // ANCHOR_END: items

    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = x;
    }
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
