// Variables of every space, with initialisers; vectors; generic addresses; asynchronous copies; clocks.
__device__ int scalars[4] = {-5}; __device__ double table[3] = {1.5, -2.0, 3e30}; __device__ const char* text = "hello";
__constant__ float weights[4] = {1.f, 2.f, 0.f, -4.f}; __constant__ short small[3] = {1, -2, 3};
struct Node { int value; Node* next; }; __device__ Node tail = {3, nullptr}; __device__ Node head = {2, &tail};
__device__ int row[4] = {1, 2, 3, 4}; __device__ int* inside = &row[2]; __device__ __managed__ int managed = 8;
extern __shared__ __align__(16) unsigned char dynamic[];
extern "C" __global__ void spaces(const int4* in, double2* out, short4* s, uchar4* b, int n) {
  __shared__ int fixed[64]; __shared__ double wide[2];
  int* where = n > 3 ? fixed : n > 2 ? scalars : (int*)dynamic;
  where[threadIdx.x] = in[n].y + scalars[3]; wide[n & 1] = table[n % 3]; __syncthreads();
  out[n] = make_double2(weights[n & 3] + small[n & 1] + wide[0], head.next->value + *inside + managed);
  s[n] = make_short4(1, fixed[2], dynamic[n], text[n]); b[n].x = s[n].y; b[n + 1] = b[2];
  if (__isShared(where) || __isGlobal(where) || __isLocal(where) || __isConstant(weights)) where[1] = 3;
}
extern "C" __global__ void asynchronous(const int4* in, int4* out, const char* small, int n) {
  __shared__ int4 buffer[64];
  unsigned to = (unsigned)__cvta_generic_to_shared(buffer + threadIdx.x);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0 + 516], [%1 + 8], 4, %2;" :: "r"(to), "l"(small), "r"(n));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; prefetch.global.L2 [%0];" :: "l"(small));
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x ^ 1]; out[threadIdx.x].w += buffer[32 + threadIdx.x].y;
  long long c = clock64(); unsigned long long g; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  out[0].x = (clock() < c) + (g >> 63);
}
extern "C" __global__ void inline_assembly(unsigned* u, unsigned long long* l, float* f) {
  unsigned a = u[0], b = u[1], lo, hi, r; unsigned long long w = l[0];
  asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, 0;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
  asm("sub.cc.u64 %0, %1, 5; subc.u64 %0, %0, 0;" : "=l"(w) : "l"(w));
  asm("mad.lo.cc.u32 %0, %1, %2, %0; madc.hi.cc.u32 %0, %1, %2, %0; addc.cc.u32 %0, %0, %0;" : "+r"(lo) : "r"(a), "r"(b));
  asm("{ .reg .pred p, q; .reg .b32 t<3>; setp.lt.and.u32 p|q, %1, %2, 1; @!p mov.b32 t1, 7; @p mov.b32 t1, 0x1F; selp.b32 %0, t1, 9, q; set.gt.u32.s32 t2, %1, %2; xor.b32 %0, %0, t2;\n"
      " not.pred p, q; xor.pred p, p, q; @p bra SKIP%=; add.u32 %0, %0, 1; SKIP%=: }" : "=r"(r) : "r"(a), "r"(b));
  asm("{ .reg .b16 h, g; mov.b32 {h, g}, %1; mov.b32 %0, {g, h}; }" : "=r"(lo) : "r"(lo));
  asm("lop3.b32 %0, %0, %1, %2, 0xE8; bfe.u32 %0, %0, 3, 5; bfi.b32 %0, %0, %1, 4, 8; prmt.b32 %0, %0, %1, 0x5410; bfind.shiftamt.u32 %3, %0;" : "+r"(r), "+r"(a), "+r"(b), "+r"(hi));
  u[2] = lo + hi + r; l[1] = w;
}
