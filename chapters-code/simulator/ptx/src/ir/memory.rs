//! Loads, stores, atomics and asynchronous copies.

use super::{Space, Src};

/// A memory address: register plus offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The base. A 32-bit base is zero-extended.
    pub base: Src,
    /// Bytes to add.
    pub offset: i64,
    /// Where in shared memory the address has to lie.
    pub limits: Limits,
}

impl Address {
    /// Creates an address that may lie anywhere in its memory.
    pub fn new(base: Src, offset: i64) -> Self {
        Self { base, offset, limits: Limits::NONE }
    }
}

/// The part of a block's shared memory that an address was computed from: one variable or, behind all
/// static ones, dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The offset of the first byte.
    pub first: u32,
    /// The offset behind the last byte. It is the largest number where the memory's own end limits.
    pub end: u32,
}

impl Limits {
    /// No limits, because the address may have been computed from several variables or from none.
    pub const NONE: Self = Self { first: 0, end: u32::MAX };
}

/// The element type of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemType {
    /// 1 byte, zero-extended into a 32-bit register.
    U8,
    /// 1 byte, sign-extended to the register's declared width: to 16 bits for a `.b16`
    /// register (whose upper half is zero), to 32 for a `.b32` one, as [`Load::sign_to`] says.
    S8,
    /// 2 bytes, zero-extended.
    U16,
    /// 2 bytes, sign-extended.
    S16,
    /// 4 bytes. Into a 64-bit register they are zero-extended or, as `S32`, sign-extended.
    B32,
    /// 4 bytes, sign-extended where the destination is a 64-bit register.
    S32,
    /// 8 bytes.
    B64,
}

impl MemType {
    /// The bytes of an element.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::B32 | Self::S32 => 4,
            Self::B64 => 8,
        }
    }
}

/// The ordering of an access: PTX ISA section 8, "Memory consistency model".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// No qualifier.
    Weak,
    /// `.volatile`.
    Volatile,
    /// `.relaxed`, at a scope.
    Relaxed(Scope),
    /// `ld.acquire`, at a scope.
    Acquire(Scope),
    /// `st.release`, at a scope.
    Release(Scope),
    /// `atom.acq_rel`, at a scope.
    AcqRel(Scope),
}

/// The scope of an ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The block (`.cta`).
    Block,
    /// The device (`.gpu`; the cluster counts as the device).
    Device,
    /// `.sys`.
    System,
}

/// A `fence` or `membar`, which also acquires and releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The threads for which it orders.
    pub scope: Scope,
    /// What it orders.
    pub strength: FenceStrength,
}

/// What a [`Fence`] orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceStrength {
    /// `fence.acq_rel`: everything except an earlier write and a later read.
    AcqRel,
    /// `fence.sc` and `membar`: all accesses.
    Sc,
}

/// A load of one to four elements.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The state space.
    pub space: Space,
    /// Element type.
    pub ty: MemType,
    /// Destinations: one, two or four; the first `len` are used. `None` is PTX's `_`.
    pub d: [Option<Src>; 4],
    /// Number of elements.
    pub len: u8,
    /// The address of the first element.
    pub addr: Address,
    /// Ordering.
    pub order: Order,
    /// `.nc` or `ldu`: through the read-only path.
    pub non_coherent: bool,
    /// For signed narrow types: bits to extend to, 16, 32 or 64.
    pub sign_to: u8,
}

/// A store of one to four elements.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// The state space.
    pub space: Space,
    /// Element type; signedness does not matter.
    pub ty: MemType,
    /// Sources; the first `len` are used.
    pub s: [Src; 4],
    /// Number of elements.
    pub len: u8,
    /// The address of the first element.
    pub addr: Address,
    /// Ordering.
    pub order: Order,
}

/// An atomic read-modify-write.
#[derive(Clone, Copy, Debug)]
pub struct Atom {
    /// The state space.
    pub space: Space,
    /// The operation.
    pub op: AtomOp,
    /// The type.
    pub ty: AtomType,
    /// The destination of the old value; `None` for `red` and `_`.
    pub d: Option<Src>,
    /// The address.
    pub addr: Address,
    /// The operand; for `cas` the value to compare with.
    pub b: Src,
    /// For `cas`: the new value.
    pub c: Option<Src>,
    /// Ordering.
    pub order: Order,
    /// Whether it adds 1 to shared memory and no instruction reads the old value. Compute
    /// capability 8.0 and later has an instruction for that, which serves equal addresses together.
    pub counts: bool,
}

/// The operation of an [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomOp {
    /// `.add`.
    Add,
    /// `.min`.
    Min,
    /// `.max`.
    Max,
    /// `.and`.
    And,
    /// `.or`.
    Or,
    /// `.xor`.
    Xor,
    /// `.exch`: stores the operand.
    Exch,
    /// `.cas`: stores `c` if the old value equals `b`.
    Cas,
    /// `.inc`: adds 1, or stores 0 if the old value is at least the operand.
    Inc,
    /// `.dec`: subtracts 1, or stores the operand if the old value is 0 or above the operand.
    Dec,
}

/// The type of an [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomType {
    /// `.b16`.
    B16,
    /// `.u32`.
    U32,
    /// `.s32`.
    S32,
    /// `.u64`.
    U64,
    /// `.s64`.
    S64,
    /// `.f32`.
    F32,
    /// `.f64`.
    F64,
    /// `.f16`.
    F16,
    /// `.bf16`.
    Bf16,
    /// `.f16x2`.
    F16x2,
    /// `.bf16x2`.
    Bf16x2,
}

impl AtomType {
    /// The bytes that the operation updates.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        match self {
            Self::B16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }
}

/// Commits and waits of asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpAsyncWait {
    /// `cp.async.commit_group`.
    Commit,
    /// `cp.async.wait_group n`: at most `n` groups may be pending.
    Group(u32),
    /// `cp.async.wait_all`.
    All,
}
