// Atomics of every operation, type, space and scope; fences; acquire and release.
// ptx: compute_80
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, long long* s) {
  __shared__ int cell; __shared__ unsigned long long wide; __shared__ float real;
  int r = atomicAdd(i, 1) + atomicSub(i, 2) + atomicExch(i, 3) + atomicMin(i, 4) + atomicMax(i, 5) + atomicCAS(i, 6, 7)
    + atomicAnd(i, 8) + atomicOr(i, 9) + atomicXor(i, 10);
  unsigned q = atomicInc(u, 11) + atomicDec(u, 12) + atomicMin(u, 13u) + atomicMax(u, 14u);
  unsigned long long w = atomicAdd(l, 15ull) + atomicExch(l, 16ull) + atomicCAS(l, 17ull, 18ull) + atomicMax(l, 19ull)
    + atomicMin(s, 20ll) + atomicAnd(l, 21ull);
  atomicAdd(f, 22.f); atomicAdd(d, 23.0); atomicExch(f, 24.f);
  atomicAdd(&cell, r); atomicCAS(&wide, 1ull, w); atomicAdd(&real, 0.5f); atomicMax(&cell, 3);
  atomicAdd_block(i + 1, 1); atomicAdd_system(i + 2, 1);
  __threadfence(); __threadfence_block(); __threadfence_system();
  i[3] = q + cell + (int)wide + (int)real;
}
extern "C" __global__ void half_atomics(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, unsigned short* s) {
  atomicAdd(h, __float2half(1.f)); atomicAdd(h2, __floats2half2_rn(1.f, 2.f));
  atomicAdd(b, __float2bfloat16(1.f)); atomicAdd(b2, __floats2bfloat162_rn(1.f, 2.f));
  atomicCAS(s, (unsigned short)1, (unsigned short)2);
}
extern "C" __global__ void ordered(unsigned* flag, unsigned* data) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  asm volatile("st.release.sys.u32 [%0], %1;" :: "l"(flag), "r"(v + 1) : "memory");
  asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(v) : "l"(data) : "memory");
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1; fence.sc.gpu; fence.acq_rel.sys;" :: "l"(data), "r"(v) : "memory");
  asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(v) : "l"(flag) : "memory");
  volatile unsigned* polled = flag;
  while (*polled != v) __nanosleep(20);
  data[1] = __ldg(data) + __ldcg(data + 2) + __ldcs(data + 3);
  __stcg(data + 4, v); __stwt(data + 5, v);
}
