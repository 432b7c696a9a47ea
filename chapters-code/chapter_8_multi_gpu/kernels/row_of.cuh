// Rows of a matrix that is spread over the devices.
#pragma once
#include "pointers.cuh"

// ANCHOR: row_of
// Where a row is. Each device has `part` rows of `length` elements; the last ones may have fewer. The device is selected by
// comparisons: an index that the compiler does not know would put the addresses into local memory.
__device__ float* row_of(const Pointers& matrix, size_t row, size_t part, size_t length) {
    float* rows = matrix.of[0];
#pragma unroll
    for (int d = 1; d < MOST; ++d) {
        rows = d == row / part ? matrix.of[d] : rows;
    }
    return rows + row % part * length;
}
// ANCHOR_END: row_of
