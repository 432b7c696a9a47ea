// A matrix lies spread by rows over the devices. First each device transposes its rows, so that what goes to one device is
// one block of memory. Between the two kernels the blocks are copied. Then each device lays the blocks that it has
// received beside each other.
//
// turn(const float* in, float* out, size_t rows, size_t cols)
// Launch: a block of 256 threads per tile of 32 x 32 elements.
//
// unpack(const float* received, float* out, size_t rows, size_t cols, size_t part)
// Launch: any number of blocks. `out` is of rows x cols elements. `received` holds matrices of rows x part elements, one
// behind the other; the last one may be narrower.
const unsigned TILE = 32;
const unsigned THREADS = 256;

// ANCHOR: turn
extern "C" __global__ void __launch_bounds__(THREADS)
    turn(const float* in, float* out, size_t rows, size_t cols) {
    __shared__ float tile[TILE][TILE + 1];
    size_t tiles_per_row = (cols + TILE - 1) / TILE;
    size_t first_row = blockIdx.x / tiles_per_row * TILE;
    size_t first_col = blockIdx.x % tiles_per_row * TILE;
    unsigned x = threadIdx.x % TILE;

    for (unsigned y = threadIdx.x / TILE; y < TILE; y += THREADS / TILE) {
        if (first_row + y < rows && first_col + x < cols) {
            tile[y][x] = in[(first_row + y) * cols + first_col + x];
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.x / TILE; y < TILE; y += THREADS / TILE) {
        if (first_col + y < cols && first_row + x < rows) {
            out[(first_col + y) * rows + first_row + x] = tile[x][y];
        }
    }
}
// ANCHOR_END: turn

// ANCHOR: unpack
extern "C" __global__ void unpack(const float* received, float* out, size_t rows, size_t cols,
                                  size_t part) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += threads) {
        size_t row = i / cols, col = i % cols;
        size_t first = col / part * part;       // the first column of the block
        size_t width = min(part, cols - first); // its columns
        out[i] = received[first * rows + row * width + (col - first)];
    }
}
// ANCHOR_END: unpack
