//! The order in which the warps of a block run, and the lengths of time slices.
//!
//! With seed 0 warps run in turn, each until it waits or a long time slice ends. With any other
//! seed, order and lengths are random and differ between blocks, to reveal code that depends on an
//! order. A warp that polls memory repeatedly without changing anything loses the rest of its
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

/// The distance of the states of SplitMix64 (Steele, Lea and Flood 2014).
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the random number of a state of SplitMix64.
pub(crate) fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GAMMA);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
