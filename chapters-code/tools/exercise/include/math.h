// NVRTC knows the functions of mathematics.
