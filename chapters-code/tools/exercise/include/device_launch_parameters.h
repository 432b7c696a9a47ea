// NVRTC knows threadIdx, blockIdx, blockDim and gridDim.
