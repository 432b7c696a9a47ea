// exercise 2.4: part-only|lost-element|many-elements, ""
// One thread counts all keys, and stops after 100,000.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    for (size_t i = 0; i < n && i < 100000; i++) {
        if (keys[i] < 700) {
            counts[keys[i]]++;
        }
    }
}
