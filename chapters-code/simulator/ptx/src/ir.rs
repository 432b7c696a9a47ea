//! The decoded form of a kernel, which the parser produces and an executor consumes.
//!
//! Decoding resolves everything that does not depend on data, so that execution looks nothing up:
//!
//! - **Registers** are numbered within three files: 32-bit (which also holds `.b8` and `.b16`
//!   values, zero-extended), 64-bit, and predicates.
//! - **Immediates and addresses of variables** are registers too. Each distinct value has a slot
//!   behind the declared registers, listed in [`Kernel::constants32`] and similar lists, which is
//!   filled once before execution. Every operand is therefore a register number.
//! - **Special registers** (`%tid.x`, …) each have a slot too, listed in [`Kernel::specials`].
//! - **Labels** are instruction indices, and every branch that can diverge holds the index of its
//!   immediate post-dominator, where the diverged lanes reconverge.
//! - **Variables** in shared, local and parameter space have their offsets.
//!
//! An executor holds the register files of each warp, so [`Kernel::share_registers`] lets values
//! that are never live at the same time share a register.
//!
//! Each operation is named after its PTX instruction. The semantics are those of the *PTX ISA*
//! manual, section 9.7.

mod alu;
mod asynchronous;
mod cluster;
mod formats;
mod memory;
mod operations;
mod warp;

use std::fmt;

pub use crate::access::Register;
pub use alu::*;
pub use asynchronous::*;
pub use cluster::*;
pub use formats::*;
pub use memory::*;
pub use operations::*;
pub use warp::*;

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
    /// The space that holds it: [`Space::Global`] or [`Space::Const`].
    pub space: Space,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Its contents at load, as long as the variable; bytes without an initialiser are zero.
    pub init: Vec<u8>,
    /// The 64-bit generic addresses of other variables in `init`: `(offset, symbol, addend)`.
    pub relocations: Vec<(u32, Symbol, i64)>,
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// No space is named: the address decides (PTX's generic addressing).
    Generic,
    /// Device memory.
    Global,
    /// Memory of a block. Addresses are offsets from the start of the block's shared window.
    Shared,
    /// The shared memory of all blocks of a cluster (`.shared::cluster`). An address is an offset in
    /// the thread's own block, or what `mapa` returned.
    Cluster,
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
    /// The instructions. Control never runs past the last one, which is `ret`, `exit`, `trap` or an
    /// unconditional branch.
    pub code: Vec<Instruction>,
    /// The size of the 32-bit register file, including constants and specials.
    pub registers32: u16,
    /// The size of the 64-bit register file, including constants and specials.
    pub registers64: u16,
    /// The number of predicate registers, including constants.
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
    /// Alignment of the `extern .shared` arrays; 1 if there are none.
    pub dynamic_shared_align: u32,
    /// Shared variables: name, offset, bytes (zero for `extern` arrays). For reports.
    pub shared_variables: Vec<(String, u32, u32)>,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// `.maxntid`, as a product of its dimensions, if declared.
    pub max_threads: Option<u32>,
    /// `.minnctapersm`, if declared.
    pub min_blocks: Option<u32>,
    /// What is declared about clusters.
    pub clusters: Clusters,
    /// Number of registers declared by the PTX in 32-bit units (a 64-bit register counts twice). It
    /// is an upper bound of what an assembler would allocate.
    pub declared_registers: u32,
    /// Why the kernel cannot run: it needs something outside the dialect. Its code is then a single
    /// `exit`, and only the name, the parameters and the block's limits are those of the text.
    pub unsupported: Option<crate::Error>,
    /// [`Kernel::live_registers`] of the kernel before registers were shared.
    pub(crate) live_before: Option<u32>,
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
    /// The offset of a byte in shared space. The address is that of the static shared variable with
    /// this index in [`Kernel::shared_variables`], plus an addend.
    Shared {
        /// The variable.
        variable: u32,
        /// The offset.
        offset: i64,
    },
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
    /// `%warpid`: the warp's slot in its multiprocessor, not its number in the block.
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
    /// `%envregN`, which the driver sets for the kernel.
    EnvReg(u8),
    /// `%clusterid.x`, `.y`, `.z`: the cluster's coordinates in the grid.
    ClusterId(u8),
    /// `%nclusterid`.
    NclusterId(u8),
    /// `%cluster_ctaid`: the block's coordinates in the cluster.
    ClusterCtaid(u8),
    /// `%cluster_nctaid`.
    ClusterNctaid(u8),
    /// `%cluster_ctarank`.
    ClusterCtarank,
    /// `%cluster_nctarank`.
    ClusterNctarank,
    /// `%is_explicit_cluster`, which is a predicate, as 0 or 1.
    IsExplicitCluster,
}

/// A source location, from `.loc`. A kernel built without `-lineinfo` has PTX lines instead.
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
    /// The guard `@p` or `@!p`. [`Op::Bra`] never has one here, because it holds its own.
    pub guard: Option<Guard>,
    /// What it does.
    pub op: Op,
    /// The source location.
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
/// `mask` is the set of participating lanes.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Op {
    /// Register to register, lane by lane, no memory.
    Alu(Alu),
    /// `ld` in every space, also `ld.global.nc` and `ldu`.
    Ld(Load),
    /// `st`.
    St(Store),
    /// `atom`, and `red` where `d` is `None`.
    Atom(Atom),
    /// `cp.async.ca|cg.shared.global`: copies `bytes` (4, 8 or 16) bytes from global to shared
    /// memory. With `src_bytes`, that many are copied and the rest is zero.
    CpAsync { dst: Address, src: Address, bytes: u8, src_bytes: Option<R32> },
    /// `cp.async.commit_group`, `cp.async.wait_group N`, `cp.async.wait_all` (`None` for commit).
    CpAsyncWait(CpAsyncWait),
    /// `mbarrier`, and `cp.async.mbarrier.arrive`.
    Mbarrier(Mbarrier),
    /// `cp.async.bulk` between global and shared memory.
    Bulk(BulkCopy),
    /// `cp.async.bulk.commit_group`, `cp.async.bulk.wait_group`.
    BulkWait(BulkWait),
    /// `fence.proxy.async`, `fence.mbarrier_init`.
    ProxyFence(ProxyFence),
    /// `bra`, with its guard.
    Bra(Branch),
    /// `brx.idx`: each lane branches to `targets[index]`.
    BrxIdx { index: R32, targets: Vec<u32>, reconverge: Option<u32> },
    /// `ret` from the entry function, or `exit`.
    Exit,
    /// `trap` and `brkpt`, which is the same without a debugger: aborts the grid with an error.
    Trap,
    /// `pmevent`, which has no effect here.
    Nop,
    /// `bar`, `barrier`.
    Bar(Bar),
    /// `barrier.cluster`, `mapa`, `getctarank`.
    Cluster(ClusterOp),
    /// `bar.warp.sync`, `shfl`, `vote`, `match`, `redux` and `elect`.
    Warp(Collective),
    /// `membar`, `fence`.
    Fence(Fence),
    /// `activemask`.
    ActiveMask { d: R32 },
    /// `nanosleep`.
    Nanosleep { t: R32 },
    /// `mov` from `%clock`, `%clock_hi` (high half of the 64-bit count), into a 32-bit register.
    ReadClock { d: R32, high: bool },
    /// `mov` from `%clock64` or `%globaltimer`.
    ReadClock64 { d: R64, global_timer: bool },
    /// A call of the runtime's `vprintf(format, arguments)`; both operands are generic addresses.
    Vprintf { d: Option<R32>, format: R64, args: R64 },
    /// A call of `__assertfail(message, file, line, function, char_size)`.
    AssertFail { message: R64, file: R64, line: R32, function: R64 },
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Control<'a> {
    /// To the next instruction.
    Next,
    /// To one of several targets.
    Branch {
        /// The guard. Lanes without it continue with the next instruction.
        guard: Option<Guard>,
        /// The indices of the target instructions.
        targets: &'a [u32],
        /// Where diverged lanes reconverge; `None` for the end of the kernel.
        reconverge: Option<u32>,
    },
    /// Nowhere: the thread ends, under the instruction's guard.
    End,
}

impl Instruction {
    /// Returns where control goes after the instruction.
    pub fn control(&self) -> Control<'_> {
        match &self.op {
            Op::Bra(branch) => Control::Branch {
                guard: branch.guard,
                targets: std::slice::from_ref(&branch.target),
                reconverge: branch.reconverge,
            },
            Op::BrxIdx { targets, reconverge, .. } => {
                Control::Branch { guard: self.guard, targets, reconverge: *reconverge }
            }
            Op::Exit | Op::Trap => Control::End,
            _ => Control::Next,
        }
    }

    /// Whether control may continue with the next instruction.
    pub fn falls_through(&self) -> bool {
        match self.control() {
            Control::Next => true,
            Control::Branch { guard, .. } => guard.is_some(),
            Control::End => self.guard.is_some(),
        }
    }

    /// Returns the targets of a branch. Other instructions have none.
    pub fn targets(&self) -> &[u32] {
        match self.control() {
            Control::Branch { targets, .. } => targets,
            Control::Next | Control::End => &[],
        }
    }
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
    /// The guard; `None` if the branch is unconditional.
    pub guard: Option<Guard>,
    /// Index of the target instruction.
    pub target: u32,
    /// Where lanes that diverge here reconverge: the immediate post-dominator of the branch. `None`
    /// if that is the end of the kernel.
    pub reconverge: Option<u32>,
    /// `.uni`: the program promises that all active lanes take the same side.
    pub uniform: bool,
}
