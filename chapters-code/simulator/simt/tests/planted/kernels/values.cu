// Values that a shuffle reads from lanes which take no part: used, and thrown away.
#include "planted.cuh"

const unsigned ELEVEN = 0x7ff;

// The maximum of 11 lanes: what comes from beyond them counts.
KERNEL(maximum_of_eleven) {
    int lane = threadIdx.x, value = -1 - in[lane];
    for (int by = 8; by > 0; by /= 2) {
        int other = __shfl_down_sync(ELEVEN, value, by);
        if (!OK || lane + by < 11) value = max(value, other);
    }
    if (lane == 0) out[0] = value;
}

// The same sum in floating point.
KERNEL(sum_of_eleven) {
    int lane = threadIdx.x;
    float value = in[lane];
    for (int by = 8; by > 0; by /= 2) {
        float other = __shfl_down_sync(ELEVEN, value, by);
        if (!OK || lane + by < 11) value += other;
    }
    if (lane == 0) out[0] = int(value);
}

// A butterfly of 24 lanes.
KERNEL(butterfly_of_24) {
    int lane = threadIdx.x, value = in[lane];
    for (int by = 16; by > 0; by /= 2) {
        int other = __shfl_xor_sync(0xffffff, value, by);
        value += OK && (lane ^ by) >= 24 ? 0 : other;
    }
    if (lane == 0) out[0] = value;
}

// The neighbour's value is stored in shared memory, or only where there is a neighbour.
KERNEL(neighbour_into_shared) {
    __shared__ int s[32];
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, in[lane], 1);
    if (!OK || lane < 10) s[lane] = next;
    __syncwarp(ELEVEN);
    if (lane < 10) out[lane] = s[lane];
}

// It is where something is stored.
KERNEL(neighbour_as_index) {
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, lane, 1) & 31;
    if (!OK || lane < 10) out[next] = lane;
}

// It decides whether something is stored.
KERNEL(neighbour_decides) {
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, in[lane], 1);
    bool is_last = OK && lane == 10;
    if (!is_last && next != in[lane]) out[lane] = 1;
}

// It is added to a total.
KERNEL(neighbour_into_atomic) {
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, in[lane], 1);
    atomicAdd(out, OK && lane == 10 ? 0 : next);
}

// Its bit in a ballot.
KERNEL(neighbour_votes) {
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, in[lane], 1);
    unsigned heads = __ballot_sync(ELEVEN, next != in[lane]);
    if (lane == 0) out[0] = __popc(OK ? heads & (ELEVEN >> 1) : heads);
}

// Half of a pair is stored.
KERNEL(half_of_a_pair) {
    int lane = threadIdx.x;
    long long next = __shfl_down_sync(ELEVEN, in[lane], 1);
    long long pair = next << 32 | unsigned(lane);
    out[lane] = OK ? int(pair) : int(pair >> 32);
}

// A double is shuffled in halves.
KERNEL(double_from_absent_lane) {
    int lane = threadIdx.x;
    double value = in[lane];
    for (int by = 8; by > 0; by /= 2) {
        double other = __shfl_down_sync(ELEVEN, value, by);
        value += OK && lane + by >= 11 ? 0.0 : other;
    }
    if (lane == 0) out[0] = int(value);
}

// A lane hands on to another what it has read from an absent one.
KERNEL(handed_on) {
    int lane = threadIdx.x;
    int next = __shfl_down_sync(ELEVEN, in[lane], 1);
    int last = __shfl_sync(ELEVEN, next, OK ? 9 : 10);
    out[lane] = last;
}

// The lanes beyond n have left before the butterfly. n = 21.
KERNEL(butterfly_after_return) {
    int lane = threadIdx.x;
    if (lane >= n) return;
    int sum = in[lane];
    for (int by = 16; by > 0; by /= 2) {
        int other = __shfl_xor_sync(FULL, sum, by);
        if (!OK || (lane ^ by) < n) sum += other;
    }
    out[lane] = sum;
}

// Two halves of a word come from two shuffles. Masking keeps the one that is there.
KERNEL(packed_halves) {
    int lane = threadIdx.x;
    unsigned mine = in[lane] & 0xffff;
    unsigned next = __shfl_down_sync(ELEVEN, mine, 1), last = __shfl_up_sync(ELEVEN, mine, 1);
    unsigned both = next << 16 | last;
    out[lane] = both & (OK && lane == 10 ? 0xffff : FULL);
}
