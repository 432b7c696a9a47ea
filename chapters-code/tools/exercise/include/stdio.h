// NVRTC knows printf.
