// ptx: compute_90
// An inclusive scan whose warps have roles: one copies tiles into a ring of stages, some add them up,
// one gathers the totals of all blocks, and the rest write the prefixes. The blocks take tiles in turn,
// a round at a time, and none waits for more than the totals of its round.
typedef unsigned u32;
typedef unsigned long long u64;

const int SCANNERS = 4, REDUCERS = 2, STAGES = 2, ROUND = 160;
// In units of 16 bytes: a tile, what a scanner has of it, and how often a warp reads for that.
const int TILE = 256, SEGMENT = TILE / SCANNERS, ROWS = SEGMENT / 32;

// Set in a status beside the total.
const u64 PRESENT = 1ull << 32;

__device__ u32 at(const void *p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

__device__ void init(u64 *m, u32 count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(m)), "r"(count) : "memory");
}

__device__ void arrive(u64 *m) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(m)) : "memory");
}

__device__ void load(uint4 *to, const uint4 *from, u32 bytes, u64 *m) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(m)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(at(to)),
                 "l"(from), "r"(bytes), "r"(at(m))
                 : "memory");
}

__device__ void wait(u64 *m, u32 parity) {
    u32 done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "  selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at(m)), "r"(parity)
                     : "memory");
    } while (!done);
}

__device__ u64 look(const u64 *p) {
    u64 v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

__device__ void tell(u64 *p, u64 v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

__device__ u32 warp_sum(u32 x) {
    for (int lanes = 16; lanes; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
    return x;
}

__device__ u32 warp_scan(u32 x) {
    for (int by = 1; by < 32; by *= 2) {
        u32 other = __shfl_up_sync(~0u, x, by);
        if (threadIdx.x % 32 >= by) x += other;
    }
    return x;
}

struct Block {
    alignas(128) uint4 ring[STAGES][TILE];
    // A stage is there; its prefixes are known; it may be filled anew.
    u64 full[STAGES], ready[STAGES], empty[STAGES];
    // Of each stage: the sum before each segment, and before the tile.
    u32 segment[STAGES][SCANNERS], before[STAGES];
};

// What all warps of a block know of the input.
struct Work {
    size_t packs, tiles;
    u32 rounds, own;

    __device__ Work(size_t packs) : packs(packs), tiles((packs + TILE - 1) / TILE) {
        rounds = (tiles + gridDim.x - 1) / gridDim.x;
        own = blockIdx.x < in_round(rounds - 1) ? rounds : rounds - 1;
    }
    __device__ size_t tile(u32 round) const { return size_t(round) * gridDim.x + blockIdx.x; }
    __device__ u32 in_round(u32 round) const {
        size_t left = tiles - size_t(round) * gridDim.x;
        return left < gridDim.x ? u32(left) : gridDim.x;
    }
    __device__ u32 packs_of(size_t tile) const {
        size_t left = packs - tile * TILE;
        return left < TILE ? u32(left) : TILE;
    }
};

__device__ void copy_tiles(Block &s, const Work &work, const uint4 *in) {
    for (u32 round = 0; round < work.own; round++) {
        u32 stage = round % STAGES;
        if (round >= STAGES) {
            wait(&s.empty[stage], round / STAGES - 1 & 1);
            // The readers' loads are in the generic proxy, and the copy's writes in the async proxy.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        }
        size_t tile = work.tile(round);
        load(s.ring[stage], in + tile * TILE, work.packs_of(tile) * 16, &s.full[stage]);
    }
}

__device__ void gather(Block &s, const Work &work, const u64 *status) {
    u32 lane = threadIdx.x % 32, carry = 0;
    for (u32 round = 0; round < work.own; round++) {
        u32 before = 0, all = 0;
        for (u32 i = lane; i < ROUND; i += 32) {
            u64 total = i < work.in_round(round) ? 0 : PRESENT;
            while (!(total >> 32)) total = look(status + size_t(round) * gridDim.x + i);
            all += u32(total);
            before += i < blockIdx.x ? u32(total) : 0;
        }
        before = warp_sum(before);
        all = warp_sum(all);
        if (lane == 0) {
            u32 stage = round % STAGES;
            // That the totals are there says so too, but nothing orders what they are told by.
            if (round >= STAGES) wait(&s.empty[stage], round / STAGES - 1 & 1);
            s.before[stage] = carry + before;
            arrive(&s.ready[stage]);
        }
        carry += all;
    }
}

__device__ void reduce(Block &s, const Work &work, u64 *status, u32 first) {
    u32 lane = threadIdx.x % 32;
    for (u32 round = first; round < work.own; round += REDUCERS) {
        u32 stage = round % STAGES, total = 0, there = work.packs_of(work.tile(round));
        wait(&s.full[stage], round / STAGES & 1);
        for (int segment = 0; segment < SCANNERS; segment++) {
            u32 sum = 0;
            for (int row = 0; row < ROWS; row++) {
                u32 i = segment * SEGMENT + row * 32 + lane;
                uint4 v = i < there ? s.ring[stage][i] : make_uint4(0, 0, 0, 0);
                sum += v.x + v.y + v.z + v.w;
            }
            sum = warp_sum(sum);
            if (lane == 0) s.segment[stage][segment] = total;
            total += sum;
        }
        // Lane 0 arrives for all: the sums are there, but shuffles order no memory.
        __syncwarp();
        if (lane == 0) {
            tell(status + work.tile(round), PRESENT | total);
            arrive(&s.ready[stage]);
        }
    }
}

__device__ void scan(Block &s, const Work &work, uint4 *out, u32 segment) {
    u32 lane = threadIdx.x % 32;
    for (u32 round = 0; round < work.own; round++) {
        size_t tile = work.tile(round);
        u32 stage = round % STAGES, there = work.packs_of(tile);
        wait(&s.full[stage], round / STAGES & 1);
        wait(&s.ready[stage], round / STAGES & 1);
        u32 prefix = s.before[stage] + s.segment[stage][segment];
        uint4 v[ROWS];
        for (int row = 0; row < ROWS; row++) {
            u32 i = segment * SEGMENT + row * 32 + lane;
            v[row] = i < there ? s.ring[stage][i] : make_uint4(0, 0, 0, 0);
        }
        __syncwarp();
        if (lane == 0) arrive(&s.empty[stage]);
        for (int row = 0; row < ROWS; row++) {
            uint4 q = v[row];
            q.y += q.x, q.z += q.y, q.w += q.z;
            u32 sums = warp_scan(q.w), rest = prefix + sums - q.w;
            q.x += rest, q.y += rest, q.z += rest, q.w += rest;
            u32 i = segment * SEGMENT + row * 32 + lane;
            if (i < there) out[tile * TILE + i] = q;
            prefix += __shfl_sync(~0u, sums, 31);
        }
    }
}

// `status` has a zero for each tile. At most ROUND blocks, all of them resident.
extern "C" __global__ void scan_in_roles(const uint4 *in, uint4 *out, u64 *status, size_t packs) {
    __shared__ Block s;
    Work work(packs);
    u32 warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            init(&s.full[stage], 1);
            init(&s.ready[stage], 2);
            init(&s.empty[stage], SCANNERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (warp == 0) {
        if (threadIdx.x == 0) copy_tiles(s, work, in);
    } else if (warp == 1) {
        gather(s, work, status);
    } else if (warp < 2 + REDUCERS) {
        reduce(s, work, status, warp - 2);
    } else {
        scan(s, work, out, warp - 2 - REDUCERS);
    }
}

// Each block copies its part of the input through shared memory and back, adding 1.
extern "C" __global__ void through_shared(const uint4 *in, uint4 *out) {
    __shared__ alignas(128) uint4 part[64];
    __shared__ u64 full;
    const uint4 *from = in + blockIdx.x * 64;
    if (threadIdx.x == 0) {
        init(&full, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        load(part, from, sizeof(part), &full);
    }
    __syncthreads();
    wait(&full, 0);
    part[threadIdx.x].x++;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 64),
                     "r"(at(part)), "n"(sizeof(part))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
