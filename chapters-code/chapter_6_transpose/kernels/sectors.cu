// Rows that begin anywhere: what a block stores are whole sectors, a strip of every row of the output.
// ptx: compute_80
//
// Where packs are aligned on both sides, the host launches `transpose`, which is column_major_tiles.cu. Otherwise
// `ragged`: it loads elements by rows, and stores packs. A row of the output begins anywhere in a sector, so
// that row's strips begin up to GRAIN - 1 elements earlier than the tile, and for their sake a block loads
// GRAIN rows of the input more than its tile has. All stores but those at the edges are then packs, and all
// sectors of a strip are whole.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as vectorized.cu. in, out, ld_in and ld_out are multiples of 16 bytes.
//
// ragged_<bytes>, with the same arguments.
// Launch: ceil((rows + GRAIN - 1) / ROWS) * ceil(cols / COLS) blocks (in y, a matrix of the batch each) of
// 256 threads, with (ROWS + GRAIN) * (COLS + 1) elements of dynamic shared memory. For elements of E bytes
// GRAIN is 32 / E; ROWS is 80 for E = 4 and 256 / E otherwise; COLS is 128 for E = 4, 32 for E = 16, and 64
// otherwise. Elements of four bytes stay in the L2 (evict_last) until they are pushed out or the host calls
// cuCtxResetPersistingL2Cache.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "packed.cuh"

// The corner of this block's tile, tiles numbered down the columns of a matrix of `rows` rows.
template <unsigned SIDE> __device__ Corner corner_down(size_t rows) {
    unsigned down = unsigned((rows + SIDE - 1) / SIDE);
    return {size_t(blockIdx.x % down) * SIDE, size_t(blockIdx.x / down) * SIDE};
}

template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    constexpr unsigned SIDE = Square<T>::SIDE;
    extern __shared__ uint4 tile[][16];
    Corner corner = corner_down<16 * SIDE>(in.rows);
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;

    Square<T> square;
    bool packed = is_packed(in);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        square.set_pack(i, load_pack(in, corner.row + y * SIDE + i, corner.col + x * SIDE, packed));
    }
    square = turned(square);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        tile[x * SIDE + i][y ^ x] = square.pack(i);
    }
    __syncthreads();

    packed = is_packed(out);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned row = y + i * 16;
        square.set_pack(i, tile[row][x ^ (row / SIDE)]);
    }
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned row = y + i * 16;
        store_pack(out, corner.col + row, corner.row + x * SIDE, packed, square.pack(i));
    }
}

template <typename T> struct Strip {
    static constexpr unsigned ROWS = 256 / sizeof(T), COLS = sizeof(T) == 16 ? 32 : 64;
};
// As large as two blocks per multiprocessor can be.
template <> struct Strip<u32> {
    static constexpr unsigned ROWS = 80, COLS = 128;
};

// ANCHOR: shared
// A load of what other blocks read too: the L2 is to keep it longer than what is written.
template <typename T> __device__ T load_shared(const T* from) { return *from; }
template <> __device__ u32 load_shared(const u32* from) {
    u32 element;
    asm volatile("{ .reg .b64 keep;\n"
                 "  createpolicy.fractional.L2::evict_last.b64 keep, 1.0;\n"
                 "  ld.global.L2::cache_hint.u32 %0, [%1], keep; }"
                 : "=r"(element) : "l"(from));
    return element;
}
// ANCHOR_END: shared

// ANCHOR: ragged
template <typename T> __device__ void ragged(Matrix<const T> in, Matrix<T> out) {
    constexpr unsigned GRAIN = 32 / sizeof(T), PACK = 16 / sizeof(T);
    constexpr unsigned ROWS = Strip<T>::ROWS, COLS = Strip<T>::COLS, STEP = 256 / COLS;
    constexpr unsigned LOADS = (ROWS + GRAIN + STEP - 1) / STEP, PACKS = ROWS / PACK;
    extern __shared__ uint4 shared[];
    auto tile = reinterpret_cast<T(*)[COLS + 1]>(shared);
    unsigned down = unsigned((in.rows + GRAIN - 1 + ROWS - 1) / ROWS);
    long long first_row = (long long)(blockIdx.x % down) * ROWS;
    size_t first_col = size_t(blockIdx.x / down) * COLS;

    // Row r of the tile is row first_row - GRAIN + r of the input.
    unsigned x = threadIdx.x % COLS, y = threadIdx.x / COLS;
    long long row = first_row - GRAIN + y;
    // An offset, not a pointer: row may lie before the matrix, and only rows within it are loaded.
    size_t from = size_t(row) * in.ld + first_col + x;
    bool is_inside = first_row >= GRAIN && in.has(first_row + ROWS - 1, first_col + COLS - 1);
    auto has = [=](unsigned i) { return (ROWS + GRAIN) % STEP == 0 || y + i * STEP < ROWS + GRAIN; };
    T elements[LOADS];
    if (is_inside) {
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++) {
            if (has(i)) {
                elements[i] = load_shared(in.elements + (from + i * STEP * in.ld));
            }
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++) {
            if (has(i) && row + i * STEP >= 0 && in.has(row + i * STEP, first_col + x)) {
                elements[i] = load_shared(in.elements + (from + i * STEP * in.ld));
            }
        }
    }
#pragma unroll
    for (unsigned i = 0; i < LOADS; i++) {
        if (has(i)) {
            tile[y + i * STEP][x] = elements[i];
        }
    }
    __syncthreads();

#pragma unroll
    for (unsigned i = threadIdx.x; i < PACKS * COLS; i += 256) {
        unsigned offset = i % PACKS * PACK, c = i / PACKS;
        if (first_col + c >= out.rows) {
            return;
        }
        T* row = &out(first_col + c, 0);
        // How far into a sector the row begins.
        unsigned shift = unsigned(reinterpret_cast<size_t>(row) / sizeof(T) % GRAIN);
        T pack[PACK];
#pragma unroll
        for (unsigned k = 0; k < PACK; k++) {
            pack[k] = tile[offset + GRAIN - shift + k][c];
        }
        store_partial_pack(row, out.cols, first_row + offset - shift, pack);
    }
}
// ANCHOR_END: ragged

TRANSPOSE_KERNELS
KERNELS_OF(ragged)
