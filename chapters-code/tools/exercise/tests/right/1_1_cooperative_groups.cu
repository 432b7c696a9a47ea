// exercise 1.1
// Cooperative groups wait and shuffle.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float folds[8];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    size_t i = size_t(blockIdx.x) * 256 + block.thread_rank();
    float x = cg::reduce(warp, i < n ? in[i] : 0.0f, cg::plus<float>());
    if (warp.thread_rank() == 0) folds[warp.meta_group_rank()] = x;
    block.sync();
    if (block.thread_rank() == 0) {
        float sum = 0.0f;
        for (unsigned w = 0; w < 8; w++) sum += folds[w];
        out[blockIdx.x] = sum;
    }
}
