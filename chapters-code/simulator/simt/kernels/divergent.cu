// Every lane takes its own number of turns (the Collatz sequence of its element).
// run(const unsigned* in, unsigned* out, size_t n): one thread an element.
extern "C" __global__ void run(const unsigned* in, unsigned* out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned x = (in[i] & 63) + 1, steps = 0;
    while (x != 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        steps++;
    }
    out[i] = steps;
}
