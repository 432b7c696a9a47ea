// out is the transpose of the matrix in, both stored by rows; rows and cols are multiples of 4.
//
// Launched with ceil(cols / 32) × ceil(rows / 32) blocks, at least one in each direction, of 8 × 32 threads.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    // GAP right, but by single elements; have each thread load one float4 and store one
    unsigned x = 4 * threadIdx.x, y = threadIdx.y;
    if (row + y < rows && col + x < cols) {
        float4 pack = *reinterpret_cast<const float4*>(&in[size_t(row + y) * cols + col + x]);
        tile[y][x] = pack.x;
        tile[y][x + 1] = pack.y;
        tile[y][x + 2] = pack.z;
        tile[y][x + 3] = pack.w;
    }
    __syncthreads();
    if (col + y < cols && row + x < rows) {
        float4 pack = make_float4(tile[x][y], tile[x + 1][y], tile[x + 2][y], tile[x + 3][y]);
        *reinterpret_cast<float4*>(&out[size_t(col + y) * rows + row + x]) = pack;
    }
    // SKELETON
    //|    for (unsigned x = threadIdx.x, y = threadIdx.y; x < 32; x += 8) {
    //|        if (row + y < rows && col + x < cols) {
    //|            tile[y][x] = in[size_t(row + y) * cols + col + x];
    //|        }
    //|    }
    //|    __syncthreads();
    //|    for (unsigned x = threadIdx.x, y = threadIdx.y; x < 32; x += 8) {
    //|        if (col + y < cols && row + x < rows) {
    //|            out[size_t(col + y) * rows + row + x] = tile[x][y];
    //|        }
    //|    }
    // END GAP
}
