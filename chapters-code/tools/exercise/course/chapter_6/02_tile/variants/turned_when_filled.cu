// The turn is made on the way in: the tile is filled by columns and read by rows.
struct Tile {
    float words[32 * 33];
    __device__ float& at(unsigned row, unsigned column) { return words[33 * row + column]; }
};

extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                     unsigned cols) {
    __shared__ Tile tile;
    const size_t c = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) tile.at(threadIdx.x, threadIdx.y) = in[r * cols + c];
    __syncthreads();
    const size_t to_row = blockIdx.x * 32 + threadIdx.y, to_column = blockIdx.y * 32 + threadIdx.x;
    if (to_row < cols && to_column < rows)
        out[to_row * rows + to_column] = tile.at(threadIdx.y, threadIdx.x);
}
