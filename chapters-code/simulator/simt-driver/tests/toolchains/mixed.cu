// Kernels of one module, of which the simulator runs the first two, and refuses the others one by one
// when they are launched.

extern "C" __global__ void add(const float* x, const float* y, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + y[i];
}

// The sum of each block's integers.
extern "C" __global__ void block_sum(const int* x, int* out)
{
    __shared__ int partial[32];
    int value = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
        if (threadIdx.x == 0) out[blockIdx.x] = value;
    }
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursive(int* out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x);
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
typedef int (*function)(int);
__device__ function functions[2] = {twice, square};

extern "C" __global__ void indirect(int* out)
{
    out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x);
}

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    __device__ explicit Strip(int length) : length(length) {}
    __device__ int area() const override { return length; }
};

extern "C" __global__ void virtual_call(int* out)
{
    Square square(threadIdx.x);
    Strip strip(threadIdx.x);
    const Shape* shapes[2] = {&square, &strip};
    out[threadIdx.x] = shapes[out[threadIdx.x] % 2]->area();
}

extern "C" __global__ void heap(int* out)
{
    int* one = new int(threadIdx.x);
    out[threadIdx.x] = *one;
    delete one;
}

extern "C" __global__ void matrix(float* out)
{
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0x3c003c00), "r"(0x3c003c00), "r"(0x3c003c00));
    out[threadIdx.x] = d[0];
}

extern "C" __global__ void texture(cudaTextureObject_t image, float* out)
{
    float value;
    asm volatile("{ .reg .f32 y, z, w; tex.1d.v4.f32.s32 {%0, y, z, w}, [%1, {%2}]; }"
                 : "=f"(value) : "l"(image), "r"(threadIdx.x));
    out[threadIdx.x] = value;
}
