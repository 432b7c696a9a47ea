//! One access by one thread, packed into three words: histories are made of these.

use crate::observe::{AccessKind, Strength};

/// In the place of an interval: the access is asynchronous.
const ASYNCHRONOUS: u32 = 1 << 31;

/// The actor that agent 0 is.
pub(super) const FIRST_AGENT: u32 = 32;

/// What one thread did to one word of memory.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub pc: u32,
    /// The warp's interval at the time (see [`super::clock`]); 0 for no event at all. Of an
    /// asynchronous access it is [`ASYNCHRONOUS`] and the copy's number: later than all intervals, so
    /// that no synchronisation of warps orders it.
    pub interval: u32,
    /// Lane (5 bits), warp (5), bytes of the word that it touched (4), kind (2),
    /// strength (2), and, if it is asynchronous, the number of the agent that does it, from 1 (14).
    pub(super) tag: u32,
}

/// The bits of an event's tag that tell its thread.
const THREAD: u32 = 1023;
const WARP: u32 = 5;
const BYTES: u32 = 10;
const KIND: u32 = 14;
/// Where the two bits of a [`Strength`] are.
const STRENGTH: u32 = 16;
const AGENT: u32 = 18;

/// The bits of an event's tag that tell its warp.
pub(super) const WARP_BITS: u32 = 31 << WARP;

/// Agents that are told apart in a block.
pub(super) const MOST_AGENTS: u32 = (1 << (32 - AGENT)) - 1;
/// The bits of an event's tag that tell who did it: which thread, or for which thread which agent.
pub(super) const DOER: u32 = THREAD | MOST_AGENTS << AGENT;

/// A strength in two bits. The lower one is set where it holds between blocks, too.
const fn bits(strength: Strength) -> u32 {
    match strength {
        Strength::Weak => 0,
        Strength::Strong => 1,
        Strength::StrongInBlock => 2,
        Strength::Volatile => 3,
    }
}

impl Event {
    /// An access by lane 0, to no bytes yet.
    pub fn new(pc: u32, interval: u32, warp: u32, kind: AccessKind, strength: Strength) -> Self {
        let kind = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        let tag = warp << WARP | kind << KIND | bits(strength) << STRENGTH;
        Self { pc, interval, tag }
    }

    /// The same access by lane `lane` to these bytes of a word.
    #[inline(always)]
    pub fn by(self, lane: u32, bytes: u32) -> Self {
        Self {
            tag: self.tag | lane | bytes << BYTES,
            ..self
        }
    }

    /// The same access to all bytes of a word.
    pub fn with_all_bytes(self) -> Self {
        self.by(0, 0xf)
    }

    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.interval != 0
    }

    #[inline(always)]
    pub fn lane(&self) -> u32 {
        self.tag & 31
    }

    #[inline(always)]
    pub fn warp(&self) -> u32 {
        self.tag >> WARP & 31
    }

    /// The thread's number in its block; of asynchronous accesses, that of the one that started it.
    #[inline(always)]
    pub fn thread(&self) -> u32 {
        self.tag & THREAD
    }

    /// True if both are by one thread, or by one agent for one thread.
    #[inline(always)]
    pub fn is_by_thread_of(&self, other: &Self) -> bool {
        (self.tag ^ other.tag) & DOER == 0
    }

    /// The same access, done asynchronously by an agent, of which this is its copy or group
    /// `number`.
    pub fn by_agent(self, agent: u32, number: u32) -> Self {
        Self {
            tag: self.tag | (agent + 1) << AGENT,
            interval: ASYNCHRONOUS | number,
            ..self
        }
    }

    /// The agent that does it.
    pub fn agent(&self) -> Option<u32> {
        (self.tag >> AGENT).checked_sub(1)
    }

    /// Its interval, or the number of its copy.
    pub fn number(&self) -> u32 {
        self.interval & !ASYNCHRONOUS
    }

    /// True if it is asynchronous.
    #[inline(always)]
    pub fn is_asynchronous(&self) -> bool {
        self.tag >> AGENT != 0
    }

    /// Who is to release it to other blocks: its warp, or, from 32 on, its agent.
    pub fn actor(&self) -> u32 {
        self.agent()
            .map_or(self.warp(), |agent| FIRST_AGENT + agent)
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

    /// True if they share bytes, and one of them writes.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        let shared_bytes = self.tag & other.tag & 0xf << BYTES != 0;
        shared_bytes && !(self.is_load() && other.is_load())
    }

    /// True if they exclude each other, where they come from one block: they share bytes, one of
    /// them writes, and they are not both atomic.
    #[inline(always)]
    pub fn excludes(&self, other: &Self) -> bool {
        self.overlaps(other) && !(self.is_atomic() && other.is_atomic())
    }

    /// True if each of the two is one indivisible access for threads of one block.
    #[inline(always)]
    pub fn both_strong(&self, other: &Self) -> bool {
        self.is_strong() && other.is_strong()
    }

    /// True if each of the two is one indivisible access for threads of different blocks.
    #[inline(always)]
    pub fn both_strong_between_blocks(&self, other: &Self) -> bool {
        self.tag & other.tag & 1 << STRENGTH != 0
    }

    /// True if its scope is the block.
    pub fn is_of_block_scope(&self) -> bool {
        self.strength() == bits(Strength::StrongInBlock)
    }

    /// True if each of the two is one indivisible access, and they are not both merely volatile.
    #[inline(always)]
    pub fn both_atomic_or_relaxed(&self, other: &Self) -> bool {
        let volatile = bits(Strength::Volatile);
        self.both_strong(other) && (self.strength(), other.strength()) != (volatile, volatile)
    }

    /// True if both are of one kind and made by one instruction.
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
