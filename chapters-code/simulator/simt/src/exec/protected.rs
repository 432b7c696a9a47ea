//! Stops a kernel that writes to memory which must stay as it is ([`crate::Options::write_protected`]), also if it
//! stores what is there already.

use std::ops::Range;

use super::Exec;
use crate::access::AccessKind;
use crate::counters::lanes;
use crate::fault::{FaultDetail, FaultKind, Step, Trap};
use crate::observe::Observer;
use crate::registers::LaneMask;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Fails if one of the lanes is about to write protected memory.
    #[inline(always)]
    pub(super) fn check_protected(
        &self,
        kind: AccessKind,
        bytes: u32,
        addresses: impl FnOnce() -> [u64; 32],
        mask: LaneMask,
    ) -> Step {
        match !O::CHECKS || self.grid.options.write_protected.is_empty() {
            true => Ok(()),
            false => self.find_protected(kind, bytes, &addresses(), mask),
        }
    }

    #[inline(never)]
    fn find_protected(
        &self,
        kind: AccessKind,
        bytes: u32,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let protected = &self.grid.options.write_protected;
        for lane in lanes(mask) {
            let begin = addresses[lane as usize];
            let Some(byte) = first_in(protected, begin..begin.saturating_add(bytes.into())) else {
                continue;
            };
            let location = self.grid.memory.describe(byte);
            let cause = format!(
                "{kind} of {bytes} bytes in global memory at {begin:#x}, of which byte {byte:#x} is write-protected: {location}"
            );
            let trap = Trap::new(FaultKind::IllegalAddress, Some(lane), cause);
            let trap = trap.within(Some(simt_report::Space::Global));
            return Err(trap.detailed(FaultDetail::WriteProtected(byte)));
        }
        Ok(())
    }
}

/// The first of `bytes` that is in one of the ranges, which are in order.
fn first_in(ranges: &[Range<u64>], bytes: Range<u64>) -> Option<u64> {
    let after = ranges.partition_point(|range| range.end <= bytes.start);
    let range = ranges.get(after)?;
    (range.start < bytes.end).then_some(range.start.max(bytes.start))
}

#[cfg(test)]
mod tests {
    use super::first_in;

    #[test]
    fn bytes_are_found_in_the_ranges_that_they_touch() {
        let ranges = [10..20, 30..31];
        for (bytes, found) in [
            (0..10, None),
            (8..12, Some(10)),
            (19..25, Some(19)),
            (20..30, None),
            (20..40, Some(30)),
        ] {
            assert_eq!(first_in(&ranges, bytes.clone()), found, "{bytes:?}");
        }
        assert_eq!(first_in(&ranges, 31..99), None);
    }
}
