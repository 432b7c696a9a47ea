// Sparse matrix times vector, one tile of entries per block: blocks are many and short, and a second kernel adds
// what rows left open at the ends of tiles.
//
// multiply_f32(const f32* values, const u32* columns, const u32* offsets, const f32* x, f32* y,
//              u32 rows, size_t n, f32* open, u32* first)
// Launch: n / 4096 + 1 blocks of 512 threads, no dynamic shared memory; values and columns 16-byte aligned.
// Arguments otherwise as spmv_merge_path.cu. Each block writes to open what the row that goes on behind its tile has
// in it, and to first the first row that ends in it, or 2^32 - 1.
//
// add_carries(const u32* offsets, f32* y, u32 tiles, const f32* open, const u32* first)
// Launch: after multiply_f32, ceil(tiles / 8) blocks of 256 threads. There are as many tiles as blocks of multiply_f32.
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned WARPS = 16;
constexpr unsigned THREADS = WARPS * 32;
constexpr unsigned ROWS = 2;
constexpr u32 CHUNK = ROWS * 32 * Pack<f32>::size; // the entries of a warp
constexpr u32 TILE = WARPS * CHUNK;
constexpr unsigned IN_FLIGHT = 16; // what a lane of add_carries loads at once
constexpr u32 NONE = 0xffffffffu;

// ANCHOR: search
// How many rows end before an entry. A warp looks at 32 rows at once.
__device__ u32 ended_before(const u32* ends, u32 rows, u32 entry) {
    u32 low = 0, high = rows; // of the answer
    while (low < high) {
        u32 step = (high - low + 31) / 32, r = low + lane_id() * step;
        u32 count = __popc(__ballot_sync(ALL_LANES, r < high && ends[r] < entry));
        high = min(low + count * step, high);
        low = count > 0 ? low + (count - 1) * step + 1 : low;
    }
    return low;
}
// ANCHOR_END: search

// Loads a pack that no thread needs again, without a place in the L1.
template <typename T> __device__ Pack<T> load_once(const T* address) {
    uint4 words;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
        : "l"(__cvta_generic_to_global(address)));
    Pack<T> pack;
    memcpy(&pack, &words, sizeof pack);
    return pack;
}

// The values of a thread's entries, and the elements of x in their columns.
struct Entries {
    Pack<f32> values[ROWS];
    Pack<f32> x[ROWS];

    // ANCHOR: load
    // Loads entry i and those behind it in its pack, and the same of the rows behind; past the end, zeros. WHOLE
    // promises that none is past the end.
    template <bool WHOLE>
    __device__ void load(const f32* v, const u32* columns, const f32* vector, size_t i, size_t n) {
        Pack<u32> column[ROWS];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            size_t j = i + r * 32 * Pack<f32>::size;
            if (WHOLE) {
                column[r] = load_once(columns + j);
                values[r] = load_once(v + j);
            }
#pragma unroll
            for (unsigned k = 0; !WHOLE && k < Pack<f32>::size; k++) {
                column[r].elements[k] = j + k < n ? columns[j + k] : NONE;
                values[r].elements[k] = j + k < n ? v[j + k] : 0;
            }
        }
        __syncwarp(); // Otherwise the compiler loads the values last, behind the loads that wait for columns.
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll
            for (unsigned k = 0; k < Pack<f32>::size; k++) {
                u32 c = column[r].elements[k];
                x[r].elements[k] = WHOLE || c != NONE ? vector[c] : 0;
            }
        }
    }
    // ANCHOR_END: load
};

// ANCHOR: reduce_rows
// Multiplies a warp's entries, and writes for each the sum of the products of its row up to there, from the chunk's
// beginning on. Where no row ends in the chunk, only the last of these sums is needed.
__device__ void reduce_rows(const Entries& entries, const u32* heads, f32* sums) {
    SegmentedChunk<f32, ROWS> chunk;
    u32 any = 0;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll
        for (unsigned k = 0; k < Pack<f32>::size; k++) {
            chunk.rows[r].elements[k] = entries.values[r].elements[k] * entries.x[r].elements[k];
        }
        chunk.heads[r] = bits_of_pack<f32>(heads, (warp_id() * ROWS + r) * 32 + lane_id());
        any |= chunk.heads[r];
    }
    if (!__any_sync(ALL_LANES, any)) {
        f32 sum = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            sum += reduce_pack<Sum<f32>>(chunk.rows[r]);
        }
        sum = warp_reduce<Sum<f32>>(sum);
        if (lane_id() == 0) {
            sums[CHUNK - 1] = sum;
        }
        return;
    }
    chunk.scan<Sum<f32>>();
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        Pack<f32> results = chunk.results<Kind::Inclusive, Sum<f32>>(r, 0);
        memcpy(&sums[(r * 32 + lane_id()) * Pack<f32>::size], &results, sizeof results);
    }
}
// ANCHOR_END: reduce_rows

// ANCHOR: sum_of
// The sum of the entries [begin, end) of a tile, which are what it has of one row: what is open behind each
// warp's chunk but the last, and the row's sum in that one.
__device__ f32 sum_of(const f32* sums, u32 begin, u32 end) {
    f32 sum = 0;
    for (u32 w = begin / CHUNK; w < (end - 1) / CHUNK; w++) {
        sum += sums[w * CHUNK + CHUNK - 1];
    }
    return sum + sums[end - 1];
}
// ANCHOR_END: sum_of

extern "C" __global__ void __launch_bounds__(THREADS, 4) multiply_f32(
    const f32* __restrict__ values, const u32* __restrict__ columns,
    const u32* __restrict__ offsets, const f32* __restrict__ x, f32* __restrict__ y, u32 rows,
    size_t n, f32* __restrict__ open, u32* __restrict__ first) {
    // ANCHOR: multiply
    __shared__ alignas(16) f32 sums[TILE];
    __shared__ u32 heads[TILE / 32];
    __shared__ u32 range[2];
    u32 begin = blockIdx.x * TILE, at = (warp_id() * ROWS * 32 + lane_id()) * Pack<f32>::size;
    if (warp_id() < 2) {
        u32 ended = ended_before(offsets + 1, rows, begin + warp_id() * TILE);
        if (lane_id() == 0) {
            range[warp_id()] = ended;
        }
    }
    Entries entries;
    if (size_t(begin) + TILE <= n) {
        entries.load<true>(values, columns, x, begin + at, n);
    } else {
        entries.load<false>(values, columns, x, begin + at, n);
    }
    if (threadIdx.x < TILE / 32) {
        heads[threadIdx.x] = 0;
    }
    __syncthreads();
    // The rows [row, end) end in the tile, and row `end` may go on behind it. Where a row ends, one begins.
    u32 row = range[0], end = range[1];
    for (u32 r = row + threadIdx.x; r < end; r += THREADS) {
        u32 i = offsets[r + 1] - begin;
        atomicOr(&heads[i / 32], 1u << i % 32);
    }
    __syncthreads();
    reduce_rows(entries, heads, &sums[warp_id() * CHUNK]);
    __syncthreads();
    for (u32 r = row + threadIdx.x; r <= end; r += THREADS) {
        u32 from = max(offsets[r], begin) - begin, to = r < end ? offsets[r + 1] - begin : TILE;
        f32 sum = from < to ? sum_of(sums, from, to) : 0;
        (r < end ? y[r] : open[blockIdx.x]) = sum;
    }
    if (threadIdx.x == 0) {
        first[blockIdx.x] = row < end ? row : NONE;
    }
    // ANCHOR_END: multiply
}

// ANCHOR: add_carries
// A warp per tile. The first row that ends in it may have begun in a tile before, `from`: that one and those between
// left the row's other parts open.
extern "C" __global__ void add_carries(const u32* __restrict__ offsets, f32* __restrict__ y,
                                       u32 tiles, const f32* __restrict__ open,
                                       const u32* __restrict__ first) {
    u32 tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 row = tile < tiles ? first[tile] : NONE;
    if (row == NONE) {
        return;
    }
    u32 from = offsets[row] / TILE;
    f32 sum = lane_id() == 0 ? y[row] : 0;
    for (u32 t = from + lane_id(); t < tile; t += IN_FLIGHT * 32) {
        f32 carries[IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            carries[k] = open[min(t + k * 32, tile - 1)]; // past the end, the last one once more
        }
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            sum += t + k * 32 < tile ? carries[k] : 0;
        }
    }
    sum = warp_reduce<Sum<f32>>(sum);
    if (lane_id() == 0 && from < tile) {
        y[row] = sum;
    }
}
// ANCHOR_END: add_carries
