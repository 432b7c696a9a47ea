// The diagonal is a case of its own. The blocks below it do the work, with swizzled tiles.
__device__ void load(float (*tile)[32], const float* matrix, unsigned n, unsigned top, unsigned left) {
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        bool inside = top + y < n && left + threadIdx.x < n;
        tile[y][threadIdx.x ^ y] = inside ? matrix[size_t(top + y) * n + left + threadIdx.x] : 0.0f;
    }
}

__device__ void store(float (*tile)[32], float* matrix, unsigned n, unsigned top, unsigned left) {
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (top + y < n && left + threadIdx.x < n)
            matrix[size_t(top + y) * n + left + threadIdx.x] = tile[threadIdx.x][y ^ threadIdx.x];
}

extern "C" __global__ void transpose_in_place(float* matrix, unsigned n) {
    __shared__ float tiles[2][32][32];
    unsigned a = 32 * blockIdx.x, b = 32 * blockIdx.y;
    if (a > b) return;
    if (a == b) {
        load(tiles[0], matrix, n, a, a);
        __syncthreads();
        store(tiles[0], matrix, n, a, a);
        return;
    }
    load(tiles[0], matrix, n, a, b);
    load(tiles[1], matrix, n, b, a);
    __syncthreads();
    store(tiles[0], matrix, n, b, a);
    store(tiles[1], matrix, n, a, b);
}
