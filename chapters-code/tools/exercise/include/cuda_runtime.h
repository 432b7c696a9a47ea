// NVRTC knows all of it that a kernel needs.
