// Adds up a number for each word that depends on its value and its place: two arrays that differ have, but for one case
// in 2^64, different sums. The host compares it with the sum of what it copied to the device.
//
// fingerprint(const unsigned* in, unsigned long long* sum, size_t words); in 4-byte aligned, *sum 0 before
// Launch: any number of blocks of any number of threads.

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
__device__ unsigned long long mix(unsigned long long x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

extern "C" __global__ void fingerprint(const unsigned* __restrict__ in, unsigned long long* __restrict__ sum,
                                       size_t words) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    unsigned long long mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += threads) {
        mine += mix(mix(i + 1) ^ in[i]);
    }
    atomicAdd(sum, mine);
}
