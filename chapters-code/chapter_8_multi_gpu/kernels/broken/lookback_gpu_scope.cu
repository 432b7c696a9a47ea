// BROKEN: the words have the scope of one GPU. Nothing promises that a thread of another device ever sees them.
//
// sum_<dtype>: arguments and launch as lookback_devices.cu.
// ANCHOR: lookback_gpu_scope
#define STORE_WORD "st.relaxed.gpu.global.u64"
#define LOAD_WORD "ld.relaxed.gpu.global.u64"
#include "../lookback_devices.cu"
// ANCHOR_END: lookback_gpu_scope
