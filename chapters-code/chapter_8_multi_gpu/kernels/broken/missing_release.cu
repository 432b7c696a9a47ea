// BROKEN: as push.cu, but the flag is stored without a release. Nothing orders the elements before it: a device may see the
// flag and add elements that have not arrived.
//
// push_<devices>: arguments and launch as push.cu.
// ANCHOR: missing_release
#define STORE_FLAG "st.relaxed.sys.global.u32"
#include "../push.cu"
// ANCHOR_END: missing_release
