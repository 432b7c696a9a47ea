//! Special registers.

use super::Decoded;
use super::kernel::Decoder;
use super::registers::Slot;
use crate::ir::{Alu, Op, R32, R64, Special, SpecialSlot};

/// A special register that changes while a warp runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Low,
    High,
    Cycles,
    Nanoseconds,
    NanosecondsLow,
    NanosecondsHigh,
}

/// Returns the clock that a name stands for.
pub(super) fn clock(name: &str) -> Option<Clock> {
    Some(match name {
        "%clock" => Clock::Low,
        "%clock_hi" => Clock::High,
        "%clock64" => Clock::Cycles,
        "%globaltimer" => Clock::Nanoseconds,
        "%globaltimer_lo" => Clock::NanosecondsLow,
        "%globaltimer_hi" => Clock::NanosecondsHigh,
        _ => return None,
    })
}

/// Returns the special register that a name stands for, if its value is fixed.
fn fixed(name: &str, component: &str) -> Option<Special> {
    let axis = match component {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let vector = match name {
        "%tid" => Some(Special::Tid as fn(u8) -> Special),
        "%ntid" => Some(Special::Ntid as fn(u8) -> Special),
        "%ctaid" => Some(Special::Ctaid as fn(u8) -> Special),
        "%nctaid" => Some(Special::Nctaid as fn(u8) -> Special),
        "%clusterid" => Some(Special::ClusterId as fn(u8) -> Special),
        "%nclusterid" => Some(Special::NclusterId as fn(u8) -> Special),
        "%cluster_ctaid" => Some(Special::ClusterCtaid as fn(u8) -> Special),
        "%cluster_nctaid" => Some(Special::ClusterNctaid as fn(u8) -> Special),
        _ => None,
    };
    if let Some(vector) = vector {
        return axis.map(vector);
    }
    let scalar = match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NwarpId,
        "%smid" => Special::SmId,
        "%nsmid" => Special::NsmId,
        "%gridid" => Special::GridId,
        "%lanemask_eq" => Special::LaneMaskEq,
        "%lanemask_lt" => Special::LaneMaskLt,
        "%lanemask_le" => Special::LaneMaskLe,
        "%lanemask_gt" => Special::LaneMaskGt,
        "%lanemask_ge" => Special::LaneMaskGe,
        "%dynamic_smem_size" => Special::DynamicSharedSize,
        "%total_smem_size" => Special::TotalSharedSize,
        "%cluster_ctarank" => Special::ClusterCtarank,
        "%cluster_nctarank" => Special::ClusterNctarank,
        _ => Special::EnvReg(name.strip_prefix("%envreg")?.parse().ok().filter(|n| *n < 32)?),
    };
    component.is_empty().then_some(scalar)
}

impl Decoder<'_, '_, '_> {
    /// Returns the slot of a special register, or `None` if the name is none. A clock is read
    /// first.
    pub fn special(&mut self, name: &str, component: &str) -> Decoded<Option<Slot>> {
        if !name.starts_with('%') {
            return Ok(None);
        }
        if let Some(special) = fixed(name, component) {
            return Ok(Some(match self.registers.special(special)? {
                SpecialSlot::R32(slot) => Slot::R32(slot),
                SpecialSlot::R64(slot) => Slot::R64(slot),
            }));
        }
        clock(name).map(|clock| self.read_clock(clock)).transpose()
    }

    /// Returns the slot of `%is_explicit_cluster`, the only special register that is a predicate.
    pub fn is_explicit_cluster(&mut self) -> Decoded<SpecialSlot> {
        self.registers.special(Special::IsExplicitCluster)
    }

    /// Appends a read of a clock into a scratch register.
    fn read_clock(&mut self, clock: Clock) -> Decoded<Slot> {
        match clock {
            Clock::Cycles | Clock::Nanoseconds => {
                let d = self.registers.scratch64()?;
                self.read_clock64(clock, d);
                Ok(Slot::R64(d))
            }
            _ => {
                let d = self.registers.scratch32()?;
                self.read_clock32(clock, d)?;
                Ok(Slot::R32(d))
            }
        }
    }

    /// Appends a read of a 64-bit clock.
    pub fn read_clock64(&mut self, clock: Clock, d: R64) {
        self.emit(Op::ReadClock64 { d, global_timer: clock != Clock::Cycles });
    }

    /// Appends a read of a 32-bit clock, or of half of a 64-bit one.
    pub fn read_clock32(&mut self, clock: Clock, d: R32) -> Decoded<()> {
        if matches!(clock, Clock::Low | Clock::High) {
            self.emit(Op::ReadClock { d, high: clock == Clock::High });
            return Ok(());
        }
        let a = self.registers.scratch64()?;
        self.read_clock64(clock, a);
        let (lo, hi) = match clock {
            Clock::NanosecondsHigh => (None, Some(d)),
            _ => (Some(d), None),
        };
        self.emit(Op::Alu(Alu::Unpack64 { lo, hi, a }));
        Ok(())
    }
}
