// Broken: a ring of stages, as in warp_specialized.cu, that hands a stage back without a fence.
//
// One warp starts bulk copies, one reads what they bring and scans it. The reader arrives at `empty` when
// it has read a stage, and the copier waits for that before it starts the next copy into the stage. That
// orders ordinary accesses of the two warps. A bulk copy is not one: it writes through the async proxy, and
// may overtake a read that is still queued. Lanes then reduce elements of a later tile.
//
// How often that happens depends on the device and its load. warp_specialized.cu once had this fault, and no
// recorded result of it was wrong.
//
// ptx: compute_90
//
// inclusive_sum_f32(const float* in, float* out, size_t n)
// Launch: one block of 64 threads, no dynamic shared memory; in and out 16-byte aligned.
#include "../pipeline.cuh"
#include "../warp_chunk.cuh"

constexpr unsigned STAGES = 2;
constexpr unsigned PACKS = 32; // of a tile, a lane each
constexpr unsigned SIZE = Pack<float>::size;

struct Ring {
    Mbarrier full[STAGES], empty[STAGES];
    uint4 stages[STAGES][PACKS];
};

struct Block {
    Ring& ring;
    Packs<float> in, out;

    // Whole packs of a tile; what is left at the array's end no bulk copy brings.
    __device__ unsigned whole(size_t first) const {
        size_t packs = in.n / SIZE;
        return first < packs ? unsigned(min(packs - first, size_t(PACKS))) : 0;
    }

    __device__ void copy() {
        PipelineState state;
        for (size_t first = 0; first < in.count(); first += PACKS, state.advance(1, STAGES)) {
            if (state.phase > 0) {
                ring.empty[state.stage].wait(state.parity() ^ 1); // since the lap before
            }
            unsigned bytes = whole(first) * 16;
            Mbarrier& full = ring.full[state.stage];
            full.arrive_and_expect(bytes);
            if (bytes > 0) {
                const uint4* from = reinterpret_cast<const uint4*>(in.elements) + first;
                bulk_copy(ring.stages[state.stage], from, bytes, full);
            }
        }
    }

    // ANCHOR: scan
    __device__ void scan() {
        PipelineState state;
        float prefix = 0;
        for (size_t first = 0; first < in.count(); first += PACKS, state.advance(1, STAGES)) {
            ring.full[state.stage].wait(state.parity());
            WarpChunk<float, 1> chunk;
            chunk.rows[0] = lane_id() < whole(first)
                                ? load_pack<float>(&ring.stages[state.stage][lane_id()])
                                : in.load<Sum<float>>(first + lane_id());
            // Missing: fence_before_copies().
            __syncwarp();
            if (lane_id() == 0) {
                ring.empty[state.stage].arrive();
            }
            float before[1];
            float aggregate = chunk.scan<Sum<float>>(before);
            chunk.store<Kind::Inclusive, Sum<float>>(out, first, prefix, before);
            prefix += aggregate;
        }
    }
    // ANCHOR_END: scan
};

extern "C" __global__ void __launch_bounds__(64)
    inclusive_sum_f32(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    __shared__ __align__(128) Ring ring;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++) {
            ring.full[s].init(1);
            ring.empty[s].init(1);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    Block block{ring, {const_cast<float*>(in), n}, {out, n}};
    if (warp_id() == 1) {
        block.scan();
    } else if (lane_id() == 0) {
        block.copy();
    }
}
