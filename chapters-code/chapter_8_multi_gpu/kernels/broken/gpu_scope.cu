// BROKEN: the flags have the scope of one GPU. It orders the threads of that GPU only, so a thread of another device may
// see a flag and not the elements that were stored before it.
//
// flags_<devices>: arguments and launch as flags.cu.
// ANCHOR: gpu_scope
#define STORE_FLAG "st.release.gpu.global.u32"
#define LOAD_FLAG "ld.acquire.gpu.global.u32"
#include "../flags.cu"
// ANCHOR_END: gpu_scope
