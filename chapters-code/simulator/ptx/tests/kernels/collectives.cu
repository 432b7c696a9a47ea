// Shuffles, votes, matches, warp and block reductions, barriers of every kind.
// ptx: compute_80
extern "C" __global__ void warp_operations(const unsigned* in, unsigned* out) {
  unsigned tid = threadIdx.x, v = in[tid];
  unsigned mask = __activemask();
  v += __shfl_up_sync(mask, v, 1) ^ __shfl_sync(mask, v, tid & 7, 8);
  v = __reduce_max_sync(mask, v) + __reduce_xor_sync(mask, v);
  int low = __reduce_min_sync(mask, (int)v);
  int pred;
  unsigned same = __match_any_sync(mask, v & 3) + __match_all_sync(mask, (unsigned long long)v, &pred);
  unsigned votes = __ballot_sync(mask, v > 7) + __all_sync(mask, v > 8) + __any_sync(mask, low < 0);
  __syncwarp(mask);
  out[tid] = same + votes + pred + __uni_sync(mask, v) + low;
}

template <class T> __device__ T block_sum(T v) {
  __shared__ T partial[32];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  T total = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) total += partial[i];
  return total;
}

extern "C" __global__ void __launch_bounds__(256, 2) block_sums(const double* in, double* out, long long* whole, float* f) {
  out[blockIdx.x] = block_sum(in[threadIdx.x]);
  whole[blockIdx.x] = block_sum((long long)in[threadIdx.x]);
  f[blockIdx.x] = block_sum((float)in[threadIdx.x]);
  int n = __syncthreads_count(threadIdx.x & 1);
  if (__syncthreads_or(n > 3) && __syncthreads_and(n > 2)) f[1] = n;
  asm volatile("bar.arrive 3, 64; barrier.sync.aligned 3, 64;" ::: "memory");
}
