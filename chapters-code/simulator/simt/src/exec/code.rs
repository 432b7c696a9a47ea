//! A kernel made ready for one launch: what can be known of its instructions before they are
//! executed is looked up once.

use ptx::ir::{
    Address, Atom, Bar, BarKind, Branch, Guard, Instruction, Load, MemType, Op, Order, R32, R64,
    Space, Src, Store,
};

use super::transfer::Shape;
use super::words;
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

impl<'a> Ready<'a> {
    /// The branch that it is, if lanes cannot meet there.
    #[inline(always)]
    pub fn plain_branch(&self) -> Option<&'a Branch> {
        match self.work {
            Work::Branch(branch) if !self.special => Some(branch),
            _ => None,
        }
    }
}

/// All instructions of a kernel.
pub(crate) struct Steps<'a> {
    pub all: Vec<Ready<'a>>,
    /// Those from register to register, in order.
    pub alu: Vec<Prepared<'a>>,
}

/// What an instruction does.
pub(crate) enum Work<'a> {
    /// Register to register: one of [`Steps::alu`].
    Alu {
        index: u32,
        /// How many such instructions follow one another from here on, none of them special. 0 if
        /// this one is.
        straight: u32,
    },
    /// Sets a register to a value that all threads of the launch share: a parameter.
    Fill32(R32, u32),
    /// Likewise.
    Fill64(R64, u64),
    Load(&'a Load, Shape),
    /// A load of words that may lie side by side.
    LoadWords(&'a Load, Shape),
    /// A load of what others may write meanwhile.
    Poll(&'a Load, Shape),
    Store(&'a Store, Shape),
    /// A store of words that may lie side by side.
    StoreWords(&'a Store, Shape),
    Atom(&'a Atom),
    Branch(&'a Branch),
    /// `bar.sync` of this barrier, by all threads of the block.
    Sync(u8),
    /// All else; the instruction itself says what.
    Other,
}

/// The steps of a kernel, for a launch with these parameters.
pub(crate) fn prepare<'a>(kernel: &'a LoadedKernel, isa: Isa, params: &[u8]) -> Steps<'a> {
    let code = &kernel.ir().code;
    let mut alu = Vec::new();
    let mut all: Vec<Ready<'a>> = Vec::with_capacity(code.len());
    for (instruction, meets) in code.iter().zip(meetings(code)) {
        let work = if let Op::Alu(operation) = &instruction.op {
            alu.push(Prepared::new(isa, operation));
            let (index, straight) = (alu.len() as u32 - 1, 0);
            Work::Alu { index, straight }
        } else {
            work(kernel, instruction, params)
        };
        all.push(Ready {
            work,
            guard: instruction.guard,
            special: meets || instruction.guard.is_some(),
        });
    }
    let mut following = 0;
    for step in all.iter_mut().rev() {
        let is_special = step.special;
        following = match &mut step.work {
            Work::Alu { straight, .. } if !is_special => {
                *straight = following + 1;
                *straight
            }
            _ => 0,
        };
    }
    Steps { all, alu }
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

fn work<'a>(kernel: &LoadedKernel, instruction: &'a Instruction, params: &[u8]) -> Work<'a> {
    match &instruction.op {
        Op::Ld(load) if load.order != Order::Weak => Work::Poll(load, Shape::of_load(load)),
        Op::Ld(load) if words::is_load(load) => Work::LoadWords(load, Shape::of_load(load)),
        Op::Ld(load) => {
            parameter(kernel, load, params).unwrap_or(Work::Load(load, Shape::of_load(load)))
        }
        Op::St(store) if words::is_store(store) => Work::StoreWords(store, Shape::of_store(store)),
        Op::St(store) => Work::Store(store, Shape::of_store(store)),
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
