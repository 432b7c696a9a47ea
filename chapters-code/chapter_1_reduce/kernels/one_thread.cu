// One thread adds everything, in order: the sequential algorithm, on a GPU.
//
// One lane of one warp works, on one of the device's multiprocessors, and each addition waits for the one
// before.
//
// Launch: 1 block of 1 thread. Writes out[0].

// ANCHOR: kernel
extern "C" __global__ void sum_f32(const float* in, float* out, size_t n) {
    float total = 0.0f;
    for (size_t i = 0; i < n; i++) {
        total += in[i];
    }
    out[0] = total;
}
// ANCHOR_END: kernel
