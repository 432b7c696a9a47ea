// A block's elements in shared memory, with the one before them in front.
struct Tile {
    int x[257];
    unsigned scan[256];
};

__device__ unsigned flag(const int* in, size_t i, size_t n, Tile& tile) {
    unsigned tid = threadIdx.x;
    if (i < n) tile.x[tid + 1] = in[i];
    if (tid == 0 && i > 0 && i < n) tile.x[0] = in[i - 1];
    __syncthreads();
    return i < n && (i == 0 || tile.x[tid] != tile.x[tid + 1]);
}

__device__ unsigned scan(unsigned x, Tile& tile) {
    unsigned tid = threadIdx.x;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        tile.scan[tid] = x;
        __syncthreads();
        if (tid >= offset) x += tile.scan[tid - offset];
        __syncthreads();
    }
    return x;
}

extern "C" __global__ void count(const int* in, unsigned* counts, size_t n) {
    __shared__ Tile tile;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned indices = scan(flag(in, i, n, tile), tile);
    if (threadIdx.x == 255) counts[blockIdx.x] = indices;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    unsigned sum = 0;
    if (threadIdx.x == 0) {
        for (size_t b = 0; b < (n + 255) / 256; b++) {
            unsigned mine = counts[b];
            counts[b] = sum;
            sum += mine;
        }
        *selected = sum;
    }
}

extern "C" __global__ void scatter(const int* in, int* out, const unsigned* counts, size_t n) {
    __shared__ Tile tile;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned select = flag(in, i, n, tile);
    unsigned index = counts[blockIdx.x] + scan(select, tile) - select;
    if (select) out[index] = tile.x[threadIdx.x + 1];
}
