// Each block sums its 256 elements; the last six steps are one warp's, without block-wide barriers.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 128; stride > 32; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid < 32) {
        // GAP these six steps were published in 2007; mend them, without another __syncthreads()
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            float partner = shared[tid + stride];
            __syncwarp();
            shared[tid] += partner;
            __syncwarp();
        }
        // SKELETON
        //|        volatile float* warp = shared;
        //|        warp[tid] += warp[tid + 32];
        //|        warp[tid] += warp[tid + 16];
        //|        warp[tid] += warp[tid + 8];
        //|        warp[tid] += warp[tid + 4];
        //|        warp[tid] += warp[tid + 2];
        //|        warp[tid] += warp[tid + 1];
        // END GAP
    }
    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
