// CUB's sum with an interface that Rust can call: `cargo run --example cub_1` does. With a null `scratch` it only writes
// how many bytes of it are needed.
#include <cub/device/device_reduce.cuh>

extern "C" int cub_sum_f32(void* scratch, size_t* bytes, const float* in, float* out, size_t n,
                           cudaStream_t stream) {
    return cub::DeviceReduce::Sum(scratch, *bytes, in, out, n, stream);
}
