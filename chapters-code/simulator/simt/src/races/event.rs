//! One access by one thread, packed into three words. Histories consist of these events.

use crate::access::{AccessKind, Strength};

/// In an event's epoch, the bit of asynchronous accesses.
const ASYNCHRONOUS: u32 = 1 << 31;

/// An access by one thread to one word of memory.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub pc: u32,
    /// The warp's epoch at the time (see [`super::clock`]); 0 for no event. For an asynchronous
    /// access it is [`ASYNCHRONOUS`] and the copy's number. That is larger than all epochs, so that
    /// no synchronisation of warps orders it.
    pub epoch: u32,
    /// Lane (5 bits), warp (5), touched bytes of the word (4), kind (2), strength (2) and, for
    /// asynchronous accesses, the number of the agent from 1 (14).
    pub(super) tag: u32,
}

/// The bits of an event's tag that identify its thread.
const THREAD: u32 = 1023;
const WARP: u32 = 5;
const BYTES: u32 = 10;
const KIND: u32 = 14;
/// The position of the two bits of a [`Strength`].
const STRENGTH: u32 = 16;
const AGENT: u32 = 18;

/// The bits of an event's tag that identify its warp.
pub(super) const WARP_BITS: u32 = 31 << WARP;

/// The number of agents of a block that are distinguished.
pub(super) const MOST_AGENTS: u32 = (1 << (32 - AGENT)) - 1;
/// The bits of an event's tag that identify the thread and, for asynchronous accesses, its agent.
pub(super) const THREAD_OR_AGENT: u32 = THREAD | MOST_AGENTS << AGENT;

/// Encodes a strength in two bits. The lower one is set if it also holds between blocks.
const fn bits(strength: Strength) -> u32 {
    match strength {
        Strength::Weak => 0,
        Strength::Strong => 1,
        Strength::StrongInBlock => 2,
        Strength::Volatile => 3,
    }
}

impl Event {
    /// Creates an access by lane 0 that touches no bytes yet.
    pub fn new(pc: u32, epoch: u32, warp: u32, kind: AccessKind, strength: Strength) -> Self {
        let kind = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        let tag = warp << WARP | kind << KIND | bits(strength) << STRENGTH;
        Self { pc, epoch, tag }
    }

    /// Returns the same access by lane `lane` to these bytes of a word.
    #[inline(always)]
    pub fn by(self, lane: u32, bytes: u32) -> Self {
        Self { tag: self.tag | lane | bytes << BYTES, ..self }
    }

    /// Returns the same access to all bytes of a word.
    pub fn with_all_bytes(self) -> Self {
        self.by(0, 0xf)
    }

    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.epoch != 0
    }

    #[inline(always)]
    pub fn lane(&self) -> u32 {
        self.tag & 31
    }

    #[inline(always)]
    pub fn warp(&self) -> u32 {
        self.tag >> WARP & 31
    }

    /// Returns the thread's number in its block. For an asynchronous access it is the thread that
    /// started it.
    #[inline(always)]
    pub fn thread(&self) -> u32 {
        self.tag & THREAD
    }

    /// Whether both are by one thread, or by one agent for one thread.
    #[inline(always)]
    pub fn is_by_thread_of(&self, other: &Self) -> bool {
        (self.tag ^ other.tag) & THREAD_OR_AGENT == 0
    }

    /// Returns the same access as an asynchronous one by an agent; `number` is that of the agent's
    /// copy or group.
    pub fn by_agent(self, agent: u32, number: u32) -> Self {
        Self { tag: self.tag | (agent + 1) << AGENT, epoch: ASYNCHRONOUS | number, ..self }
    }

    /// Returns the agent that makes the access.
    pub fn agent(&self) -> Option<u32> {
        (self.tag >> AGENT).checked_sub(1)
    }

    /// Returns its epoch, or the number of its copy.
    pub fn number(&self) -> u32 {
        self.epoch & !ASYNCHRONOUS
    }

    /// Whether it is asynchronous.
    #[inline(always)]
    pub fn is_asynchronous(&self) -> bool {
        self.tag >> AGENT != 0
    }

    pub fn kind(&self) -> AccessKind {
        match self.tag >> KIND & 3 {
            0 => AccessKind::Load,
            1 => AccessKind::Store,
            _ => AccessKind::Atomic,
        }
    }

    #[inline(always)]
    pub fn is_load(&self) -> bool {
        self.tag >> KIND & 3 == 0
    }

    #[inline(always)]
    pub fn is_atomic(&self) -> bool {
        self.tag >> KIND & 3 == 2
    }

    #[inline(always)]
    pub fn is_strong(&self) -> bool {
        self.strength() != bits(Strength::Weak)
    }

    #[inline(always)]
    fn strength(&self) -> u32 {
        self.tag >> STRENGTH & 3
    }

    /// Whether they share bytes and one of them writes.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        let shared_bytes = self.tag & other.tag & 0xf << BYTES != 0;
        shared_bytes && !(self.is_load() && other.is_load())
    }

    /// Whether they conflict within one block: they share bytes, one of them writes, and they are
    /// not both atomic.
    #[inline(always)]
    pub fn conflicts(&self, other: &Self) -> bool {
        self.overlaps(other) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether both are indivisible for threads of one block.
    #[inline(always)]
    pub fn both_strong(&self, other: &Self) -> bool {
        self.is_strong() && other.is_strong()
    }

    /// Whether both are indivisible for threads of different blocks.
    #[inline(always)]
    pub fn both_strong_between_blocks(&self, other: &Self) -> bool {
        self.tag & other.tag & 1 << STRENGTH != 0
    }

    /// Whether it is indivisible for threads of other blocks.
    pub fn is_strong_between_blocks(&self) -> bool {
        self.both_strong_between_blocks(self)
    }

    /// Returns the bytes of its word that it touches, one bit each.
    pub fn byte_mask(&self) -> u32 {
        self.tag >> BYTES & 0xf
    }

    /// Whether its scope is the block.
    pub fn is_of_block_scope(&self) -> bool {
        self.strength() == bits(Strength::StrongInBlock)
    }

    /// Whether both are indivisible and not both merely volatile.
    #[inline(always)]
    pub fn both_atomic_or_relaxed(&self, other: &Self) -> bool {
        let volatile = bits(Strength::Volatile);
        self.both_strong(other) && (self.strength(), other.strength()) != (volatile, volatile)
    }

    /// Whether both are of one kind and made by one instruction.
    #[inline(always)]
    pub fn same_instruction(&self, other: &Self) -> bool {
        self.pc == other.pc && (self.tag ^ other.tag) >> KIND & 3 == 0
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, warp, lane) = (self.kind(), self.warp(), self.lane());
        write!(f, "{kind:?} by warp {warp}, lane {lane} at {}", self.pc)
    }
}
