//! A kernel made ready for one launch: what can be known of its instructions before they are
//! executed is looked up once.

use ptx::ir::{
    Address, Atom, Bar, BarKind, Branch, Guard, Instruction, Load, MemType, Op, R32, R64, Space,
    Src, Store,
};

use crate::alu::{Isa, Prepared};
use crate::module::LoadedKernel;

/// One instruction.
pub(crate) struct Ready<'a> {
    pub work: Work<'a>,
    /// `@p` or `@!p`. A branch has its own.
    pub guard: Option<Guard>,
    /// Whether there is a guard, or lanes that have parted may meet here.
    pub special: bool,
}

/// What an instruction does.
pub(crate) enum Work<'a> {
    /// Register to register.
    Alu(Prepared<'a>),
    /// Sets a register to a value that all threads of the launch share: a parameter.
    Fill32(R32, u32),
    /// Likewise.
    Fill64(R64, u64),
    Load(&'a Load),
    Store(&'a Store),
    Atom(&'a Atom),
    Branch(&'a Branch),
    /// `bar.sync` of this barrier, by all threads of the block.
    Sync(u8),
    /// All else; the instruction itself says what.
    Other,
}

/// The steps of a kernel, for a launch with these parameters.
pub(crate) fn prepare<'a>(kernel: &'a LoadedKernel, isa: Isa, params: &[u8]) -> Vec<Ready<'a>> {
    let code = &kernel.ir().code;
    let meetings = meetings(code);
    let steps = code.iter().zip(meetings);
    steps
        .map(|(instruction, meets)| Ready {
            work: work(kernel, instruction, isa, params),
            guard: instruction.guard,
            special: meets || instruction.guard.is_some(),
        })
        .collect()
}

/// For each instruction, whether lanes that have parted may meet there.
fn meetings(code: &[Instruction]) -> Vec<bool> {
    let mut meetings = vec![false; code.len()];
    for instruction in code {
        let meeting = match &instruction.op {
            Op::Bra(branch) => branch.reconverge,
            Op::BrxIdx { reconverge, .. } => *reconverge,
            _ => None,
        };
        if let Some(meets) = meeting.and_then(|pc| meetings.get_mut(pc as usize)) {
            *meets = true;
        }
    }
    meetings
}

fn work<'a>(
    kernel: &LoadedKernel,
    instruction: &'a Instruction,
    isa: Isa,
    params: &[u8],
) -> Work<'a> {
    match &instruction.op {
        Op::Alu(alu) => Work::Alu(Prepared::new(isa, alu)),
        Op::Ld(load) => parameter(kernel, load, params).unwrap_or(Work::Load(load)),
        Op::St(store) => Work::Store(store),
        Op::Atom(atom) => Work::Atom(atom),
        Op::Bra(branch) => Work::Branch(branch),
        Op::Bar(bar) => match simple_barrier(kernel, bar, instruction.guard) {
            Some(id) => Work::Sync(id),
            None => Work::Other,
        },
        _ => Work::Other,
    }
}

/// A load of a whole parameter is the setting of a register.
fn parameter<'a>(kernel: &LoadedKernel, load: &Load, params: &[u8]) -> Option<Work<'a>> {
    if load.space != Space::Param || load.len != 1 {
        return None;
    }
    let address = usize::try_from(fixed(kernel, load.addr)?).ok()?;
    let bytes = params.get(address..)?;
    match (load.ty, load.d[0]?) {
        (MemType::B32, Src::R32(d)) if address.is_multiple_of(4) => {
            Some(Work::Fill32(d, u32::from_le_bytes(*bytes.first_chunk()?)))
        }
        (MemType::B64, Src::R64(d)) if address.is_multiple_of(8) => {
            Some(Work::Fill64(d, u64::from_le_bytes(*bytes.first_chunk()?)))
        }
        _ => None,
    }
}

/// The number of a barrier that all threads of a block wait at, and no more.
fn simple_barrier(kernel: &LoadedKernel, bar: &Bar, guard: Option<Guard>) -> Option<u8> {
    let simple = matches!(bar.kind, BarKind::Sync) && bar.threads.is_none() && guard.is_none();
    let id = constant32(kernel, bar.id).filter(|_| simple)?;
    u8::try_from(id).ok().filter(|id| *id < 16)
}

fn constant32(kernel: &LoadedKernel, register: R32) -> Option<u32> {
    let mut slots = kernel.constants32().iter();
    Some(slots.find(|(slot, _)| *slot == register)?.1)
}

/// An address that is known before execution.
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
