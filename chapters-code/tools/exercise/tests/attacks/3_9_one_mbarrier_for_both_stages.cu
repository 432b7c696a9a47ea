// exercise 3.9: mbarrier, "takes 0 more"
// Both stages count at one full: no thread can tell which of them has come.
const unsigned TILE = 1024, STAGES = 2;

// Counts arrivals, and the bytes of bulk copies. A phase is complete when all arrivals have come for which it was initialised,
// and all bytes that were announced; the phases of an mbarrier are 0, 1, 2, … in turn.
struct Mbarrier {
    unsigned long long state;

    __device__ unsigned address() { return unsigned(__cvta_generic_to_shared(&state)); }

    // By one thread, once.
    __device__ void init(unsigned arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
    }
    __device__ void arrive() {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address()) : "memory");
    }
    // Arrives, and announces the bytes of a bulk copy.
    __device__ void arrive_and_expect(unsigned bytes) {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(address()), "r"(bytes) : "memory");
    }
    // Waits until a phase of this parity is complete: the current one if it has this parity; otherwise the one before it,
    // which is complete. (Before phase 0 an odd phase counts as complete.)
    __device__ void wait(unsigned parity) {
        unsigned done;
        do {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(address()), "r"(parity) : "memory");
        } while (!done);
    }
};

// Shows bulk copies the mbarriers that this thread has initialised. A barrier of the block must follow.
__device__ void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Orders the ordinary accesses of this thread before bulk copies that are started later.
__device__ void fence_before_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts a copy of bytes, a multiple of 16. It counts at `full` what has come.
__device__ void bulk_copy(int* shared, const int* global, unsigned bytes, Mbarrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(full.address())
                 : "memory");
}

// Bytes of a tile that a bulk copy can bring: all, except for up to three elements at the end of in.
__device__ unsigned bytes_of(size_t tile, size_t n) {
    size_t whole = n / 4 * 4, first = tile * TILE;
    return first < whole ? unsigned(min(whole - first, size_t(TILE))) * 4 : 0;
}

// The sum of a quarter of a tile, in lane 0 of the warp. What no bulk copy brings it loads itself.
__device__ int sum_quarter(const int* stage, const int* in, size_t tile, size_t n, unsigned quarter) {
    int sum = 0;
    for (unsigned i = quarter * 256 + threadIdx.x % 32; i < (quarter + 1) * 256; i += 32) {
        size_t at = tile * TILE + i;
        sum += at < n / 4 * 4 ? stage[i] : at < n ? in[at] : 0;
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    return sum;
}

extern "C" __global__ void sums(const int* in, int* out, size_t n) {
    __shared__ __align__(128) int stages[STAGES][TILE];
    __shared__ Mbarrier full[STAGES], empty[STAGES];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t tiles = n > 0 ? (n + TILE - 1) / TILE : 1, chunks = n > 0 ? (n + 255) / 256 : 1;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++) {
            full[s].init(1);
            empty[s].init(4);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    unsigned round = 0;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, round++) {
        unsigned stage = round % STAGES, lap = round / STAGES;
        size_t chunk = tile * 4 + warp - 1;
        if (warp == 0) {
            if (lane == 0) {
                if (lap > 0) {
                    empty[stage].wait((lap - 1) % 2);
                }
                full[0].arrive_and_expect(bytes_of(tile, n));
                if (bytes_of(tile, n) > 0) {
                    bulk_copy(stages[stage], in + tile * TILE, bytes_of(tile, n), full[0]);
                }
            }
        } else {
            full[0].wait(lap % 2);
            int sum = sum_quarter(stages[stage], in, tile, n, warp - 1);
            fence_before_copies();
            __syncwarp();
            if (lane == 0) {
                empty[stage].arrive();
                if (chunk < chunks) {
                    out[chunk] = sum;
                }
            }
        }
    }
}
