// Accesses to what is not there, and to what has another alignment.
#include "planted.cuh"

// The last block has more threads than there are elements. n = 100.
KERNEL(read_past_n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = OK && i >= n ? 0 : in[i];
    int pair = value + __shfl_xor_sync(FULL, value, 1);
    if (i < n) out[i] = pair;
}

KERNEL(write_past_n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    if (!OK || i < n) out[i] = value;
}

// The last element has no neighbour.
KERNEL(right_neighbour) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] + (OK && i + 1 == n ? 0 : in[i + 1]);
}

// Neither has the first.
KERNEL(left_neighbour) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] + (OK && i == 0 ? 0 : in[i - 1]);
}

// The remainder of a product that overflows is negative.
KERNEL(negative_remainder) {
    int i = threadIdx.x;
    if (OK) {
        out[i] = in[(unsigned(i) * 2654435761u) % unsigned(n)];
    } else {
        out[i] = in[int(unsigned(i) * 2654435761u) % n];
    }
}

// Bytes where elements were meant: i * 4 overflows no int, but the array.
KERNEL(scaled_twice) {
    int i = threadIdx.x;
    out[i] = in[OK ? i : 4 * i];
}

// A row's length is taken for the number of rows. 4 rows of 16.
KERNEL(rows_and_columns) {
    int row = threadIdx.x % 4, column = threadIdx.x / 4;
    out[OK ? row * 16 + column : column * 16 + row] = in[threadIdx.x];
}

// One element more than the array has.
KERNEL(past_shared_array) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    s[OK ? tid : tid + 1] = in[tid];
    __syncthreads();
    out[tid] = s[OK ? 63 - tid : 64 - tid];
}

// Dynamic shared memory for half of what is used: the launch asks for 4 bytes per thread.
KERNEL(too_little_dynamic_shared) {
    extern __shared__ int pairs[];
    int tid = threadIdx.x;
    pairs[OK ? tid : 2 * tid] = in[tid];
    __syncthreads();
    out[tid] = pairs[OK ? 63 - tid : 126 - 2 * tid];
}

// Four at a time, from an address that is no multiple of 16.
KERNEL(misaligned_vector) {
    int i = threadIdx.x;
    const int4 *vectors = reinterpret_cast<const int4 *>(OK ? in : in + 1);
    if (4 * i + 4 < n) out[i] = vectors[i].x + vectors[i].w;
}

KERNEL(misaligned_shared) {
    __shared__ __align__(16) int s[64];
    int tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    int2 pair = reinterpret_cast<int2 *>(s + (OK ? 2 : 1))[tid % 16];
    out[tid] = pair.x + pair.y;
}

// A thread's own array, with an index beyond it.
KERNEL(past_local_array) {
    int last[8];
    for (int i = 0; i < 8; i++) last[i] = 0;
    for (int i = 0; i < n; i++) last[in[i] & (OK ? 7 : 15)] = i;
    out[threadIdx.x] = last[threadIdx.x & 7];
}

// The host has freed `fresh` before the launch; the right kernel leaves it alone.
KERNEL(freed_memory) {
    int *to = OK ? out : fresh;
    to[threadIdx.x] = in[threadIdx.x];
}

// A pointer that was never set. n = 64.
KERNEL(null_pointer) {
    const int *list = OK ? in : reinterpret_cast<const int *>(size_t(n - 64));
    out[threadIdx.x] = list[threadIdx.x];
}

// Where an atomic goes is checked too.
KERNEL(atomic_past_n) {
    int bin = in[threadIdx.x];
    atomicAdd(&out[OK ? bin % n : bin + n], 1);
}
