// A warp writes a row of a tile whose rows are `pitch` words long, and reads its first column.
extern "C" __global__ void column(const float* in, float* out, unsigned pitch) {
    extern __shared__ float tile[];
    unsigned lane = threadIdx.x;
    for (unsigned row = 0; row < 32; row++) {
        tile[row * pitch + lane] = in[lane];
    }
    __syncwarp();
    out[lane] = tile[lane * pitch];
}
