// Sparse matrix times vector along the merge path: reduce_merge_path, whose elements are products.
//
// multiply_f32(const f32* values, const u32* columns, const u32* offsets, const f32* x, f32* y,
//              u32 rows, size_t n, f32* open, u32* first, unsigned* counter)
// Launch: as reduce_merge_path.cu; values and columns 16-byte aligned. Arguments otherwise as
// spmv_thread_per_row.cu; n is the number of entries. counter, n and rows as in reduce_merge_path.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256, 4)
#include "merge_path.cuh"

// ANCHOR: source
struct Products {
    const f32* values;
    const u32* columns;
    const f32* x;

    template <typename Op> __device__ Pack<f32> load(size_t i, size_t begin, size_t stop) const {
        Pack<f32> pack;
        if (begin <= i && i + Pack<f32>::size <= stop) {
            Pack<f32> value = load_pack<f32>(reinterpret_cast<const uint4*>(values + i));
            Pack<u32> column = load_pack<u32>(reinterpret_cast<const uint4*>(columns + i));
#pragma unroll
            for (unsigned k = 0; k < Pack<f32>::size; k++) {
                pack.elements[k] = value.elements[k] * x[column.elements[k]];
            }
            return pack;
        }
#pragma unroll
        for (unsigned k = 0; k < Pack<f32>::size; k++) {
            bool is_mine = begin <= i + k && i + k < stop;
            pack.elements[k] = is_mine ? values[i + k] * x[columns[i + k]] : 0;
        }
        return pack;
    }
};
// ANCHOR_END: source

extern "C" __global__ void LAUNCH_BOUNDS multiply_f32(
    const f32* __restrict__ values, const u32* __restrict__ columns,
    const u32* __restrict__ offsets, const f32* __restrict__ x, f32* y, u32 rows, size_t n,
    f32* open, u32* first, unsigned* counter) {
    merge_path<Sum<f32>, f32>(Products{values, columns, x}, y, n, offsets, rows, {open, first},
                            counter);
}
