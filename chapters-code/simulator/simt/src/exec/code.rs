//! A kernel prepared for one launch: everything known about its instructions before execution is
//! computed once.

use ptx::ir::{
    Address, Atom, Bar, BarKind, Branch, Control, Guard, Instruction, Load, MemType, Op, Order,
    R32, R64, Space, Src, Store,
};

use super::transfer::Shape;
use super::words;
use crate::alu::{Isa, Prepared};
use crate::config::Options;
use crate::module::LoadedKernel;

/// One instruction.
pub(crate) struct Instr<'a> {
    pub kind: Kind<'a>,
    /// The guard `@p` or `@!p`. A branch holds its own guard.
    pub guard: Option<Guard>,
    /// Whether the instruction has a guard or may be a reconvergence point.
    pub guarded_or_join: bool,
}

impl<'a> Instr<'a> {
    /// Returns the branch, if the instruction is one and not a reconvergence point.
    #[inline(always)]
    pub fn plain_branch(&self) -> Option<&'a Branch> {
        match self.kind {
            Kind::Branch(branch) if !self.guarded_or_join => Some(branch),
            _ => None,
        }
    }
}

/// All instructions of a kernel.
pub(crate) struct Program<'a> {
    pub all: Vec<Instr<'a>>,
    /// The register-to-register instructions, in order.
    pub alu: Vec<Prepared<'a>>,
}

/// What an instruction does.
pub(crate) enum Kind<'a> {
    /// A register-to-register instruction: one of [`Program::alu`].
    Alu {
        index: u32,
        /// The number of consecutive such instructions from here on without guards or reconvergence
        /// points, or 0 if this one has either.
        run_len: u32,
    },
    /// Sets a 32-bit register to a value that all threads of the launch share, which is a
    /// parameter.
    Fill32(R32, u32),
    /// Sets a 64-bit register to a value that all threads of the launch share.
    Fill64(R64, u64),
    Load(&'a Load, Shape),
    /// A load of words that may be contiguous.
    LoadWords(&'a Load, Shape),
    /// A load of a value that other threads may write meanwhile.
    Poll(&'a Load, Shape),
    Store(&'a Store, Shape),
    /// A store of words that may be contiguous.
    StoreWords(&'a Store, Shape),
    Atom(&'a Atom),
    Branch(&'a Branch),
    /// `bar.sync` on this barrier by all threads of the block.
    Sync(u8),
    /// Any other operation, which the instruction itself names.
    Other,
}

/// Prepares a kernel for a launch with these parameters.
pub(crate) fn prepare<'a>(
    kernel: &'a LoadedKernel,
    isa: Isa,
    params: &[u8],
    options: &Options,
) -> Program<'a> {
    let code = &kernel.ir().code;
    let mut alu = Vec::new();
    let mut all: Vec<Instr<'a>> = Vec::with_capacity(code.len());
    for (instruction, is_point) in code.iter().zip(reconvergence_points(code)) {
        let index = alu.len() as u32;
        let is_weak = options.weak_memory.is_some() && is_executed_weakly(&instruction.op);
        let may_part = options.independent_lanes != 0 && is_shared_by_lanes(&instruction.op);
        let kind = if is_weak || may_part {
            Kind::Other
        } else {
            kind(kernel, instruction, params, index)
        };
        if let Op::Alu(operation) = &instruction.op {
            alu.push(Prepared::new(isa, operation));
        }
        all.push(Instr {
            kind,
            guard: instruction.guard,
            guarded_or_join: is_point || instruction.guard.is_some(),
        });
    }
    let mut following = 0;
    for instr in all.iter_mut().rev() {
        let breaks_run = instr.guarded_or_join;
        following = match &mut instr.kind {
            Kind::Alu { run_len, .. } if !breaks_run => {
                *run_len = following + 1;
                *run_len
            }
            _ => 0,
        };
    }
    Program { all, alu }
}

/// Returns for each instruction whether it may be a reconvergence point.
fn reconvergence_points(code: &[Instruction]) -> Vec<bool> {
    let mut points = vec![false; code.len()];
    for instruction in code {
        if let Control::Branch { reconverge: Some(pc), .. } = instruction.control()
            && let Some(is_point) = points.get_mut(pc as usize)
        {
            *is_point = true;
        }
    }
    points
}

/// Classifies an instruction. `index` is the number of register-to-register instructions before it.
fn kind<'a>(
    kernel: &LoadedKernel,
    instruction: &'a Instruction,
    params: &[u8],
    index: u32,
) -> Kind<'a> {
    match &instruction.op {
        Op::Alu(_) => Kind::Alu { index, run_len: 0 },
        Op::Ld(load) if load.order != Order::Weak => Kind::Poll(load, Shape::of_load(load)),
        Op::Ld(load) if words::is_load(load) => Kind::LoadWords(load, Shape::of_load(load)),
        Op::Ld(load) => {
            parameter(kernel, load, params).unwrap_or(Kind::Load(load, Shape::of_load(load)))
        }
        Op::St(store) if words::is_store(store) => Kind::StoreWords(store, Shape::of_store(store)),
        Op::St(store) => Kind::Store(store, Shape::of_store(store)),
        Op::Atom(atom) => Kind::Atom(atom),
        Op::Bra(branch) => Kind::Branch(branch),
        Op::Bar(bar) => match simple_barrier(kernel, bar, instruction.guard) {
            Some(id) => Kind::Sync(id),
            None => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// Whether an operation accesses memory that other lanes may access, too.
fn is_shared_by_lanes(op: &Op) -> bool {
    let is_shared = |space| !matches!(space, Space::Param | Space::Const | Space::Local);
    match op {
        Op::Ld(load) => is_shared(load.space),
        Op::St(store) => is_shared(store.space),
        op => matches!(op, Op::Atom(_)),
    }
}

/// Whether weak memory makes a difference to an operation.
fn is_executed_weakly(op: &Op) -> bool {
    match op {
        Op::Ld(load) => is_weak(load.space, load.order),
        Op::St(store) => is_weak(store.space, store.order),
        op => matches!(op, Op::Atom(_)),
    }
}

/// Whether weak memory makes a difference to a load or store.
pub(super) fn is_weak(space: Space, order: Order) -> bool {
    matches!(space, Space::Global | Space::Generic) || order != Order::Weak
}

/// Turns a load of a whole parameter into setting a register.
fn parameter<'a>(kernel: &LoadedKernel, load: &Load, params: &[u8]) -> Option<Kind<'a>> {
    if load.space != Space::Param || load.len != 1 {
        return None;
    }
    let address = usize::try_from(fixed(kernel, load.addr)?).ok()?;
    let bytes = params.get(address..)?;
    match (load.ty, load.d[0]?) {
        (MemType::B32, Src::R32(d)) if address.is_multiple_of(4) => {
            Some(Kind::Fill32(d, u32::from_le_bytes(*bytes.first_chunk()?)))
        }
        (MemType::B64, Src::R64(d)) if address.is_multiple_of(8) => {
            Some(Kind::Fill64(d, u64::from_le_bytes(*bytes.first_chunk()?)))
        }
        _ => None,
    }
}

/// Returns the number of a barrier at which all threads of the block wait without a reduction.
fn simple_barrier(kernel: &LoadedKernel, bar: &Bar, guard: Option<Guard>) -> Option<u8> {
    let simple = matches!(bar.kind, BarKind::Sync) && bar.threads.is_none() && guard.is_none();
    let id = constant32(kernel, bar.id).filter(|_| simple)?;
    u8::try_from(id).ok().filter(|id| *id < 16)
}

fn constant32(kernel: &LoadedKernel, register: R32) -> Option<u32> {
    let mut slots = kernel.constants32().iter();
    Some(slots.find(|(slot, _)| *slot == register)?.1)
}

/// Returns an address that is known before execution.
fn fixed(kernel: &LoadedKernel, address: Address) -> Option<u64> {
    let base = match address.base {
        Src::R32(r) => u64::from(constant32(kernel, r)?),
        Src::R64(r) => {
            let mut slots = kernel.constants64().iter();
            slots.find(|(slot, _)| *slot == r)?.1
        }
    };
    Some(base.wrapping_add_signed(address.offset))
}
