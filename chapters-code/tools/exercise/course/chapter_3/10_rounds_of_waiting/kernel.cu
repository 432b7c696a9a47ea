// Tiles that wait for what comes before them, in rounds: one block simulates 64 tiles, one thread per tile. In a round every tile looks at
// what the others had published by the end of the round before, and publishes at the end of this one.
const unsigned TILES = 64, NOTHING = 0, AGGREGATE = 1, PREFIX = 2;

// aggregates: 1 if a tile publishes the sum of its own elements before it waits, 0 if it publishes its whole prefix alone.
// window: how many of the tiles before it a tile can look at in a round, from the nearest on.
// late: the round in which tile 10 begins; all others begin in round 0.
extern "C" __global__ void rounds(const int* in, int* out, unsigned aggregates, unsigned window, unsigned late) {
    __shared__ int values[2][TILES];
    __shared__ unsigned tags[2][TILES];
    unsigned tile = threadIdx.x, begins = tile == 10 ? late : 0;
    unsigned next = tile; // the tiles from here to this one have been added up
    unsigned tag = NOTHING;
    int before = 0, own = in[tile];
    for (unsigned round = 0;; round++) {
        unsigned seen = round % 2, mine = 1 - seen;
        if (round == begins) {
            tag = tile == 0 ? PREFIX : aggregates ? AGGREGATE : NOTHING;
        }
        if (round > begins && tag != PREFIX) {
            for (unsigned k = 0; k < window && next > 0 && tags[seen][next - 1] != NOTHING; k++) {
                before += values[seen][next - 1];
                next = tags[seen][next - 1] == PREFIX ? 0 : next - 1;
            }
            tag = next == 0 ? PREFIX : tag;
        }
        values[mine][tile] = before + own;
        if (tag == AGGREGATE) {
            values[mine][tile] = own;
        }
        tags[mine][tile] = tag;
        if (!__syncthreads_or(tag != PREFIX)) {
            break;
        }
    }
    out[tile] = before + own;
}
