// printf and assert, without the name of the file as the compiler was given it.
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
#define assert(e) ((e) ? (void)0 : __assertfail(#e, "printing.cu", __LINE__, __func__, sizeof(char)))
extern "C" __global__ void printing(const int* in, float f) {
  int v = in[threadIdx.x];
  if (v > 3) printf("thread %d has %d and %f, %s\n", threadIdx.x, v, f, "a string");
  int n = printf("no arguments\n");
  assert(n >= 0 && v != 7);
  if (v == 9) __trap();
  if (v == 10) __brkpt();
  if (v == 11) asm volatile("exit;");
}
