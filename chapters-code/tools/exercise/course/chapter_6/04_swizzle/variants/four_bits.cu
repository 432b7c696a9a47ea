// Four bits of the row are enough for 8-byte elements; the turn is made when filling.
__device__ double* at(double* tile, unsigned row, unsigned column) {
    return tile + (row << 5 | (column ^ (row & 15)));
}

extern "C" __global__ void transpose(const double* in, double* out, unsigned rows, unsigned cols) {
    extern __shared__ double tile[];
    size_t top = blockIdx.y * 32, left = blockIdx.x * 32;
    unsigned lane = threadIdx.x, warp = threadIdx.y;
    for (unsigned k = warp; k < 32; k += 8) {
        bool inside = top + k < rows && left + lane < cols;
        *at(tile, lane, k) = inside ? in[(top + k) * cols + left + lane] : 0.0;
    }
    __syncthreads();
    for (unsigned k = warp; k < 32; k += 8)
        if (left + k < cols && top + lane < rows) out[(left + k) * rows + top + lane] = *at(tile, k, lane);
}
