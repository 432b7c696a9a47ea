// exercise 3.8: gives-up, ""
// gives up waiting after 300 polls: wrong where the block before is held up
// The inclusive scan of n numbers in one pass, by decoupled look-back.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one. status has a word for each of them; all are 0 before, and
// so is *counter.
const unsigned FOLD = 1, PREFIX = 2;

// Writes a value and its tag, in one word: a thread that sees the tag has the value.
__device__ void publish(unsigned long long* slot, int value, unsigned tag) {
    unsigned long long word = (unsigned long long)tag << 32 | unsigned(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(slot)), "l"(word) : "memory");
}

// Reads a word: the tag is its high half, 0 if nothing is there yet, and the value its low half.
__device__ unsigned long long look(unsigned long long* slot) {
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(slot)) : "memory");
    return word;
}

// The inclusive scan of what the 256 threads of a block bring. All must call it; it begins and ends with a barrier.
__device__ int block_scan(int x) {
    __shared__ int folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, offset);
        x += lane >= offset ? other : 0;
    }
    __syncthreads();
    if (lane == 31) {
        folds[warp] = x;
    }
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) {
        x += folds[w];
    }
    __syncthreads();
    return x;
}

extern "C" __global__ void scan(const int* in, int* out, size_t n, unsigned long long* status, unsigned* counter) {
    __shared__ unsigned tile;
    __shared__ int before_tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(counter, 1);
    }
    __syncthreads();
    size_t i = size_t(tile) * 256 + threadIdx.x;
    int scanned = block_scan(i < n ? in[i] : 0);
    if (threadIdx.x == 255) {
        int before = 0;
        publish(&status[tile], scanned, tile == 0 ? PREFIX : FOLD);
        for (unsigned t = tile; t > 0; t--) {
            unsigned long long word;
            unsigned polls = 0;
            do {
                word = look(&status[t - 1]);
            } while (word >> 32 == 0 && ++polls < 300);
            before += int(word);
            if (word >> 32 == PREFIX) {
                break;
            }
        }
        publish(&status[tile], before + scanned, PREFIX);
        before_tile = before;
    }
    __syncthreads();
    if (i < n) {
        out[i] = before_tile + scanned;
    }
}
