//! The order in which the warps of a block run, and the lengths of time slices.
//!
//! With seed 0 warps run in turn, each until it waits or a long time slice ends. With any other
//! seed, order and lengths are random and differ between blocks, to reveal code that depends on an
//! order; clusters then also start in a random order. A warp that polls memory repeatedly without changing anything loses the rest of its
//! slice. A block whose warps all wait or poll loses its turn.

/// The order for one block, or for the launches of a group.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    seed: u64,
    state: u64,
    order: Vec<usize>,
}

/// The longest time slice of a warp, in instructions.
const SLICE: u32 = 4096;

/// The logarithm of the longest turn of a block, in rounds over all its warps.
const LOG_ROUNDS: u32 = 4;

impl Schedule {
    pub fn new(seed: u64) -> Self {
        Self { seed, state: seed, order: Vec::new() }
    }

    /// Starts the order of the block with this number.
    pub fn reseed(&mut self, block: u64) {
        self.state = self.seed.wrapping_add(block.wrapping_mul(GAMMA));
    }

    /// Returns the warp that runs at this turn of a round. In a round each of `warps` warps has one
    /// turn.
    #[inline(always)]
    pub fn pick(&mut self, turn: usize, warps: usize) -> usize {
        if self.seed == 0 {
            return turn;
        }
        self.pick_at_random(turn, warps)
    }

    #[inline(never)]
    fn pick_at_random(&mut self, turn: usize, warps: usize) -> usize {
        if turn == 0 {
            self.shuffle(warps);
        }
        self.order[turn]
    }

    /// Shuffles the order, after Fisher and Yates.
    fn shuffle(&mut self, warps: usize) {
        self.order.clear();
        self.order.extend(0..warps);
        for last in (1..warps).rev() {
            let other = self.draw(last as u64 + 1) as usize;
            self.order.swap(last, other);
        }
    }

    /// Returns the length of a time slice in instructions.
    pub fn slice(&mut self) -> u32 {
        if self.seed == 0 { SLICE } else { 1 + self.draw(64) as u32 }
    }

    /// Returns how many rounds over all its warps a block runs before another has its turn. The
    /// numbers differ, so that of two resident blocks sometimes one is ahead and sometimes the
    /// other.
    pub fn rounds(&mut self) -> u32 {
        if self.seed == 0 { 1 << LOG_ROUNDS } else { 1 << self.draw(u64::from(LOG_ROUNDS) + 1) }
    }

    /// Returns how many turns a launch has before another one that runs at the same time.
    pub fn turns(&mut self) -> u32 {
        if self.seed == 0 { 1 } else { 1 + self.draw(8) as u32 }
    }

    /// Returns which of `count` pending bulk copies advances now, if any.
    pub fn copy(&mut self, count: usize) -> Option<usize> {
        if self.seed == 0 {
            return Some(0);
        }
        let moves = self.draw(4) == 0;
        moves.then(|| self.draw(count as u64) as usize)
    }

    /// Returns a number below `bound`.
    fn draw(&mut self, bound: u64) -> u64 {
        let drawn = mix(self.state);
        self.state = self.state.wrapping_add(GAMMA);
        drawn % bound
    }
}

/// Returns the cluster that starts at this turn, of `count`. With seed 0 they start in order. With any other,
/// the order is random, except that cluster 0 starts last: code that counts on the order of `blockIdx` counts
/// on it first.
pub(crate) fn start(seed: u64, turn: u64, count: u64) -> u64 {
    if seed == 0 || count < 2 {
        return turn;
    }
    let last = permuted(seed, count - 1, count);
    (permuted(seed, turn, count) + count - last) % count
}

/// Permutes the numbers below `count`, by a Feistel network over a power of 4 that is applied until the result is
/// below `count` (Black and Rogaway 2002).
fn permuted(seed: u64, number: u64, count: u64) -> u64 {
    let half = (64 - (count - 1).leading_zeros()).div_ceil(2);
    let low = (1 << half) - 1;
    let mut number = number;
    loop {
        for round in 0..4 {
            let (left, right) = (number >> half, number & low);
            let mixed = left ^ mix(seed ^ mix(right ^ round << 32)) & low;
            number = right << half | mixed;
        }
        if number < count {
            return number;
        }
    }
}

/// The distance of the states of SplitMix64 (Steele, Lea and Flood 2014).
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the random number of a state of SplitMix64.
pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GAMMA);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cluster_starts_once() {
        for count in [1, 2, 3, 4, 5, 16, 17, 1000] {
            for seed in 0..4 {
                let mut started: Vec<_> = (0..count).map(|turn| start(seed, turn, count)).collect();
                let last = if seed == 0 { count - 1 } else { 0 };
                assert_eq!(started.last(), Some(&last));
                let in_order: Vec<_> = (0..count).collect();
                assert_eq!(started == in_order, seed == 0 || count == 1, "{count}, seed {seed}");
                started.sort_unstable();
                assert_eq!(started, in_order);
            }
        }
    }

    #[test]
    fn orders_of_starts_differ() {
        let order = |seed| (0..100).map(|turn| start(seed, turn, 100)).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
        assert_eq!(order(1), order(1));
    }
}
