// Each load says where the next one reads, so none can be asked for before the one before has come:
// the time over the steps is how long a single load takes when no other load is in flight.
//
// pointer_chase(const unsigned* next, unsigned* out, unsigned steps); next[i] is an index into
// `next`, for every i that is reached from 0. Writes to out[0] where it ends.
// Launch: 1 block of 1 thread.
extern "C" __global__ void pointer_chase(const unsigned* __restrict__ next,
                                         unsigned* __restrict__ out, unsigned steps) {
    unsigned i = 0;
    for (unsigned step = 0; step < steps; step++) {
        i = next[i];
    }
    *out = i;
}
