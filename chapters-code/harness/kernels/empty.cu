// Does nothing: what remains of its time is the cost of a launch.
//
// empty()
// Launch: any.
extern "C" __global__ void empty() {}
