// BROKEN: as transpose_push.cu, without the barrier between the stores to the tile and the loads from it. A thread sends
// elements that another warp has not stored yet.
//
// transpose_push: arguments and launch as transpose_push.cu.
// ANCHOR: unfinished_tile
#define BARRIER
#include "../transpose_push.cu"
// ANCHOR_END: unfinished_tile
