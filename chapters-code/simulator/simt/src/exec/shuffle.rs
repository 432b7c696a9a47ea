//! `shfl.sync`, after the pseudocode of the PTX manual, for all lanes at once.

use ptx::ir::{CollectiveOp, ShflMode, Shuffle};

use super::Exec;
use super::rows::each_lane;
use crate::counters::lanes;
use crate::observe::Observer;
use crate::registers::{LaneMask, Lanes32};

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn shuffle_inline(&mut self, shuffle: &Shuffle, active: LaneMask) {
        let registers = &self.warp.registers;
        let values = registers.r32(shuffle.a);
        let (by, clamp) = (registers.r32(shuffle.b), registers.r32(shuffle.c));
        let (sources, in_range) = match shuffle.mode {
            ShflMode::Up => sources(ShflMode::Up, by, clamp),
            ShflMode::Down => sources(ShflMode::Down, by, clamp),
            ShflMode::Bfly => sources(ShflMode::Bfly, by, clamp),
            ShflMode::Idx => sources(ShflMode::Idx, by, clamp),
        };
        let result = each_lane(|lane| values[sources[lane] as usize & 31]);
        if O::TRACES {
            let (warp, pc) = (self.warp.index, self.pc);
            self.observer.shuffled(warp, pc, active, &sources, values);
        }
        self.write32(shuffle.d, active, &result);
        if let Some(p) = shuffle.pred {
            self.warp.registers.set_pred(p, in_range, active);
        }
        if O::CHECKS {
            self.check_sources(shuffle, &sources, active);
        }
    }

    /// Informs the observer if lanes read undefined values.
    #[inline(always)]
    fn check_sources(&mut self, shuffle: &Shuffle, sources: &Lanes32, active: LaneMask) {
        let is_absent = |lane: u32| active >> (sources[lane as usize & 31] & 31) & 1 == 0;
        if self.observer.has_undefined(self.warp.index)
            || active != LaneMask::MAX && lanes(active).any(is_absent)
        {
            let at = (self.warp.index, self.pc);
            self.observer.exchanged(at, &CollectiveOp::Shfl(*shuffle), active, Some(sources));
        }
    }
}

/// Returns the source lane of each lane, and the lanes whose source is in range. The others keep
/// their own value.
#[inline(always)]
fn sources(mode: ShflMode, by: &Lanes32, clamp: &Lanes32) -> (Lanes32, LaneMask) {
    let source = |lane: usize| source_lane(mode, lane as u32, by[lane], clamp[lane]);
    let sources = each_lane(|lane| source(lane).unwrap_or(lane as u32));
    let bits = each_lane(|lane| u32::from(source(lane).is_some()) << lane);
    (sources, bits.iter().fold(0, |all, bit| all | bit))
}

/// Returns the source lane of `lane`, or `None` if it is out of range and the lane keeps its own
/// value.
#[inline(always)]
fn source_lane(mode: ShflMode, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = lane & segment | clamp & !segment;
    let (source, in_range) = match mode {
        ShflMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= max_lane as i32),
        ShflMode::Down => (lane + b, lane + b <= max_lane),
        ShflMode::Bfly => (lane ^ b, lane ^ b <= max_lane),
        ShflMode::Idx => {
            let source = lane & segment | b & !segment;
            (source, source <= max_lane)
        }
    };
    in_range.then_some(source & 31)
}
