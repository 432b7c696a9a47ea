//! Reads of memory that nobody has written.
//!
//! **Detects** reads and atomics, in global, shared and local memory, of bytes that nobody has
//! written: neither the host, by a copy or by setting them, nor a kernel. Shared memory is new to
//! every block, and local memory to every thread of it.
//!
//! **What counts as written:** of device memory, whatever was written since it was allocated, in the
//! order in which the machine executes; whether anything orders the write before the read is the
//! business of the detectors of races. A kernel that ran with the checks off may have written
//! everything that there was. Variables of a module are always written.
//!
//! **Can miss:** a value of 4 bytes or more counts as written word by word, and one of 2 as a
//! whole, if any of its bytes is: so that the padding of a structure may be copied along.
//! **May report wrongly:** a compiler that reads a word early and then does not use it, and padding
//! of 4 bytes and more.

use super::{Event, Finding, each_word};
use crate::counters::lanes;
use crate::memory::{Snapshot, Tracked};
use crate::observe::{Access, AccessKind, AccessSpace};
use crate::pattern::Pattern;
use crate::registers::LaneMask;
use crate::written::words_of;

/// Bits, one for each byte of some memory of a block.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn clear(&mut self, bytes: usize) {
        self.0.clear();
        self.0.resize(bytes.div_ceil(64), 0);
    }

    fn add(&mut self, offset: u64, bytes: u64) {
        for (word, mask) in words_of(offset, bytes) {
            if let Some(bits) = self.0.get_mut(word) {
                *bits |= mask;
            }
        }
    }

    /// True if one of these bytes has been written, or lies outside.
    fn has_some(&self, offset: u64, bytes: u64) -> bool {
        words_of(offset, bytes).any(|(word, mask)| self.0.get(word).is_none_or(|b| b & mask != 0))
    }

    fn has_all(&self, offset: u64, bytes: u64) -> bool {
        words_of(offset, bytes)
            .all(|(word, mask)| self.0.get(word).is_none_or(|b| b & mask == mask))
    }
}

/// The detector for one block at a time.
pub(super) struct Uninitialised<'a> {
    table: &'a Snapshot,
    /// The allocation that was accessed last.
    last: Option<Tracked<'a>>,
    shared: Bits,
    /// Of each warp, lane after lane.
    local: Vec<Bits>,
    local_bytes: u32,
}

impl<'a> Uninitialised<'a> {
    pub fn new(table: &'a Snapshot, local_bytes: u32) -> Self {
        Self {
            table,
            last: None,
            shared: Bits::default(),
            local: Vec::new(),
            local_bytes,
        }
    }

    pub fn start_block(&mut self, warps: u32, shared_bytes: u32) {
        self.shared.clear(shared_bytes as usize);
        self.local.resize_with(warps as usize, Bits::default);
        for bits in &mut self.local {
            bits.clear(32 * self.local_bytes as usize);
        }
    }

    /// Notes an access; returns a read of what nobody has written.
    #[inline(always)]
    pub fn access(&mut self, access: &Access<'_>, event: Event) -> Option<Finding> {
        match access.space {
            AccessSpace::Global if self.is_written(access) => None,
            AccessSpace::Global => self.global(access, event),
            AccessSpace::Shared => self.shared(access, event),
        }
    }

    /// True if the access lies within one allocation that has been written as a whole.
    #[inline(always)]
    fn is_written(&self, access: &Access<'_>) -> bool {
        let Some((first, length)) = span(access) else {
            return false;
        };
        let within = |tracked: &Tracked<'_>| tracked.region.contains(first, length);
        let last = self.last.as_ref().filter(|last| within(last));
        last.is_some_and(|tracked| tracked.written.is_complete())
    }

    fn global(&mut self, access: &Access<'_>, event: Event) -> Option<Finding> {
        let mut found = None;
        each_word(access, event, |address, event| {
            if !self
                .last
                .as_ref()
                .is_some_and(|last| last.region.contains(address, 1))
            {
                self.last = self.table.tracked(address);
            }
            let Some(Tracked { region, written }) = &self.last else {
                return;
            };
            let (offset, bytes) = (address - region.base, u64::from(access.bytes.min(4)));
            if access.kind != AccessKind::Store && !written.has_some(offset, bytes) {
                found = Some(Finding::Uninitialised {
                    event,
                    space: "global",
                    at: address,
                });
            }
            if access.kind != AccessKind::Load {
                written.add(offset, bytes);
            }
        });
        found
    }

    #[inline(always)]
    fn shared(&mut self, access: &Access<'_>, event: Event) -> Option<Finding> {
        if let Some((first, length)) = span(access).filter(|_| is_dense(access)) {
            match access.kind {
                AccessKind::Store => {
                    self.shared.add(first, length);
                    return None;
                }
                AccessKind::Load if self.shared.has_all(first, length) => return None,
                AccessKind::Load | AccessKind::Atomic => {}
            }
        }
        let mut found = None;
        each_word(access, event, |at, event| {
            let bytes = u64::from(access.bytes.min(4));
            if access.kind != AccessKind::Store && !self.shared.has_some(at, bytes) {
                found = Some(Finding::Uninitialised {
                    event,
                    space: "shared",
                    at,
                });
            }
            if access.kind != AccessKind::Load {
                self.shared.add(at, bytes);
            }
        });
        found
    }

    /// Notes an access by an asynchronous copy: it reads words that nobody has written, or will
    /// have written them.
    pub fn range(
        &mut self,
        space: AccessSpace,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let bytes = u64::from(bytes);
        let tracked = match space {
            AccessSpace::Shared => None,
            AccessSpace::Global => Some(self.table.tracked(start)?),
        };
        let first = start - tracked.map_or(0, |t| t.region.base);
        if !event.is_load() {
            match tracked {
                Some(tracked) => tracked.written.add(first, bytes),
                None => self.shared.add(first, bytes),
            }
            return None;
        }
        let is_written = |offset: &u64| match tracked {
            Some(tracked) => tracked.written.has_some(*offset, 4),
            None => self.shared.has_some(*offset, 4),
        };
        let unwritten = (first..first + bytes).step_by(4).find(|o| !is_written(o))?;
        let (space, at) = match space {
            AccessSpace::Shared => ("shared", unwritten),
            AccessSpace::Global => ("global", start + unwritten - first),
        };
        Some(Finding::Uninitialised { event, space, at })
    }

    /// Notes an access to local memory, each lane's to its own.
    pub fn local(
        &mut self,
        kind: AccessKind,
        addresses: &[u64; 32],
        bytes: u32,
        mask: LaneMask,
        event: Event,
    ) -> Option<Finding> {
        let bits = self.local.get_mut(event.warp() as usize)?;
        let mut found = None;
        for lane in lanes(mask) {
            let own = u64::from(lane) * u64::from(self.local_bytes);
            let at = addresses[lane as usize];
            if at.saturating_add(bytes.into()) > self.local_bytes.into() {
                continue;
            }
            for word in (at..at + u64::from(bytes)).step_by(4) {
                let bytes = u64::from(bytes.min(4));
                if kind == AccessKind::Store {
                    bits.add(own + word, bytes);
                } else if !bits.has_some(own + word, bytes) {
                    let event = event.by(lane, 0);
                    found = Some(Finding::Uninitialised {
                        event,
                        space: "local",
                        at: word,
                    });
                }
            }
        }
        found
    }
}

/// The first address of an affine access, and the bytes from there to its end.
#[inline(always)]
fn span(access: &Access<'_>) -> Option<(u64, u64)> {
    let Pattern::Affine { first, step, count } = access.pattern else {
        return None;
    };
    let reach = step.unsigned_abs().checked_mul(u64::from(count) - 1)?;
    let lowest = if step < 0 {
        first.checked_sub(reach)?
    } else {
        first
    };
    Some((lowest, reach.checked_add(access.bytes.into())?))
}

/// True if an affine access leaves no gaps.
#[inline(always)]
fn is_dense(access: &Access<'_>) -> bool {
    matches!(access.pattern, Pattern::Affine { step, .. } if step.unsigned_abs() <= access.bytes.into())
}
