// exercise 4.2: cost, "longest warp"
// All lanes vote, and then one lane walks from bit to bit: no element that is left out costs anything.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned lane = threadIdx.x;
    unsigned left = __ballot_sync(0xffffffffu, lane < n && mask[lane] != 0);
    if (lane) return;
    selected[0] = __popc(left);
    for (; left; left &= left - 1) *out++ = in[__ffs(left) - 1];
}
