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

// Broken: nothing orders the flag and the data.
extern "C" __global__ void receive_unfenced(const unsigned* data, const unsigned* flag, unsigned* out)
{
    wait_for(flag, 1);
    *out = *(const volatile unsigned*)data;
}

// Broken between devices: the fence is for threads of one device.
extern "C" __global__ void receive_fenced_on_device(const unsigned* data, const unsigned* flag, unsigned* out)
{
    wait_for(flag, 1);
    __threadfence();
    *out = *(const volatile unsigned*)data;
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

// Blocks of one number on all devices wait for each other.
template <bool SYSTEM>
__device__ void meet(unsigned* const* flags, unsigned own, unsigned devices, unsigned phase)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        if (SYSTEM) {
            __threadfence_system();
        } else {
            __threadfence();
        }
        for (unsigned device = 0; device < devices; ++device) {
            atomicAdd_system(&flags[device][blockIdx.x], 1);
        }
        // Another device may have arrived at the next meeting already.
        while (*(const volatile unsigned*)&flags[own][blockIdx.x] < phase * devices) {
        }
        __threadfence_system();
    }
    __syncthreads();
}

// Each device adds a part of the arrays of all devices, and writes the sums into all of them.
template <bool SYSTEM>
__device__ void add_all(
    unsigned* const* arrays, unsigned* const* flags, unsigned* out, unsigned own, unsigned devices)
{
    const unsigned part = gridDim.x * blockDim.x;
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = first; i < devices * part; i += part) {
        arrays[own][i] = i + own;
    }
    meet<SYSTEM>(flags, own, devices, 1);
    unsigned sum = 0;
    for (unsigned device = 0; device < devices; ++device) {
        sum += arrays[device][own * part + first];
    }
    for (unsigned device = 0; device < devices; ++device) {
        arrays[device][own * part + first] = sum;
    }
    meet<SYSTEM>(flags, own, devices, 2);
    for (unsigned i = first; i < devices * part; i += part) {
        out[i] = arrays[own][i];
    }
}

extern "C" __global__ void all_reduce(
    unsigned* const* arrays, unsigned* const* flags, unsigned* out, unsigned own, unsigned devices)
{
    add_all<true>(arrays, flags, out, own, devices);
}

// Broken: the fence before the flags is for threads of one device.
extern "C" __global__ void all_reduce_fenced_on_device(
    unsigned* const* arrays, unsigned* const* flags, unsigned* out, unsigned own, unsigned devices)
{
    add_all<false>(arrays, flags, out, own, devices);
}
