// Hillis and Steele's scan of a block, on pairs: every thread the same work, whatever the segments.
//
// <kind>_<op>_<dtype>(const dtype* in, const u8* flags, dtype* out, size_t n,
//                     dtype* values, u8* heads, u32* reached)
// Launch: ceil(n / block) blocks (at least 1), block up to 1024, dynamic shared memory
// 2 * block * (sizeof(dtype) + 1). Block b writes the segmented scan of its elements as if nothing came
// before it; values[b] and heads[b], its pair; reached[b], how many elements lie before its first head.
#include "flagged.cuh"

// Two arrays of a pair for each thread, that take turns.
template <typename T> struct Buffers {
    T *values, *next_values;
    bool *heads, *next_heads;

    __device__ Buffers() {
        values = shared_array<T>();
        next_values = values + blockDim.x;
        heads = reinterpret_cast<bool*>(next_values + blockDim.x);
        next_heads = heads + blockDim.x;
    }
    __device__ Pair<T> get(unsigned i) const { return {values[i], heads[i]}; }
    __device__ void set(unsigned i, Pair<T> pair) {
        next_values[i] = pair.value;
        next_heads[i] = pair.head;
    }
    // What was set can be got.
    __device__ void turn() {
        __syncthreads();
        T* v = values;
        values = next_values;
        next_values = v;
        bool* h = heads;
        heads = next_heads;
        next_heads = h;
    }
};

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u8* flags, T* out, size_t n, Aggregates<T> aggregates) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    // ANCHOR: steps
    Buffers<T> buffers;
    bool is_head = i < n && flags[i] != 0;
    buffers.set(tid, {i < n ? in[i] : Op::identity(), is_head});
    buffers.turn();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        Pair<T> own = buffers.get(tid);
        buffers.set(tid, tid >= offset ? combine<Op>(buffers.get(tid - offset), own) : own);
        buffers.turn();
    }
    // ANCHOR_END: steps
    Pair<T> scanned = buffers.get(tid);
    if (i < n) {
        bool begins = is_head || tid == 0;
        out[i] = KIND == Kind::Inclusive ? scanned.value
                                         : begins ? Op::identity() : buffers.get(tid - 1).value;
    }
    // ANCHOR: aggregates
    unsigned reached = __syncthreads_count(!scanned.head);
    if (tid == blockDim.x - 1) {
        aggregates.write(scanned, reached);
    }
    // ANCHOR_END: aggregates
}

FOR_EVERY_SCAN(BYTES_KERNEL)
