// A swizzled tile: column c of row r lies at c XOR r, element by element. Threads without a pack put zeros.
__device__ float& at(float* tile, unsigned row, unsigned col) {
    return tile[32 * row + (col ^ row)];
}

extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[1024];
    size_t row = 32 * blockIdx.y, col = 32 * blockIdx.x;
    unsigned x = 4 * threadIdx.x, y = threadIdx.y;
    bool loads = row + y < rows && col + x < cols, stores = col + y < cols && row + x < rows;
    float4 pack = {};
    if (loads) pack = *(const float4*)(in + (row + y) * cols + col + x);
    at(tile, y, x + 0) = pack.x;
    at(tile, y, x + 1) = pack.y;
    at(tile, y, x + 2) = pack.z;
    at(tile, y, x + 3) = pack.w;
    __syncthreads();
    pack.x = at(tile, x + 0, y);
    pack.y = at(tile, x + 1, y);
    pack.z = at(tile, x + 2, y);
    pack.w = at(tile, x + 3, y);
    if (stores) *(float4*)(out + (col + y) * rows + row + x) = pack;
}
