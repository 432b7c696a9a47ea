// Kernels of several devices that use each other's memory.

__device__ void raise(unsigned* flag)
{
    atomicExch_system(flag, 1);
}

__device__ void wait_for(const unsigned* flag, unsigned value)
{
    while (*(const volatile unsigned*)flag != value) {
    }
}

extern "C" __global__ void send(unsigned* data, unsigned* flag)
{
    *data = 7;
    __threadfence_system();
    raise(flag);
}

// Broken between devices: the fence is for threads of one device.
extern "C" __global__ void send_fenced_on_device(unsigned* data, unsigned* flag)
{
    *data = 7;
    __threadfence();
    raise(flag);
}

// Broken between devices: the flag is for threads of one device.
extern "C" __global__ void send_flag_on_device(unsigned* data, unsigned* flag)
{
    *data = 7;
    __threadfence_system();
    atomicExch(flag, 1);
}

// Broken: nothing orders the data and the flag.
extern "C" __global__ void send_unfenced(unsigned* data, unsigned* flag)
{
    *data = 7;
    raise(flag);
}

extern "C" __global__ void receive(const unsigned* data, const unsigned* flag, unsigned* out)
{
    wait_for(flag, 1);
    __threadfence_system();
    *out = *data;
}

// The second block passes on to another device what the first has written.
extern "C" __global__ void relay(unsigned* data, unsigned* own_flag, unsigned* flag)
{
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        atomicExch(own_flag, 1);
    } else {
        while (atomicAdd(own_flag, 0) == 0) {
        }
        __threadfence_system();
        raise(flag);
    }
}

// A token goes round: each device waits for it, and hands it on.
extern "C" __global__ void ring(const unsigned* own, unsigned* next, unsigned rounds, unsigned is_first)
{
    for (unsigned round = 1; round <= rounds; ++round) {
        wait_for(own, round - is_first);
        __threadfence_system();
        atomicExch_system(next, round);
    }
}

extern "C" __global__ void wait_for_flag(const unsigned* flag)
{
    wait_for(flag, 1);
}

extern "C" __global__ void copy_words(const unsigned* from, unsigned* to)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

extern "C" __global__ void count_on_device(unsigned* counter)
{
    atomicAdd(counter, 1);
}

extern "C" __global__ void count_in_system(unsigned* counter)
{
    atomicAdd_system(counter, 1);
}

extern "C" __global__ void set(unsigned* word, unsigned value)
{
    *word = value;
}
