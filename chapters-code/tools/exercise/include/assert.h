// NVRTC knows assert.
