// Threads without an element to load put a zero; those without one to store leave after the barrier.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[1024];
    int lane = threadIdx.x, warp = threadIdx.y;
    int top = 32 * blockIdx.y, left = 32 * blockIdx.x;
    bool inside = top + warp < (int)rows && left + lane < (int)cols;
    tile[32 * warp + (lane ^ warp)] = inside ? __ldg(&in[(long long)(top + warp) * cols + left + lane]) : 0.f;
    __syncthreads();
    if (left + warp >= (int)cols || top + lane >= (int)rows) return;
    float* row = out + (long long)(left + warp) * rows;
    row[top + lane] = tile[32 * lane + (warp ^ lane)];
}
