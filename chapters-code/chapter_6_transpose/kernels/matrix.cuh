// What the kernels of this chapter share: elements by their size, a matrix in memory, where a block's
// tile lies in it, and the macro that gives each template its entry points.
//
// A transpose moves elements and computes nothing with them, so an entry point is called by the bytes
// of an element: transpose_4 serves f32, i32 and u32.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using u128 = uint4;

// A matrix by rows: from the start of one to the next there are ld elements, of which the first `cols`
// belong to it.
template <typename T> struct Matrix {
    T* elements;
    size_t rows, cols, ld;

    __device__ bool has(size_t row, size_t col) const { return row < rows && col < cols; }
    __device__ T& operator()(size_t row, size_t col) const { return elements[row * ld + col]; }
};

// The upper left element of a tile.
struct Corner {
    size_t row, col;
};

// That of this block's tile of ROWS x COLS: tiles are numbered along the rows of a matrix
// of `cols` columns.
template <unsigned ROWS, unsigned COLS> __device__ Corner corner_of_block(size_t cols) {
    unsigned across = unsigned((cols + COLS - 1) / COLS);
    return {size_t(blockIdx.x / across) * ROWS, size_t(blockIdx.x % across) * COLS};
}

// Grid: a block a tile in x, a matrix of the batch in y.
#define TRANSPOSE_KERNEL(function, bytes, T)                                                       \
    extern "C" __global__ void LAUNCH_BOUNDS function##_##bytes(                                   \
        const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out) {              \
        function<T>({in + blockIdx.y * rows * ld_in, rows, cols, ld_in},                           \
                    {out + blockIdx.y * cols * ld_out, cols, rows, ld_out});                       \
    }

// The entry points of a template: its name, an underscore, and the bytes of an element.
#define KERNELS_OF(function)                                                                       \
    TRANSPOSE_KERNEL(function, 1, u8)                                                              \
    TRANSPOSE_KERNEL(function, 2, u16)                                                             \
    TRANSPOSE_KERNEL(function, 4, u32)                                                             \
    TRANSPOSE_KERNEL(function, 8, u64)                                                             \
    TRANSPOSE_KERNEL(function, 16, u128)

#define TRANSPOSE_KERNELS KERNELS_OF(transpose)

#define IN_PLACE_KERNEL(bytes, T)                                                                  \
    extern "C" __global__ void LAUNCH_BOUNDS in_place_##bytes(T* matrix, size_t n, size_t ld) {    \
        transpose<T>({matrix + blockIdx.y * n * ld, n, n, ld});                                    \
    }

#define IN_PLACE_KERNELS                                                                           \
    IN_PLACE_KERNEL(1, u8)                                                                         \
    IN_PLACE_KERNEL(2, u16)                                                                        \
    IN_PLACE_KERNEL(4, u32)                                                                        \
    IN_PLACE_KERNEL(8, u64)                                                                        \
    IN_PLACE_KERNEL(16, u128)
