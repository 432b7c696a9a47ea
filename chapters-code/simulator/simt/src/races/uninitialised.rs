//! Reads of uninitialised memory.
//!
//! **Detects** reads and atomics, in global, shared and local memory, of bytes that neither the
//! host nor a kernel has written. Shared memory starts uninitialised in every block, and local
//! memory in every thread.
//!
//! **Only values that are used count.** A load is reported if its value may reach an instruction
//! that does more than copy it, select it with `selp`, or compare it for a predicate that `and` or
//! `or` combines with another: see [`ptx::ir::Kernel::uses_result`]. This is decided by the code
//! alone, for each word of a vector separately. Code may therefore load padding if it masks it
//! afterwards. An `atom.exch` with an unused result is a write; any other atomic reads. The
//! initcheck of compute-sanitizer reports a read whether or not its value is used.
//!
//! **What counts as written:** in device memory, all bytes written since their allocation, in the
//! order of execution. The race detectors check whether anything orders the write before the read.
//! A kernel that ran with the checks off may have written everything. Variables of a module are
//! always written.
//!
//! **Can miss:** some uninitialised bytes of a value whose other bytes are written, because a value of
//! 4 bytes or more counts as written word by word and one of 2 bytes as a whole, so that code may copy
//! the padding of a structure (`one_byte_of_a_word`); a value that is used only through a selection or
//! a combined comparison, masked or not (`unwritten_value_chosen`).
//! **May report wrongly:** a value that arithmetic uses and a later selection drops; padding of 4
//! bytes and more that is stored elsewhere.

use std::collections::HashMap;

use ptx::ir::{AtomOp, Kernel, Op};
use simt_report::Space;

use super::{Event, Finding, each_word};
use crate::access::{Access, AccessKind, AccessSpace};
use crate::counters::lanes;
use crate::init_mask::InitMask;
use crate::memory::{Snapshot, Tracked};
use crate::pattern::Pattern;
use crate::registers::LaneMask;

/// The detector for one block at a time.
pub(super) struct Uninitialised<'a> {
    kernel: &'a Kernel,
    /// For the loads and atomics with uninitialised reads: see [`Self::used_words`].
    used: HashMap<u32, u8>,
    memory: &'a Snapshot,
    /// The allocations that were accessed last, the latest first.
    last: [Option<Tracked<'a>>; 2],
    shared: InitMask,
    /// The local memory of each warp, one lane after the other.
    local: Vec<InitMask>,
    local_bytes: u32,
}

impl<'a> Uninitialised<'a> {
    pub fn new(kernel: &'a Kernel, memory: &'a Snapshot, shared_bytes: u32) -> Self {
        Self {
            kernel,
            used: HashMap::new(),
            memory,
            last: [None; 2],
            shared: InitMask::uninitialised(shared_bytes.into()),
            local: Vec::new(),
            local_bytes: kernel.local_bytes,
        }
    }

    pub fn start_block(&mut self, warps: u32) {
        self.shared.clear();
        let local = 32 * u64::from(self.local_bytes);
        self.local.resize_with(warps as usize, || InitMask::uninitialised(local));
        self.local.iter_mut().for_each(InitMask::clear);
    }

    /// Notes an access. Returns an uninitialised read.
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
                if latest.is_some_and(|t| first - t.region.base + length <= t.init_mask.prefix()) {
                    return None;
                }
                self.global(access, event, (first, length))
            }
            AccessSpace::Shared if first.saturating_add(length) <= self.shared.prefix() => None,
            AccessSpace::Shared => self.shared(access, event, (first, length)),
        }
    }

    /// Returns the allocation that contains an address.
    #[inline(always)]
    fn tracked(&mut self, address: u64) -> Option<Tracked<'a>> {
        let is_in = |tracked: &Option<Tracked<'_>>| {
            tracked.is_some_and(|tracked| tracked.region.contains(address, 1))
        };
        if !is_in(&self.last[0]) {
            self.last.swap(0, 1);
        }
        if !is_in(&self.last[0]) {
            self.last[0] = Some(self.memory.tracked(address)?);
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
        if let Some(Tracked { region, init_mask }) = self.tracked(first)
            && region.contains(first, length)
            && is_known(init_mask, access, (first - region.base, length))
        {
            return None;
        }
        let mut unwritten = Unwritten::default();
        each_word(access, event, |address, event| {
            let Some(Tracked { region, init_mask }) = self.tracked(address) else {
                return;
            };
            if !note(init_mask, access, address - region.base) {
                unwritten.note(access, address, event);
            }
        });
        self.find(&unwritten, Space::Global)
    }

    #[inline(never)]
    fn shared(&mut self, access: &Access<'_>, event: Event, span: (u64, u64)) -> Option<Finding> {
        let unwritten = unwritten(&self.shared, access, event, span)?;
        self.find(&unwritten, Space::Shared)
    }

    /// Notes an access to the shared memory of a block of the cluster, which has this mask.
    pub fn access_shared(
        &mut self,
        shared: &InitMask,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let unwritten = unwritten(shared, access, event, span(access)?)?;
        self.find(&unwritten, Space::Shared)
    }

    /// Returns the last uninitialised read of a word whose value is used.
    #[inline(always)]
    fn find(&mut self, unwritten: &Unwritten, space: Space) -> Option<Finding> {
        let used = self.used_words(unwritten.0.iter().flatten().next()?.0.pc);
        let words = unwritten.0.iter().enumerate().rev();
        let is_used = |word: usize| used >> word & 1 == 1;
        let mut found = words.filter_map(|(word, read)| read.filter(|_| is_used(word)));
        let (event, at) = found.next()?;
        Some(Finding::Uninitialised { event, space, at })
    }

    /// Returns which of the words that an instruction reads per lane are used, one bit per word.
    #[cold]
    fn used_words(&mut self, pc: u32) -> u8 {
        let kernel = self.kernel;
        *self.used.entry(pc).or_insert_with(|| used_words(kernel, pc))
    }

    /// Notes an access by an asynchronous copy, which reads uninitialised words or initialises
    /// words.
    pub fn range(
        &mut self,
        space: AccessSpace,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let bytes = u64::from(bytes);
        let tracked = match space {
            AccessSpace::Shared => None,
            AccessSpace::Global => Some(self.memory.tracked(start)?),
        };
        let first = start - tracked.map_or(0, |t| t.region.base);
        if !event.is_load() {
            match tracked {
                Some(tracked) => tracked.init_mask.add(first, bytes),
                None => self.shared.add(first, bytes),
            }
            return None;
        }
        let is_written = |offset: &u64| match tracked {
            Some(tracked) => tracked.init_mask.has_some(*offset, 4),
            None => self.shared.has_some(*offset, 4),
        };
        let unwritten = (first..first + bytes).step_by(4).find(|o| !is_written(o))?;
        let at = start - first + unwritten;
        let space = space.into();
        Some(Finding::Uninitialised { event, space, at })
    }

    /// Notes an access to local memory, where each lane accesses its own.
    pub fn local(
        &mut self,
        kind: AccessKind,
        addresses: &[u64; 32],
        bytes: u32,
        mask: LaneMask,
        event: Event,
    ) -> Option<Finding> {
        let init_mask = self.local.get(event.warp() as usize)?;
        let mut unwritten = Unwritten::default();
        for lane in lanes(mask) {
            let own = u64::from(lane) * u64::from(self.local_bytes);
            let at = addresses[lane as usize];
            if at.saturating_add(bytes.into()) > self.local_bytes.into() {
                continue;
            }
            for (number, word) in (at..at + u64::from(bytes)).step_by(4).enumerate() {
                let bytes = u64::from(bytes.min(4));
                if kind != AccessKind::Store && !init_mask.has_some(own + word, bytes) {
                    unwritten.0[number] = Some((event.by(lane, 0), word));
                }
                if kind != AccessKind::Load {
                    init_mask.add(own + word, bytes);
                }
            }
        }
        self.find(&unwritten, Space::Local)
    }
}

/// For each word of a lane's access, the last uninitialised read by a lane: the event and its
/// address.
#[derive(Default)]
struct Unwritten([Option<(Event, u64)>; 4]);

impl Unwritten {
    #[cold]
    fn note(&mut self, access: &Access<'_>, at: u64, event: Event) {
        let word = (at - access.addresses.of(event.lane())) / 4;
        self.0[word as usize & 3] = Some((event, at));
    }
}

/// Notes an access to shared memory. Returns the uninitialised reads, if it need be looked at lane by
/// lane.
fn unwritten(
    shared: &InitMask,
    access: &Access<'_>,
    event: Event,
    span: (u64, u64),
) -> Option<Unwritten> {
    if is_known(shared, access, span) {
        return None;
    }
    let mut unwritten = Unwritten::default();
    each_word(access, event, |at, event| {
        if !note(shared, access, at) {
            unwritten.note(access, at, event);
        }
    });
    Some(unwritten)
}

/// Computes [`Uninitialised::used_words`].
fn used_words(kernel: &Kernel, pc: u32) -> u8 {
    let is_used = |register| kernel.uses_result(pc, register);
    match &kernel.code[pc as usize].op {
        Op::Ld(load) => {
            let elements = load.d[..usize::from(load.len)].iter().enumerate();
            let bytes = load.ty.bytes();
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

/// Notes an access to a word of some memory. Returns false if it reads uninitialised bytes.
#[inline(always)]
fn note(init_mask: &InitMask, access: &Access<'_>, offset: u64) -> bool {
    let bytes = u64::from(access.bytes.min(4));
    let is_read_too_early = access.kind != AccessKind::Store && !init_mask.has_some(offset, bytes);
    if access.kind != AccessKind::Load {
        init_mask.add(offset, bytes);
    }
    !is_read_too_early
}

/// Notes an access that leaves no gaps in `span`, as far as it need not be checked lane by lane.
/// Returns true if that is all.
#[inline(always)]
fn is_known(init_mask: &InitMask, access: &Access<'_>, (first, length): (u64, u64)) -> bool {
    if first.saturating_add(length) <= init_mask.prefix() {
        return true;
    }
    if !is_dense(access) {
        return false;
    }
    if access.kind == AccessKind::Store {
        init_mask.add(first, length);
        return true;
    }
    init_mask.has_all(first, length)
}

/// Returns the first address of an access and the bytes from there to its end, or `None` if the end
/// is beyond all memory.
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

/// Whether an affine access leaves no gaps.
#[inline(always)]
fn is_dense(access: &Access<'_>) -> bool {
    matches!(access.pattern, Pattern::Affine { step, .. } if step.unsigned_abs() <= access.bytes.into())
}
