//! Reads of memory that nobody has written.
//!
//! **Detects** reads and atomics, in global, shared and local memory, of bytes that nobody has
//! written: neither the host, by a copy or by setting them, nor a kernel. Shared memory is new to
//! every block, and local memory to every thread of it.
//!
//! **Only values that are used count.** A load is reported where its value may reach an instruction
//! that does more than copy it, choose it with `selp`, or compare it for a predicate that `and` or `or`
//! combines with another: see [`ptx::ir::Kernel::uses_result`]. That holds for each word of a vector
//! by itself, and is decided by the code alone. So code may load padding, if it then masks it. An
//! `atom.exch` whose result is unused is a write; any other atomic reads. compute-sanitizer's
//! initcheck reports a read whether or not its value is used.
//!
//! **What counts as written:** of device memory, whatever was written since it was allocated, in the
//! order in which the machine executes; whether anything orders the write before the read is the
//! business of the detectors of races. A kernel that ran with the checks off may have written
//! everything that there was. Variables of a module are always written.
//!
//! **Can miss:** bytes of a value of which others are written, as a value of 4 bytes or more counts as
//! written word by word, and one of 2 as a whole, so that the padding of a structure may be copied along
//! (`one_byte_of_a_word`); a value that is used only through a choice or a combined comparison, masked
//! or not (`unwritten_value_chosen`).
//! **May report wrongly:** a value that arithmetic uses and a later choice drops; padding of 4 bytes
//! and more that is stored elsewhere.

use std::collections::HashMap;

use ptx::ir::{AtomOp, Kernel, Op};

use super::{Event, Finding, each_word};
use crate::counters::lanes;
use crate::memory::{Snapshot, Tracked};
use crate::observe::{Access, AccessKind, AccessSpace};
use crate::pattern::Pattern;
use crate::registers::LaneMask;
use crate::written::Written;

/// The detector for one block at a time.
pub(super) struct Uninitialised<'a> {
    kernel: &'a Kernel,
    /// For the loads and atomics that have read too early: see [`Self::used_words`].
    used: HashMap<u32, u8>,
    table: &'a Snapshot,
    /// The allocations that were accessed last, the latest first.
    last: [Option<Tracked<'a>>; 2],
    shared: Written,
    /// Of each warp, lane after lane.
    local: Vec<Written>,
    local_bytes: u32,
}

impl<'a> Uninitialised<'a> {
    pub fn new(kernel: &'a Kernel, table: &'a Snapshot, shared_bytes: u32) -> Self {
        Self {
            kernel,
            used: HashMap::new(),
            table,
            last: [None; 2],
            shared: Written::nothing(shared_bytes.into()),
            local: Vec::new(),
            local_bytes: kernel.local_bytes,
        }
    }

    pub fn start_block(&mut self, warps: u32) {
        self.shared.clear();
        let local = 32 * u64::from(self.local_bytes);
        self.local
            .resize_with(warps as usize, || Written::nothing(local));
        self.local.iter_mut().for_each(Written::clear);
    }

    /// Notes an access; returns a read of what nobody has written.
    #[inline(always)]
    pub fn access(&mut self, access: &Access<'_>, event: Event) -> Option<Finding> {
        if access.space == AccessSpace::Shared && self.shared.is_complete() {
            return None;
        }
        let (first, length) = span(access)?;
        match access.space {
            AccessSpace::Global => {
                let latest = self.last[0].as_ref();
                let latest = latest.filter(|tracked| tracked.region.contains(first, length));
                if latest.is_some_and(|t| first - t.region.base + length <= t.written.prefix()) {
                    return None;
                }
                self.global(access, event, (first, length))
            }
            AccessSpace::Shared if first.saturating_add(length) <= self.shared.prefix() => None,
            AccessSpace::Shared => self.shared(access, event, (first, length)),
        }
    }

    /// The allocation that contains an address.
    #[inline(always)]
    fn tracked(&mut self, address: u64) -> Option<Tracked<'a>> {
        let is_in = |tracked: &Option<Tracked<'_>>| {
            tracked.is_some_and(|tracked| tracked.region.contains(address, 1))
        };
        if !is_in(&self.last[0]) {
            self.last.swap(0, 1);
        }
        if !is_in(&self.last[0]) {
            self.last[0] = Some(self.table.tracked(address)?);
        }
        self.last[0]
    }

    #[inline(never)]
    fn global(
        &mut self,
        access: &Access<'_>,
        event: Event,
        (first, length): (u64, u64),
    ) -> Option<Finding> {
        if let Some(Tracked { region, written }) = self.tracked(first)
            && region.contains(first, length)
            && is_known(written, access, (first - region.base, length))
        {
            return None;
        }
        let mut unwritten = Unwritten::default();
        each_word(access, event, |address, event| {
            let Some(Tracked { region, written }) = self.tracked(address) else {
                return;
            };
            if !note(written, access, address - region.base) {
                unwritten.note(access, address, event);
            }
        });
        self.find(&unwritten, "global")
    }

    #[inline(never)]
    fn shared(&mut self, access: &Access<'_>, event: Event, span: (u64, u64)) -> Option<Finding> {
        if is_known(&self.shared, access, span) {
            return None;
        }
        let mut unwritten = Unwritten::default();
        each_word(access, event, |at, event| {
            if !note(&self.shared, access, at) {
                unwritten.note(access, at, event);
            }
        });
        self.find(&unwritten, "shared")
    }

    /// The last read of a word that nobody has written and whose value is used.
    #[inline(always)]
    fn find(&mut self, unwritten: &Unwritten, space: &'static str) -> Option<Finding> {
        let used = self.used_words(unwritten.0.iter().flatten().next()?.0.pc);
        let words = unwritten.0.iter().enumerate().rev();
        let is_used = |word: usize| used >> word & 1 == 1;
        let mut found = words.filter_map(|(word, read)| read.filter(|_| is_used(word)));
        let (event, at) = found.next()?;
        Some(Finding::Uninitialised { event, space, at })
    }

    /// Of the words that an instruction reads in each lane, a bit each, those whose values are used.
    #[cold]
    fn used_words(&mut self, pc: u32) -> u8 {
        let kernel = self.kernel;
        *self
            .used
            .entry(pc)
            .or_insert_with(|| used_words(kernel, pc))
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
        let written = self.local.get(event.warp() as usize)?;
        let mut unwritten = Unwritten::default();
        for lane in lanes(mask) {
            let own = u64::from(lane) * u64::from(self.local_bytes);
            let at = addresses[lane as usize];
            if at.saturating_add(bytes.into()) > self.local_bytes.into() {
                continue;
            }
            for (number, word) in (at..at + u64::from(bytes)).step_by(4).enumerate() {
                let bytes = u64::from(bytes.min(4));
                if kind != AccessKind::Store && !written.has_some(own + word, bytes) {
                    unwritten.0[number] = Some((event.by(lane, 0), word));
                }
                if kind != AccessKind::Load {
                    written.add(own + word, bytes);
                }
            }
        }
        self.find(&unwritten, "local")
    }
}

/// For each word of a lane's access, the last read by a lane for which nobody has written it: what was
/// read, and where.
#[derive(Default)]
struct Unwritten([Option<(Event, u64)>; 4]);

impl Unwritten {
    #[cold]
    fn note(&mut self, access: &Access<'_>, at: u64, event: Event) {
        let word = (at - access.addresses.of(event.lane())) / 4;
        self.0[word as usize & 3] = Some((event, at));
    }
}

/// See [`Uninitialised::used_words`].
fn used_words(kernel: &Kernel, pc: u32) -> u8 {
    let is_used = |register| kernel.uses_result(pc, register);
    match &kernel.code[pc as usize].op {
        Op::Ld(load) => {
            let elements = load.d[..usize::from(load.len)].iter().enumerate();
            let bytes = crate::exec::element_bytes(load.ty);
            let words = |element: usize| match bytes {
                8 => 0b11 << (2 * element),
                _ => 1 << (element * bytes as usize / 4),
            };
            let used = elements.filter(|(_, d)| d.is_some_and(is_used));
            used.fold(0, |all, (element, _)| all | words(element))
        }
        Op::Atom(atom) if atom.op == AtomOp::Exch => match atom.d {
            Some(d) if is_used(d) => u8::MAX,
            _ => 0,
        },
        _ => u8::MAX,
    }
}

/// Notes what an access does to a word of some memory. False if it reads what nobody has written.
#[inline(always)]
fn note(written: &Written, access: &Access<'_>, offset: u64) -> bool {
    let bytes = u64::from(access.bytes.min(4));
    let is_read_too_early = access.kind != AccessKind::Store && !written.has_some(offset, bytes);
    if access.kind != AccessKind::Load {
        written.add(offset, bytes);
    }
    !is_read_too_early
}

/// Notes an access that leaves no gaps in `span`, as far as it need not be looked at lane by lane.
/// True if that is all.
#[inline(always)]
fn is_known(written: &Written, access: &Access<'_>, (first, length): (u64, u64)) -> bool {
    if first.saturating_add(length) <= written.prefix() {
        return true;
    }
    if !is_dense(access) {
        return false;
    }
    if access.kind == AccessKind::Store {
        written.add(first, length);
        return true;
    }
    written.has_all(first, length)
}

/// The first address of an access, and the bytes from there to its end. `None` if that is beyond all
/// memory.
#[inline(always)]
fn span(access: &Access<'_>) -> Option<(u64, u64)> {
    let (lowest, highest) = match access.pattern {
        Pattern::Affine { first, step, count } => {
            let reach = step.unsigned_abs().checked_mul(u64::from(count) - 1)?;
            if step < 0 {
                (first.checked_sub(reach)?, first)
            } else {
                (first, first.checked_add(reach)?)
            }
        }
        Pattern::Scattered => {
            let all = lanes(access.mask).map(|lane| access.addresses.of(lane));
            all.fold((u64::MAX, 0), |(lowest, highest), address| {
                (lowest.min(address), highest.max(address))
            })
        }
    };
    Some((lowest, (highest - lowest).checked_add(access.bytes.into())?))
}

/// True if an affine access leaves no gaps.
#[inline(always)]
fn is_dense(access: &Access<'_>) -> bool {
    matches!(access.pattern, Pattern::Affine { step, .. } if step.unsigned_abs() <= access.bytes.into())
}
