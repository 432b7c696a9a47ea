// BROKEN: as sums_first.cu, but a sum and its flag are two words, and nothing orders their stores: a device may see the flag
// and load an old sum.
//
// sum_<dtype>: arguments and launch as sums_first.cu.
#define OWN_SEND_AND_RECEIVE
#include "../words.cuh"

// The flag of a slot, behind its value.
template <typename T> __device__ u32* flag(u64* slot) {
    return reinterpret_cast<u32*>(slot) + sizeof(T) / 4;
}

template <typename T> __device__ u32 tag_of(u64* slot) { return *flag<T>(slot); }

// ANCHOR: carry_and_flag
template <typename T> __device__ void send(u64* slot, T value, u32 tag) {
    *reinterpret_cast<T*>(slot) = value;
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag<T>(slot)), "r"(tag) : "memory");
}

template <typename T> __device__ T receive(u64* slot, u32 tag) {
    u32 seen;
    do {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag<T>(slot)) : "memory");
    } while (seen != tag);
    return *reinterpret_cast<T*>(slot);
}
// ANCHOR_END: carry_and_flag
#include "../sums_first.cu"
