// BROKEN: as low_latency.cu, but the host counts the launches and hands the number over. A graph that replays a launch hands
// over the same number again: the receivers take elements of the replay before for new ones.
//
// low_latency_<devices>(Pointers in, float* out, Words received, unsigned epoch, int device, size_t n)
// Launch: as low_latency.cu. Each launch has the next epoch; the first is 1.
#define OWN_LAUNCHES
// ANCHOR: counted_by_host
struct Launches {
    unsigned number; // an argument of the kernel

    __device__ unsigned epoch() const { return number; }
    __device__ void count(unsigned) const {}
};
// ANCHOR_END: counted_by_host
#include "../low_latency.cu"
