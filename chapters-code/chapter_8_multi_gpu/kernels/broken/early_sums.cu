// BROKEN: as reduce_scatter_push.cu, without the meeting between the stores and the additions. A device adds what its memory
// holds, whether the other devices' elements have arrived or not.
//
// reduce_scatter_push_<devices>: arguments and launch as reduce_scatter_push.cu.
// ANCHOR: early_sums
#define MEETING
#include "../reduce_scatter_push.cu"
// ANCHOR_END: early_sums
