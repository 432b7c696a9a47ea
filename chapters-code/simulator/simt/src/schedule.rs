//! In which order the warps of a block run, and for how long they and their block run at a time.
//!
//! With seed 0: in turn, each until it waits or a long time slice ends. With any other seed all of it
//! is drawn at random, differently for every block, so that code that depends on an order shows. A
//! warp that polls memory again and again, and changes nothing itself, loses the rest of its slice, and
//! a block whose warps all wait or do that loses its turn.

/// The order for one block.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    seed: u64,
    state: u64,
    order: Vec<usize>,
}

/// The longest time slice of a warp, in instructions.
const SLICE: u32 = 4096;

/// The logarithm of the longest turn of a block, in rounds of all its warps.
const LOG_ROUNDS: u32 = 4;

impl Schedule {
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            state: seed,
            order: Vec::new(),
        }
    }

    /// Starts the order of the block of this number.
    pub fn reseed(&mut self, block: u64) {
        self.state = self
            .seed
            .wrapping_add(block.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    /// The warp that runs at this turn of a round. In a round each of `warps` has its turn.
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

    /// A random order, after Fisher and Yates.
    fn shuffle(&mut self, warps: usize) {
        self.order.clear();
        self.order.extend(0..warps);
        for last in (1..warps).rev() {
            let other = self.draw(last as u64 + 1) as usize;
            self.order.swap(last, other);
        }
    }

    /// How many instructions it may execute.
    pub fn slice(&mut self) -> u32 {
        if self.seed == 0 {
            SLICE
        } else {
            1 + self.draw(64) as u32
        }
    }

    /// How many rounds of all its warps a block may run before another has its turn. They differ, so
    /// that of two resident blocks now one is ahead and now the other.
    pub fn rounds(&mut self) -> u32 {
        if self.seed == 0 {
            1 << LOG_ROUNDS
        } else {
            1 << self.draw(u64::from(LOG_ROUNDS) + 1)
        }
    }

    /// Which of so many bulk copies under way gets on now, if any does.
    pub fn copy(&mut self, count: usize) -> Option<usize> {
        if self.seed == 0 {
            return Some(0);
        }
        let moves = self.draw(4) == 0;
        moves.then(|| self.draw(count as u64) as usize)
    }

    /// A number below `bound`, by SplitMix64 (Steele, Lea and Flood 2014).
    fn draw(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % bound
    }
}
