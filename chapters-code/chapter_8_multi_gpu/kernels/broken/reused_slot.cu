// BROKEN: as push.cu, with one slot per block and device instead of one per tile. A device sends the next tile into a slot
// that the receiver may not have read yet.
//
// push_<devices>: arguments and launch as push.cu.
// ANCHOR: reused_slot
#define SLOT_OF(tile) (blockIdx.x * TILE)
#include "../push.cu"
// ANCHOR_END: reused_slot
