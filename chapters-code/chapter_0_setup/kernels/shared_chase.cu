// As pointer_chase of the harness, but through shared memory: each load gives the index of the next, so
// none can begin before the one before has arrived.
//
// shared_chase(const unsigned* next, unsigned* out, unsigned steps); next[i] < 256 is an index into `next`,
// for every i < 256. Writes to out[0] where the chain is after `steps` steps from 0.
// Launch: 1 block of exactly 256 threads.
extern "C" __global__ void shared_chase(const unsigned* __restrict__ next,
                                        unsigned* __restrict__ out, unsigned steps) {
    // ANCHOR: declaration
    __shared__ unsigned chain[256];
    chain[threadIdx.x] = next[threadIdx.x];
    __syncthreads();
    // ANCHOR_END: declaration
    if (threadIdx.x == 0) {
        unsigned i = 0;
        for (unsigned step = 0; step < steps; step++) {
            i = chain[i];
        }
        *out = i;
    }
}
