//! The decoded form of a kernel: what the parser produces and an executor consumes.
//!
//! Decoding settles everything that does not depend on data, so that execution looks nothing up:
//!
//! - **Registers** are numbered within three files: 32-bit (also holding `.b8` and `.b16` values,
//!   zero-extended), 64-bit, and predicates.
//! - **Immediates and addresses of variables** are registers too. Each distinct value gets a slot
//!   of its own behind the declared registers, listed in [`Kernel::constants32`] and its
//!   siblings, to be filled once before execution. So every operand is a register number.
//! - **Special registers** (`%tid.x`, …) likewise: a slot each, listed in [`Kernel::specials`].
//! - **Labels** are instruction indices, and every branch that can diverge carries the index of
//!   its immediate post-dominator, where the diverged lanes reconverge.
//! - **Variables** in shared, local and parameter space have their offsets.
//!
//! Each operation is named after the PTX instruction that it stands for; the semantics are those
//! of the *PTX ISA* manual, section 9.7.

use std::fmt;

/// A register of the 32-bit file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct R32(pub u16);

/// A register of the 64-bit file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct R64(pub u16);

/// A predicate register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pred(pub u16);

impl fmt::Debug for R32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Debug for R64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rd{}", self.0)
    }
}

impl fmt::Debug for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// A parsed and resolved PTX module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// PTX ISA version, as `(8, 0)`.
    pub version: (u32, u32),
    /// The target's compute capability times ten, as 75 for `sm_75`.
    pub target: u32,
    /// Variables in global and constant space, in order of declaration. A [`Symbol`] indexes them.
    pub variables: Vec<Variable>,
    /// The `.entry` functions, in order of declaration.
    pub kernels: Vec<Kernel>,
    /// Source files of `.file` directives. A [`SourceLine::file`] indexes them.
    pub files: Vec<String>,
}

/// Index into [`Module::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// A variable in global or constant space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its (mangled) name.
    pub name: String,
    /// Where it lives: [`Space::Global`] or [`Space::Const`].
    pub space: Space,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Its contents at load: as long as the variable, zero where there is no initialiser.
    pub init: Vec<u8>,
    /// Places in `init` that hold the 64-bit generic address of another variable: `(offset, symbol,
    /// addend)`.
    pub relocations: Vec<(u32, Symbol, i64)>,
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// No space named: the address decides (PTX's generic addressing).
    Generic,
    /// Device memory.
    Global,
    /// Memory of a block. Addresses are offsets from the start of the block's shared window.
    Shared,
    /// Memory of a thread. Addresses are offsets from the start of the thread's local window.
    Local,
    /// Read-only memory of a module.
    Const,
    /// The kernel's parameters. Addresses are offsets from the first parameter.
    Param,
}

/// An `.entry` function.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its (mangled) name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Bytes of all parameters together, with padding between them.
    pub param_bytes: u32,
    /// The instructions. Control never runs past the last one: it is `ret`, `exit` or `trap`, or
    /// an unconditional branch.
    pub code: Vec<Instruction>,
    /// The size of the 32-bit register file, constants and specials included.
    pub registers32: u16,
    /// The size of the 64-bit register file, constants and specials included.
    pub registers64: u16,
    /// The number of predicate registers, constants included.
    pub predicates: u16,
    /// Slots of the 32-bit file with a fixed value.
    pub constants32: Vec<(R32, Const)>,
    /// Slots of the 64-bit file with a fixed value.
    pub constants64: Vec<(R64, Const)>,
    /// Predicates with a fixed value.
    pub constant_predicates: Vec<(Pred, bool)>,
    /// Slots of special registers.
    pub specials: Vec<(SpecialSlot, Special)>,
    /// Bytes of statically declared shared memory. Dynamic shared memory begins at the next
    /// multiple of `dynamic_shared_align`.
    pub static_shared_bytes: u32,
    /// Alignment of the `extern .shared` arrays; 1 where there are none.
    pub dynamic_shared_align: u32,
    /// Shared variables: name, offset, bytes (zero for `extern` arrays). For reports.
    pub shared_variables: Vec<(String, u32, u32)>,
    /// Bytes of local memory a thread.
    pub local_bytes: u32,
    /// `.maxntid`, as a product of its dimensions, where declared.
    pub max_threads: Option<u32>,
    /// `.minnctapersm`, where declared.
    pub min_blocks: Option<u32>,
    /// Number of registers declared by the PTX in 32-bit units (a 64-bit register counts twice):
    /// an upper estimate of what an assembler would allocate.
    pub declared_registers: u32,
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Offset in bytes from the first parameter.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// The value of a constant slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// These bits.
    Bits(u64),
    /// The address of a variable, in the variable's own space, plus an addend.
    Address(Symbol, i64),
    /// The generic address of a variable, plus an addend.
    GenericAddress(Symbol, i64),
    /// The offset, in shared space, of the start of dynamic shared memory, plus an addend.
    DynamicShared(i64),
}

/// The slot of a special register, in the file that its width asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialSlot {
    /// In the 32-bit file.
    R32(R32),
    /// In the 64-bit file.
    R64(R64),
}

/// A special register whose value is fixed while a warp of a block runs. (`%clock` and the like,
/// which change, are read by [`Op::ReadClock`].)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid.x`, `.y`, `.z` (0, 1, 2).
    Tid(u8),
    /// `%ntid`.
    Ntid(u8),
    /// `%ctaid`.
    Ctaid(u8),
    /// `%nctaid`.
    Nctaid(u8),
    /// `%laneid`.
    LaneId,
    /// `%warpid`.
    WarpId,
    /// `%nwarpid`.
    NwarpId,
    /// `%smid`.
    SmId,
    /// `%nsmid`.
    NsmId,
    /// `%gridid`.
    GridId,
    /// `%lanemask_eq`.
    LaneMaskEq,
    /// `%lanemask_lt`.
    LaneMaskLt,
    /// `%lanemask_le`.
    LaneMaskLe,
    /// `%lanemask_gt`.
    LaneMaskGt,
    /// `%lanemask_ge`.
    LaneMaskGe,
    /// `%dynamic_smem_size`.
    DynamicSharedSize,
    /// `%total_smem_size`.
    TotalSharedSize,
    /// `WARP_SZ` is an immediate; this is `%envregN`, always zero.
    EnvReg,
}

/// A place in the source, by `.loc`. A kernel built without `-lineinfo` has PTX lines instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// Index into [`Module::files`]; `None` when `line` counts lines of the PTX text.
    pub file: Option<u16>,
    /// Line, from 1.
    pub line: u32,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// `@p` or `@!p`. Never present on [`Op::Bra`], which holds its own.
    pub guard: Option<Guard>,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub source: SourceLine,
    /// Its line in the PTX text, from 1.
    pub ptx_line: u32,
}

/// A guard predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub pred: Pred,
    /// True for `@!p`.
    pub negated: bool,
}

/// An operation. `d` is the destination, `a`, `b` and `c` are the operands in PTX's order, and
/// `mask` is the set of lanes that take part.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Op {
    /// Register to register, lane by lane, no memory.
    Alu(Alu),
    /// `ld` in every space, also `ld.global.nc` and `ldu`.
    Ld(Load),
    /// `st`.
    St(Store),
    /// `atom`, and `red` where `d` is `None`.
    Atom(Atom),
    /// `cp.async.ca|cg.shared.global`: copy `bytes` (4, 8 or 16) from global to shared memory. With
    /// `src_bytes`, that many are copied and the rest is zero.
    CpAsync {
        dst: Address,
        src: Address,
        bytes: u8,
        src_bytes: Option<R32>,
    },
    /// `cp.async.commit_group`, `cp.async.wait_group N`, `cp.async.wait_all` (`None` for commit).
    CpAsyncWait(CpAsyncWait),
    /// `bra`, with its guard.
    Bra(Branch),
    /// `brx.idx`: lane's `targets[index]`.
    BrxIdx {
        index: R32,
        targets: Vec<u32>,
        reconverge: Option<u32>,
    },
    /// `ret` from the entry function, or `exit`.
    Exit,
    /// `trap`, and `brkpt`, which without a debugger is the same: aborts the grid with an error.
    Trap,
    /// `pmevent`: no effect here.
    Nop,
    /// `bar`, `barrier`.
    Bar(Bar),
    /// `bar.warp.sync`: waits for the lanes of `mask`.
    BarWarpSync { mask: R32 },
    /// `membar`, `fence`.
    Fence(Scope),
    /// `shfl.sync`.
    Shfl {
        mode: ShflMode,
        d: R32,
        pred: Option<Pred>,
        a: R32,
        b: R32,
        c: R32,
        mask: R32,
    },
    /// `vote.sync`.
    Vote(Vote),
    /// `match.any.sync`. `a` is an R64 for `.b64`.
    MatchAny { d: R32, a: Src, mask: R32 },
    /// `match.all.sync`: `pred` is set when all lanes agree.
    MatchAll {
        d: R32,
        pred: Option<Pred>,
        a: Src,
        mask: R32,
    },
    /// `redux.sync`.
    Redux {
        op: ReduxOp,
        d: R32,
        a: R32,
        mask: R32,
    },
    /// `activemask`.
    ActiveMask { d: R32 },
    /// `elect.sync`: `pred` is set in the elected lane, `d` holds its lane number.
    Elect {
        d: Option<R32>,
        pred: Pred,
        mask: R32,
    },
    /// `nanosleep`.
    Nanosleep { t: R32 },
    /// `mov` from `%clock`, `%clock_hi` (high half of the 64-bit count), into a 32-bit register.
    ReadClock { d: R32, high: bool },
    /// `mov` from `%clock64` or `%globaltimer`.
    ReadClock64 { d: R64, global_timer: bool },
    /// A call of the runtime's `vprintf(format, arguments)`; both are generic addresses.
    Vprintf {
        d: Option<R32>,
        format: R64,
        args: R64,
    },
    /// A call of `__assertfail(message, file, line, function, char_size)`.
    AssertFail {
        message: R64,
        file: R64,
        line: R32,
        function: R64,
    },
}

/// A register of either file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// 32-bit.
    R32(R32),
    /// 64-bit.
    R64(R64),
}

/// A conditional or unconditional branch.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The guard; `None` branches always.
    pub guard: Option<Guard>,
    /// Index of the instruction to go to.
    pub target: u32,
    /// Where lanes that part here meet again: the immediate post-dominator of the branch. `None`
    /// when that is the end of the kernel.
    pub reconverge: Option<u32>,
    /// `.uni`: the program promises that all active lanes go the same way.
    pub uniform: bool,
}

/// A memory address: register plus offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The base. A 32-bit base is zero-extended.
    pub base: Src,
    /// Bytes to add.
    pub offset: i64,
}

/// The type of a memory access, an element's.
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
    /// 4 bytes. Into a 64-bit register it is zero-extended, or, as `S32`, sign-extended.
    B32,
    /// 4 bytes, sign-extended where the destination is a 64-bit register.
    S32,
    /// 8 bytes.
    B64,
}

/// How strong an access is: PTX ISA section 8, "Memory consistency model".
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

/// A scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The block (`.cta`).
    Block,
    /// The device (`.gpu`; the cluster counts as the device).
    Device,
    /// `.sys`.
    System,
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
    /// The address of the first.
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
    /// The address of the first.
    pub addr: Address,
    /// Ordering.
    pub order: Order,
}

/// An atomic read-modify-write.
#[derive(Clone, Copy, Debug)]
pub struct Atom {
    /// The state space.
    pub space: Space,
    /// What to do.
    pub op: AtomOp,
    /// On what.
    pub ty: AtomType,
    /// Where the old value goes; `None` for `red` and `_`.
    pub d: Option<Src>,
    /// The address.
    pub addr: Address,
    /// The operand; for `cas` the value compared with.
    pub b: Src,
    /// For `cas`: the new value.
    pub c: Option<Src>,
    /// Ordering.
    pub order: Order,
    /// True if it adds 1 to shared memory, and nothing reads the old value: compute capability 8.0
    /// and later has an instruction of its own for that, which serves equal addresses together.
    pub counts: bool,
}

/// The operation of an [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

/// The type of an [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomType {
    B16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
}

/// Waiting for asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpAsyncWait {
    /// `cp.async.commit_group`.
    Commit,
    /// `cp.async.wait_group n`: at most `n` groups may be pending.
    Group(u32),
    /// `cp.async.wait_all`.
    All,
}

/// A block barrier.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// What it does.
    pub kind: BarKind,
    /// Which of the 16.
    pub id: R32,
    /// How many threads take part; `None` for all of the block.
    pub threads: Option<R32>,
}

/// What a [`Bar`] does. `d` is the destination, `a` the operand, and `negated` asks for `!a`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum BarKind {
    /// Waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// Waits and counts the threads whose predicate (xor `negated`) is true.
    RedPopc { d: R32, a: Pred, negated: bool },
    /// Waits; true if all are.
    RedAnd { d: Pred, a: Pred, negated: bool },
    /// Waits; true if any is.
    RedOr { d: Pred, a: Pred, negated: bool },
}

/// `vote.sync`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Vote {
    All {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Any {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Uni {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Ballot {
        d: R32,
        a: Pred,
        negated: bool,
        mask: R32,
    },
}

/// `shfl.sync`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// `redux.sync`'s operation and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ReduxOp {
    Add,
    MinU32,
    MinS32,
    MaxU32,
    MaxS32,
    And,
    Or,
    Xor,
}

/// An operation on registers alone.
///
/// 16-bit operations read and write 32-bit slots whose upper half is zero. Where a form says `F32`
/// and the like, the bits of the slot are that number. `ftz` flushes subnormal inputs and results
/// to a zero of their sign.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Alu {
    Un32 {
        op: Un32,
        d: R32,
        a: R32,
    },
    Bin32 {
        op: Bin32,
        d: R32,
        a: R32,
        b: R32,
    },
    Ter32 {
        op: Ter32,
        d: R32,
        a: R32,
        b: R32,
        c: R32,
    },
    Un64 {
        op: Un64,
        d: R64,
        a: R64,
    },
    Bin64 {
        op: Bin64,
        d: R64,
        a: R64,
        b: R64,
    },
    Ter64 {
        op: Ter64,
        d: R64,
        a: R64,
        b: R64,
        c: R64,
    },
    /// Shifts of 64-bit values: the amount is a 32-bit register, clamped at 64.
    Shift64 {
        op: Shift,
        d: R64,
        a: R64,
        b: R32,
    },
    /// 32 × 32 → 64.
    MulWide {
        signed: Sign,
        d: R64,
        a: R32,
        b: R32,
    },
    /// 32 × 32 + 64 → 64.
    MadWide {
        signed: Sign,
        d: R64,
        a: R32,
        b: R32,
        c: R64,
    },
    /// `popc.b64`, `clz.b64`, `bfind.u64|s64`.
    Count64 {
        op: Count64,
        d: R32,
        a: R64,
    },
    /// `bfe`/`bfi` on 64 bits.
    Bfe64 {
        signed: Sign,
        d: R64,
        a: R64,
        b: R32,
        c: R32,
    },
    Bfi64 {
        d: R64,
        a: R64,
        b: R64,
        c: R32,
        len: R32,
    },
    /// `bfi.b32 d, a, b, c, len`.
    Bfi32 {
        d: R32,
        a: R32,
        b: R32,
        c: R32,
        len: R32,
    },
    /// `lop3.b32` with its look-up table.
    Lop3 {
        table: u8,
        d: R32,
        a: R32,
        b: R32,
        c: R32,
    },
    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad…cc`: `carry` is a 32-bit register that holds the
    /// condition code's carry flag (0 or 1), the same one throughout a kernel.
    AddCarry32 {
        d: R32,
        a: R32,
        b: R32,
        carry: R32,
        uses: bool,
        sets: bool,
    },
    SubBorrow32 {
        d: R32,
        a: R32,
        b: R32,
        carry: R32,
        uses: bool,
        sets: bool,
    },
    AddCarry64 {
        d: R64,
        a: R64,
        b: R64,
        carry: R32,
        uses: bool,
        sets: bool,
    },
    SubBorrow64 {
        d: R64,
        a: R64,
        b: R64,
        carry: R32,
        uses: bool,
        sets: bool,
    },
    /// `setp`, with an optional second predicate (the complement) and combination with a third.
    Setp32 {
        cmp: Cmp,
        ty: CmpType32,
        d: Pred,
        q: Option<Pred>,
        a: R32,
        b: R32,
        with: Option<Combine>,
    },
    Setp64 {
        cmp: Cmp,
        ty: CmpType64,
        d: Pred,
        q: Option<Pred>,
        a: R64,
        b: R64,
        with: Option<Combine>,
    },
    /// Turns a predicate into `if_true` or zero: the tail of `set`, which decodes to `setp` and this.
    SetMask {
        d: R32,
        p: Pred,
        if_true: u32,
    },
    /// `selp`: p ? a : b.
    Selp32 {
        d: R32,
        a: R32,
        b: R32,
        p: Pred,
    },
    Selp64 {
        d: R64,
        a: R64,
        b: R64,
        p: Pred,
    },
    /// `slct`: c >= 0 ? a : b.
    Slct32 {
        by: SlctType,
        d: R32,
        a: R32,
        b: R32,
        c: R32,
    },
    Slct64 {
        by: SlctType,
        d: R64,
        a: R64,
        b: R64,
        c: R32,
    },
    /// Predicate logic. `Mov` and `Not` ignore `b`.
    PredOp {
        op: PredOp,
        d: Pred,
        a: Pred,
        b: Pred,
    },
    /// `cvt`. `a` is in the file that `from` asks for and `d` in the one for `to`; of `a` only the
    /// low bits that `from` names count. A result of 16 bits has a zero upper half, one of 8 bits
    /// is extended to 16 first; where PTX asks to extend further, a second `Cvt` does that.
    /// Between floats of one format, a `round` rounds to an integral value.
    Cvt {
        from: Num,
        to: Num,
        round: Round,
        sat: bool,
        ftz: bool,
        d: Src,
        a: Src,
    },
    /// `cvt.rn.f16x2.f32 d, a, b` and bf16x2: `a` goes to the upper half.
    CvtPack {
        to: PackedHalf,
        round: Round,
        relu: bool,
        d: R32,
        a: R32,
        b: R32,
    },
    /// `cvt.pack.sat.…` is not in the dialect. `mov.b64 d, {lo, hi}`:
    Pack64 {
        d: R64,
        lo: R32,
        hi: R32,
    },
    Unpack64 {
        lo: Option<R32>,
        hi: Option<R32>,
        a: R64,
    },
    /// `mov.b32 d, {lo, hi}` of 16-bit registers.
    Pack32 {
        d: R32,
        lo: R32,
        hi: R32,
    },
    Unpack32 {
        lo: Option<R32>,
        hi: Option<R32>,
        a: R32,
    },
    /// `mov.b64 d, {a, b, c, d}` of 16-bit registers.
    Pack64x4 {
        d: R64,
        s: [R32; 4],
    },
    Unpack64x4 {
        d: [Option<R32>; 4],
        a: R64,
    },
    /// `cvta.SPACE`: to a generic address; `cvta.to.SPACE`: from one.
    ToGeneric {
        space: Space,
        d: R64,
        a: R64,
    },
    FromGeneric {
        space: Space,
        d: R64,
        a: R64,
    },
    /// `isspacep`.
    IsSpace {
        space: Space,
        d: Pred,
        a: R64,
    },
    /// `testp.f32`, `testp.f64`.
    Testp32 {
        class: FloatClass,
        d: Pred,
        a: R32,
    },
    Testp64 {
        class: FloatClass,
        d: Pred,
        a: R64,
    },
}

/// Signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Sign {
    Unsigned,
    Signed,
}

/// A shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Shift {
    Left,
    RightUnsigned,
    RightSigned,
}

/// Rounding. The integer roundings (`.rni`, …) use the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Round {
    NearestEven,
    Zero,
    Down,
    Up,
    /// No rounding named: exact conversions.
    None,
}

/// Two operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Bin32 {
    Add,
    Sub,
    MulLo,
    MulHiU,
    MulHiS,
    /// 24-bit multiply, low 32 bits of the product.
    Mul24LoU,
    Mul24LoS,
    Mul24HiU,
    Mul24HiS,
    DivU,
    DivS,
    RemU,
    RemS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    /// Amounts above 31 act as 32.
    Shl,
    ShrU,
    ShrS,
    AddSatS,
    SubSatS,
    /// `bmsk.clamp`, `bmsk.wrap`.
    BmskClamp,
    BmskWrap,
    /// `szext`.
    SzextClampU,
    SzextClampS,
    // 16-bit integers.
    Add16,
    Sub16,
    MulLo16,
    MulHiU16,
    MulHiS16,
    /// 16 × 16 → 32.
    MulWideU16,
    MulWideS16,
    DivU16,
    DivS16,
    RemU16,
    RemS16,
    MinU16,
    MinS16,
    MaxU16,
    MaxS16,
    Shl16,
    ShrU16,
    ShrS16,
    // f32. `Rounding`s other than nearest even are separate forms.
    AddF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    SubF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    MulF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    /// `div.rn|rz|rm|rp`.
    DivF32 {
        round: Round,
        ftz: bool,
    },
    /// `div.approx`: zero, or of an infinity NaN, where the divisor is above 2^126.
    DivApproxF32 {
        ftz: bool,
    },
    /// `div.full`.
    DivFullF32 {
        ftz: bool,
    },
    /// `nan`: `min.NaN`, a NaN operand gives a NaN.
    MinF32 {
        ftz: bool,
        nan: bool,
    },
    MaxF32 {
        ftz: bool,
        nan: bool,
    },
    CopysignF32,
    // f16 and bf16, scalar and two at a time.
    AddHalf(Half),
    SubHalf(Half),
    MulHalf(Half),
    MinHalf(Half),
    MaxHalf(Half),
    MinNanHalf(Half),
    MaxNanHalf(Half),
}

/// One operand to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Un32 {
    Mov,
    Neg,
    Not,
    Abs,
    /// Boolean complement: zero becomes one, all else zero.
    Cnot,
    Popc,
    Clz,
    Brev,
    /// `bfind`: 0xffffffff where there is none.
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
    Neg16,
    Not16,
    Abs16,
    Cnot16,
    NegF32 {
        ftz: bool,
    },
    AbsF32 {
        ftz: bool,
    },
    SqrtF32 {
        round: Round,
        ftz: bool,
    },
    RcpF32 {
        round: Round,
        ftz: bool,
    },
    SqrtApproxF32 {
        ftz: bool,
    },
    RcpApproxF32 {
        ftz: bool,
    },
    RsqrtApproxF32 {
        ftz: bool,
    },
    SinApproxF32 {
        ftz: bool,
    },
    CosApproxF32 {
        ftz: bool,
    },
    Lg2ApproxF32 {
        ftz: bool,
    },
    Ex2ApproxF32 {
        ftz: bool,
    },
    TanhApproxF32,
    NegHalf(Half),
    AbsHalf(Half),
    Ex2ApproxHalf(Half),
    TanhApproxHalf(Half),
}

/// Three operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ter32 {
    MadLo,
    MadHiU,
    MadHiS,
    MadLo16,
    /// 16 × 16 + 32 → 32.
    MadWideU16,
    MadWideS16,
    Mad24LoU,
    Mad24LoS,
    SadU,
    SadS,
    FmaF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    FmaHalf {
        half: Half,
        relu: bool,
    },
    BfeU,
    BfeS,
    /// `prmt` with its mode.
    Prmt(PrmtMode),
    /// Funnel shifts: `a` low, `b` high, `c` amount.
    ShfLeftClamp,
    ShfLeftWrap,
    ShfRightClamp,
    ShfRightWrap,
    /// Dot products with accumulation: signedness of `a` and `b`.
    Dp4a(Sign, Sign),
    Dp2aLo(Sign, Sign),
    Dp2aHi(Sign, Sign),
    /// `fns`: of `a`'s set bits, from bit `b` on, the `c`-th; 0xffffffff where there is none.
    Fns,
}

/// `prmt`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PrmtMode {
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// One operand to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Un64 {
    Mov,
    Neg,
    Not,
    Abs,
    Cnot,
    Brev,
    NegF64,
    AbsF64,
    SqrtF64(Round),
    RcpF64(Round),
    /// `rcp.approx.ftz.f64`, `rsqrt.approx.f64`.
    RcpApproxF64,
    RsqrtApproxF64 {
        ftz: bool,
    },
}

/// Two operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Bin64 {
    Add,
    Sub,
    MulLo,
    MulHiU,
    MulHiS,
    DivU,
    DivS,
    RemU,
    RemS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    AddF64(Round),
    SubF64(Round),
    MulF64(Round),
    DivF64(Round),
    MinF64,
    MaxF64,
    CopysignF64,
}

/// Three operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ter64 {
    MadLo,
    MadHiU,
    MadHiS,
    SadU,
    SadS,
    FmaF64(Round),
}

/// Counts in a 64-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Count64 {
    Popc,
    Clz,
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
}

/// A 16-bit floating format, alone or in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Half {
    F16 { ftz: bool, sat: bool },
    F16x2 { ftz: bool, sat: bool },
    Bf16,
    Bf16x2,
}

/// The format of a pair of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PackedHalf {
    F16x2,
    Bf16x2,
}

/// A comparison. The unordered forms are true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Both are numbers.
    Num,
    /// Either is NaN.
    Nan,
}

/// What a 32-bit comparison compares. `lo`, `ls`, `hi`, `hs` decode to the unsigned forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CmpType32 {
    U32,
    S32,
    U16,
    S16,
    F32 { ftz: bool },
    F16 { ftz: bool },
    Bf16,
}

/// What a 64-bit comparison compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CmpType64 {
    U64,
    S64,
    F64,
}

/// What `slct` takes its third operand for. A NaN is not at least zero; -0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SlctType {
    S32,
    F32 { ftz: bool },
}

/// `setp.CMP.BOOL p|q, a, b, c`: p = cmp BOOL c, q = !cmp BOOL c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine {
    /// `And`, `Or` or `Xor`.
    pub op: PredOp,
    /// The third operand.
    pub c: Pred,
    /// `!c`.
    pub negated: bool,
}

/// Predicate logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PredOp {
    Mov,
    Not,
    And,
    Or,
    Xor,
}

/// A number format, for `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Num {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

/// `testp`'s class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatClass {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}
