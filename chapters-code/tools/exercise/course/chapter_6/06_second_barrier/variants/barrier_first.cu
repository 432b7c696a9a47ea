// The barrier stands at the head of the loop, and the next tile's elements are in registers by then.
extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                     unsigned cols) {
    __shared__ float tile[32 * 32];
    const unsigned lane = threadIdx.x, warp = threadIdx.y, across = (cols + 31) / 32;
    const unsigned tiles = across * ((rows + 31) / 32);
    for (unsigned t = blockIdx.x; t < tiles; t += 4) {
        const size_t top = t / across * 32, left = t % across * 32;
        float held[4];
        for (unsigned k = 0; k < 4; ++k) {
            bool inside = top + warp + 8 * k < rows && left + lane < cols;
            held[k] = inside ? in[(top + warp + 8 * k) * cols + left + lane] : 0.0f;
        }
        __syncthreads();
        for (unsigned k = 0; k < 4; ++k) tile[32 * (warp + 8 * k) + (lane ^ (warp + 8 * k))] = held[k];
        __syncthreads();
        for (unsigned k = 0; k < 4; ++k) {
            unsigned y = warp + 8 * k;
            if (left + y < cols && top + lane < rows) out[(left + y) * rows + top + lane] = tile[32 * lane + (y ^ lane)];
        }
    }
}
