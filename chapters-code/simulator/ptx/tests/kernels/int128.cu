// ptx: --device-int128
// Division of 128-bit integers, which the compiler expands into chains of carries that mix
// subtractions and additions. An element is its low and its high half.

using u128 = unsigned __int128;

static __device__ u128 element(const unsigned long long* halves, unsigned i) {
    return (u128)halves[2 * i + 1] << 64 | halves[2 * i];
}

static __device__ void put(unsigned long long* halves, unsigned i, u128 value) {
    halves[2 * i] = (unsigned long long)value;
    halves[2 * i + 1] = (unsigned long long)(value >> 64);
}

extern "C" __global__ void divide_u128(
    const unsigned long long* a, const unsigned long long* b, unsigned long long* quotients, unsigned long long* remainders
) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    u128 x = element(a, i), y = element(b, i);
    put(quotients, i, x / y);
    put(remainders, i, x % y);
}

extern "C" __global__ void divide_s128(
    const unsigned long long* a, const unsigned long long* b, unsigned long long* quotients, unsigned long long* remainders
) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __int128 x = (__int128)element(a, i), y = (__int128)element(b, i);
    put(quotients, i, (u128)(x / y));
    put(remainders, i, (u128)(x % y));
}

extern "C" __global__ void multiply_u128(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    put(out, i, element(a, i) * element(b, i));
}
