// Two tiles take turns: a thread that fills one again has passed the other's barrier, and so has every thread that read it.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tiles[2][32][33];
    unsigned x = threadIdx.x, parity = 0;
    unsigned across = (cols + 31) / 32, down = (rows + 31) / 32;
    for (unsigned t = blockIdx.x; t < across * down; t += gridDim.x) {
        unsigned row = t / across * 32, col = t % across * 32;
        float(*tile)[33] = tiles[parity];
        for (unsigned y = threadIdx.y; y < 32; y += 8)
            if (row + y < rows && col + x < cols) tile[y][x] = in[size_t(row + y) * cols + col + x];
        __syncthreads();
        for (unsigned y = threadIdx.y; y < 32; y += 8)
            if (col + y < cols && row + x < rows) out[size_t(col + y) * rows + row + x] = tile[x][y];
        parity ^= 1;
    }
}
