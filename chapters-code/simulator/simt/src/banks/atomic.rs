//! Atomics on shared memory. Their cost depends on the instruction that the assembler emits; this
//! module models ptxas 13 for compute capability 9.0.
//!
//! - **One instruction** (`ATOMS.ADD` and similar) takes as many wavefronts as the longest queue at
//!   a bank. Lanes with the same address queue too. Units of 8 bytes are served in two halves, as
//!   for stores.
//! - **Counting** (`ATOMS.POPC.INC`: [`ptx::ir::Atom::counts`]) adds the lanes of an address first,
//!   so it takes no more than a load.
//! - **Compare and swap** (`ATOMS.CAS`) takes twice as many as one instruction.
//! - **A loop** (floating point, and arithmetic on 8 bytes) loads, computes and tries to swap until
//!   all lanes have succeeded. Each iteration is a load by the remaining lanes and a try that takes
//!   two wavefronts per group and lets the first lane in each bank succeed. A lane of the second
//!   half still fails if in the same iteration a lane of the first half has changed its address.
//!
//! These rules reproduce the probes exactly. Not modelled are other warps, which can make a loop's
//! tries fail, and loops for `min` and `max`, which skip the try if nothing would change.

use ptx::ir::{Atom, AtomOp, AtomType};

use super::{Banks, Passes, load, scattered};
use crate::counters::lanes;
use crate::pattern::{Addresses, Pattern};
use crate::registers::LaneMask;

/// The form that the assembler gives an atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Instruction,
    Count,
    CompareAndSwap,
    Loop {
        /// The lanes that do not change memory.
        idle: LaneMask,
    },
}

impl Form {
    /// Returns the form of an atomic. `b` holds the operands of a loop.
    pub fn of(atom: &Atom, b: &[u64; 32]) -> Self {
        match (atom.op, atom.ty) {
            _ if atom.counts => Self::Count,
            (AtomOp::Cas, _) => Self::CompareAndSwap,
            (AtomOp::Exch, _) | (_, AtomType::U32 | AtomType::S32) => Self::Instruction,
            (AtomOp::Add, AtomType::U64 | AtomType::S64 | AtomType::F64) => Self::Loop {
                idle: (0..32).fold(0, |idle, lane| idle | u32::from(b[lane] == 0) << lane),
            },
            _ => Self::Loop { idle: 0 },
        }
    }
}

/// The cost of an atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Served {
    /// Wavefronts of the atomic instruction itself, over all iterations.
    pub wavefronts: u64,
    /// Iterations of a loop.
    pub load_requests: u64,
    /// Passes of a loop's loads.
    pub loads: Passes,
}

/// Returns the cost of an atomic of `bytes` bytes per lane.
pub(crate) fn serve(form: Form, addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> Served {
    let only = |wavefronts| Served { wavefronts, ..Served::default() };
    match form {
        Form::Instruction => only(queues(addresses, mask, bytes)),
        Form::Count => only(scattered(addresses, mask, bytes)),
        Form::CompareAndSwap => only(2 * queues(addresses, mask, bytes)),
        Form::Loop { .. } if bytes <= 4 => narrow_loop(addresses, mask),
        Form::Loop { idle } => wide_loop(addresses, mask, idle),
    }
}

/// Returns the longest queue at a bank, summed over the groups of lanes.
fn queues(addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> u64 {
    if bytes <= 4 {
        longest_queue(addresses, mask, 2, 31)
    } else {
        let half = |part| longest_queue(addresses, mask & part, 3, 15);
        half(0x0000_ffff) + half(0xffff_0000)
    }
}

#[inline(always)]
fn longest_queue(addresses: &[u64; 32], mask: LaneMask, shift: u32, last: u8) -> u64 {
    let mut queues = [0u8; 32];
    for lane in lanes(mask) {
        // All queues are updated at once, so that equal banks need not wait for one another here
        // either.
        let bank = (addresses[lane as usize & 31] >> shift) as u8 & last;
        for (number, queue) in queues.iter_mut().enumerate() {
            *queue += u8::from(number as u8 == bank);
        }
    }
    u64::from(queues.into_iter().max().unwrap_or(0))
}

/// Counts all iterations at once: in iteration t the t-th lane of each bank succeeds.
fn narrow_loop(addresses: &[u64; 32], mask: LaneMask) -> Served {
    let word = |lane: usize| addresses[lane & 31] >> 2;
    let (mut queues, mut turns) = ([0u8; 32], [0u8; 32]);
    for lane in lanes(mask) {
        let queue = &mut queues[word(lane as usize) as usize & 31];
        turns[lane as usize & 31] = *queue;
        *queue += 1;
    }
    // The lanes that remain in an iteration are those that succeed in it or later.
    let (mut left, mut passes) = (Banks::new(32), [0u8; 32]);
    for lane in (0..32).rev().filter(|lane| mask >> lane & 1 == 1) {
        let passes = &mut passes[usize::from(turns[lane]) & 31];
        *passes = left.touch(word(lane)).max(*passes);
    }
    let turns = u64::from(queues.into_iter().max().unwrap_or(0));
    let wavefronts = passes.into_iter().map(u64::from).sum();
    Served {
        wavefronts: 2 * turns,
        load_requests: turns,
        loads: Passes { wavefronts, conflicts: wavefronts - turns },
    }
}

/// Simulates the loop iteration by iteration.
fn wide_loop(addresses: &[u64; 32], mask: LaneMask, idle: LaneMask) -> Served {
    let mut all = Served::default();
    let mut left = mask;
    while left != 0 {
        let loads = load(Pattern::Scattered, Addresses::Lanes(addresses), left, 8);
        all.load_requests += 1;
        all.loads.wavefronts += loads.wavefronts;
        all.loads.conflicts += loads.conflicts;
        let mut through = 0;
        for half in [left & 0x0000_ffff, left & 0xffff_0000] {
            all.wavefronts += 2 * u64::from(half != 0);
            through |= let_through(addresses, half, through & !idle);
        }
        left &= !through;
    }
    all
}

/// Returns the first lane in each bank, unless one of `changed` has changed its address.
fn let_through(addresses: &[u64; 32], half: LaneMask, changed: LaneMask) -> LaneMask {
    let (mut taken, mut through) = (0u16, 0);
    for lane in lanes(half) {
        let address = addresses[lane as usize & 31];
        let bank = 1 << (address >> 3 & 15);
        let is_first = taken & bank == 0;
        taken |= bank;
        let same = |other: u32| addresses[other as usize & 31] == address;
        if is_first && !lanes(changed).any(same) {
            through |= 1 << lane;
        }
    }
    through
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: LaneMask = LaneMask::MAX;
    const LOOP: Form = Form::Loop { idle: 0 };

    /// Checks the wavefronts of the atomic and of its loads against those that the H200 counted.
    fn check(form: Form, bytes: u32, address: impl Fn(u64) -> u64, expected: [u64; 2]) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let served = serve(form, &addresses, ALL, bytes);
        assert_eq!([served.wavefronts, served.loads.wavefronts], expected);
    }

    #[test]
    fn one_instruction() {
        check(Form::Instruction, 4, |_| 64, [32, 0]);
        check(Form::Instruction, 4, |l| 4 * l, [1, 0]);
        check(Form::Instruction, 8, |l| 8 * l, [2, 0]);
        check(Form::Instruction, 8, |_| 64, [32, 0]);
        check(Form::CompareAndSwap, 4, |l| 8 * l, [4, 0]);
        check(Form::Count, 4, |_| 64, [1, 0]);
        check(Form::Count, 4, |l| l / 2 * 128, [16, 0]);
    }

    #[test]
    fn loops() {
        check(LOOP, 4, |_| 64, [64, 32]);
        check(LOOP, 4, |l| 4 * l, [2, 1]);
        check(LOOP, 4, |l| 128 * l, [64, 528]);
        check(LOOP, 4, |l| l / 2 * 128, [64, 272]);
        check(LOOP, 4, |l| l % 4 * 128, [64, 122]);
        check(LOOP, 8, |l| 8 * l, [4, 2]);
        check(LOOP, 8, |l| l % 4 * 8, [24, 12]);
        check(LOOP, 8, |l| l % 2 * 256, [66, 33]);
        check(LOOP, 8, |_| 64, [96, 32]);
        check(Form::Loop { idle: 1 }, 8, |_| 64, [94, 31]);
    }
}
