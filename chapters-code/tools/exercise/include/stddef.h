// NVRTC knows size_t and ptrdiff_t.
