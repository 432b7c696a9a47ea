// Switches, loops left early, device functions that are called, local arrays.
__device__ __noinline__ float mix(float a, float b, int k) {
  if (k == 3) return a;
  for (int i = 0; i < k; ++i) { a = a * b + i; if (a > 1e6f) return b; }
  return a + b;
}
struct Pair { double first; int second; char tail[5]; };
__device__ __noinline__ Pair swap(Pair p, Pair* q) {
  Pair r = p; r.first += mix(p.second, 2.f, p.tail[1]); q->second = r.second; return r;
}
extern "C" __global__ void calls(float* out, Pair pair, int n) {
  Pair other = swap(pair, &pair);
  out[0] = mix(out[1], out[2], n) + other.first + pair.second + other.tail[n & 3];
  out[1] = mix(out[3], out[4], 3);
}
extern "C" __global__ void dispatch(int* out, int k) {
  switch (k) {
    case 0: out[0] = 3; break;
    case 1: out[1] = atomicAdd(out, 1); break;
    case 2: out[2] = 5; __syncthreads(); break;
    case 3: out[3] = 6; return;
    case 4: out[4] = out[9];
    case 5: out[5] = 8; break;
    case 6: out[6] = out[1] / 3; break;
    case 7: __syncwarp(); break;
    default: out[7] = -1;
  }
  out[8] = k;
}
extern "C" __global__ void local_array(const int* in, int* out, int n) {
  int buffer[16]; unsigned char bytes[8];
  for (int i = 0; i < 16; ++i) buffer[i] = in[i] * 3;
  for (int i = 0; i < 8; ++i) bytes[i] = in[i + n];
  for (int i = n; i < 16; i += n) { if (buffer[i] < 0) continue; if (buffer[i] == 99) break; buffer[(i * 7) & 15] += bytes[i & 7]; }
  out[threadIdx.x] = buffer[n & 15] + bytes[n & 7];
  while (out[1] != 4) { if (out[2]) return; }
}
