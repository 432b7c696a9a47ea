// exercise 1.4: many-elements|lost-element|part-only|endless, ""
// One thread does it all, and only a part of it.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    if (threadIdx.x) return;
    int x = -2147483647 - 1;
    for (size_t i = 0; i < n && i < 15000; i++) x = max(x, in[i]);
    out[0] = x;
}
