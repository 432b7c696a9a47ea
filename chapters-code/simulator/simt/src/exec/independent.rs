//! Lanes that run independently: an execution mode in which the lanes of a warp part at accesses to memory.
//!
//! Without this mode the lanes of a warp are together unless a branch separates them, so that code which
//! relies on lockstep always gives the same results. CUDA has not promised lockstep since Volta: lanes are
//! together only at `__syncwarp()`, at a warp-wide operation and at a barrier. The race detector finds such
//! code where its accesses are plain or volatile, and not where they are relaxed or atomic. The mode is no observer:
//! results of such code depend on it, so it has an option of its own, [`crate::Options::independent_lanes`].
//!
//! In this mode an access may divide the split that is about to execute it, as a seed decides. Some lanes
//! execute it now and run ahead, at most until they wait; the others execute it later. While the lanes of a
//! warp are apart, an access may also let the lanes behind have the next turn, and before these execute their
//! access other warps may have one. A warp has at most [`MOST_SPLITS`] splits in this way. Splits meet again at a warp-wide operation that names their lanes, at
//! a barrier, or at a reconvergence point: see [`crate::converge`].
//!
//! The accesses are loads, stores and atomics, except for local memory, constants and parameters, and
//! `cp.async`. Where lanes part depends on the seed, the block, the warp, and the accesses that the warp has
//! executed in the block. Counters count the accesses of each part.
//!
//! **Does not show:** that lanes part between two instructions without an access to memory between them;
//! code that works in each of these orders by chance. Several seeds show more.

use super::{Exec, Flow, Pause, Warp};
use crate::observe::Observer;
use crate::registers::LaneMask;
use crate::schedule::mix;

/// The most splits of a warp that an access makes. A warp then takes at most that many times as long.
const MOST_SPLITS: usize = 4;
/// The logarithm of the most accesses of a warp whose lanes are together between two decisions.
const LOG_TOGETHER: u64 = 1;
/// The logarithm of the most accesses by which lanes run ahead.
const LOG_AHEAD: u64 = 12;
/// The logarithm of the most turns of other warps before the lanes behind go on.
const LOG_BEHIND: u64 = 4;

/// When a warp's lanes part next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parting {
    /// Decisions in this block so far.
    decisions: u64,
    /// Accesses until the next decision.
    left: u32,
    /// The lanes whose turn it is.
    turn: LaneMask,
    /// Turns of other warps before these lanes execute their access.
    behind: u32,
}

impl Warp {
    /// Returns whose turn it is where lanes are independent, and when: until this changes, other lanes may
    /// not have executed anything.
    pub fn turn(&self) -> (LaneMask, u32) {
        (self.parting.turn, self.parting.behind)
    }
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Whether something is to be decided before these lanes execute an access. If not, they execute it.
    pub(super) fn may_part(&mut self, mask: LaneMask) -> bool {
        if self.grid.options.independent_lanes == 0 {
            return false;
        }
        let Warp { parting, splits, .. } = &mut *self.warp;
        if !splits.is_diverged() {
            if parting.turn == 0 || parting.turn & mask != 0 {
                parting.turn = mask;
            }
            if parting.left > 1 << LOG_TOGETHER {
                parting.left %= 1 << LOG_TOGETHER;
            }
        }
        let is_due = parting.turn != mask || parting.left == 0 || parting.behind > 0;
        parting.left = parting.left.saturating_sub(u32::from(!is_due));
        is_due
    }

    /// Decides whether the lanes of a split that is about to execute an access part, and which run first. The
    /// lanes that run next execute at least one access before anything else is decided for them.
    #[cold]
    pub(super) fn part(&mut self, split: usize, mask: LaneMask) -> Flow {
        let (here, pc) = (self.here(), self.pc);
        // The access is executed later, and counts then.
        self.budget += 1;
        let Warp { parting, splits, .. } = &mut *self.warp;
        let drawn = mix(self.grid.options.independent_lanes ^ here ^ mix(parting.decisions));
        parting.decisions += 1;
        splits.get_mut(split).pc = pc;
        if parting.turn != mask {
            parting.turn = mask;
            parting.left = parting.left.max(1);
            parting.behind = drawn_below(drawn, LOG_BEHIND);
            return Flow::Switch;
        }
        if parting.behind > 0 {
            parting.behind -= 1;
            return self.pause(Pause::SliceOver);
        }
        let is_diverged = splits.is_diverged();
        let ahead = drawn_lanes(mix(drawn)) & mask;
        let may_divide = splits.count() < MOST_SPLITS && ahead != 0 && ahead != mask;
        let choice = drawn & 3;
        if may_divide && (choice == 0 || choice < 3 && !is_diverged) {
            // The latest split runs first.
            splits.diverge(split, mask & !ahead, [pc; 2], None);
            parting.turn = ahead;
        } else if is_diverged && choice >= 2 {
            splits.rotate(split);
        }
        let log = if splits.is_diverged() { LOG_AHEAD } else { LOG_TOGETHER };
        parting.left = 1 + drawn_below(drawn, log);
        Flow::Switch
    }
}

/// Returns a number below a power of 2 whose logarithm is drawn, too.
fn drawn_below(drawn: u64, most: u64) -> u32 {
    let log = (drawn >> 8) % (most + 1);
    (drawn >> 16) as u32 & ((1 << log) - 1)
}

/// Returns lanes: one, those below one, or any, or all others.
fn drawn_lanes(drawn: u64) -> LaneMask {
    let lane = drawn >> 32 & 31;
    let lanes = match drawn >> 40 & 3 {
        0 => 1 << lane,
        1 => (1 << lane) - 1,
        _ => drawn as LaneMask,
    };
    if drawn >> 48 & 1 == 0 { lanes } else { !lanes }
}
