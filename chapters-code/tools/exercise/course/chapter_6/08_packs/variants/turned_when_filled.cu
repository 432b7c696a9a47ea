// The turn is made on the way in, and packs are pointers to packs.
extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                     unsigned cols) {
    __shared__ float tile[32 * 33];
    const unsigned pack = threadIdx.x, y = threadIdx.y;
    const unsigned top = 32 * blockIdx.y, left = 32 * blockIdx.x;
    if (top + y < rows && left + 4 * pack < cols) {
        const float4* from = (const float4*)(in + (size_t)(top + y) * cols + left);
        const float4 v = from[pack];
        const float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) tile[33 * (4 * pack + k) + y] = e[k];
    }
    __syncthreads();
    if (left + y >= cols || top + 4 * pack >= rows) return;
    const float* mine = tile + 33 * y + 4 * pack;
    float4* to = (float4*)(out + (size_t)(left + y) * rows + top);
    to[pack] = make_float4(mine[0], mine[1], mine[2], mine[3]);
}
