//! Numbers registers, constants and special registers.
//!
//! Constants follow the registers that the PTX names, whose number is known only at the end of a
//! kernel. A kernel is therefore decoded twice, the first time to count.

use super::Decoded;
use super::layout;
use crate::error::ErrorKind;
use crate::ir::{Const, Pred, R32, R64, Special, SpecialSlot};
use crate::limits::{Origin, Origins};
use crate::syntax::Type;
use std::collections::HashMap;
use std::hash::Hash;

/// A register of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    R32(R32),
    R64(R64),
    Pred(Pred),
}

/// The number of registers in each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub r32: u32,
    pub r64: u32,
    pub pred: u32,
}

/// Hands out register numbers.
#[derive(Default)]
pub(super) struct Registers {
    /// The registers that the PTX names, so far.
    pub named: Counts,
    /// The next free numbers behind the named registers.
    next: Counts,
    constants32: HashMap<Const, R32>,
    constants64: HashMap<Const, R64>,
    constant_predicates: HashMap<bool, Pred>,
    specials: HashMap<Special, SpecialSlot>,
    carry: Option<R32>,
    /// The lists of [`crate::ir::Kernel`], in order of creation.
    pub lists: Lists,
}

/// Slots with a fixed value, in order of creation.
#[derive(Default)]
pub(super) struct Lists {
    pub constants32: Vec<(R32, Const)>,
    pub constants64: Vec<(R64, Const)>,
    pub constant_predicates: Vec<(Pred, bool)>,
    pub specials: Vec<(SpecialSlot, Special)>,
}

impl Lists {
    /// Returns what the slots hold, for [`crate::limits::mark`].
    pub fn origins(&self, shared_variables: &[(String, u32, u32)]) -> Origins {
        let limits = |index: usize| Origin::Variable(layout::limits(&shared_variables[index]));
        let dynamic = shared_variables.iter().position(|variable| variable.2 == 0);
        let of = |value: Const| match value {
            Const::Bits(_) => Origin::Number,
            Const::Address(..) | Const::GenericAddress(..) => Origin::Unknown,
            Const::Shared { variable, .. } => limits(variable as usize),
            Const::DynamicShared(_) => dynamic.map_or(Origin::Unknown, limits),
        };
        let all32 = self.constants32.iter().map(|&(r, value)| (r.into(), of(value)));
        let all64 = self.constants64.iter().map(|&(r, value)| (r.into(), of(value)));
        let specials = self.specials.iter().map(|&(slot, _)| match slot {
            SpecialSlot::R32(r) => (r.into(), Origin::Number),
            SpecialSlot::R64(r) => (r.into(), Origin::Number),
        });
        all32.chain(all64).chain(specials).collect()
    }
}

fn number(next: &mut u32, what: &'static str) -> Decoded<u16> {
    // The size of a file is a `u16` too, so the last number is never used.
    let number = u16::try_from(*next).ok().filter(|&number| number < u16::MAX);
    *next += 1;
    number.ok_or(ErrorKind::TooMany(what))
}

fn number32(counts: &mut Counts) -> Decoded<R32> {
    number(&mut counts.r32, "32-bit registers").map(R32)
}

fn number64(counts: &mut Counts) -> Decoded<R64> {
    number(&mut counts.r64, "64-bit registers").map(R64)
}

fn number_pred(counts: &mut Counts) -> Decoded<Pred> {
    number(&mut counts.pred, "predicates").map(Pred)
}

impl Registers {
    /// Creates the numbering for constants behind this many registers.
    pub fn behind(named: Counts) -> Self {
        Self { next: named, ..Self::default() }
    }

    /// Returns the used numbers of each file, which are the sizes of the files.
    pub fn sizes(&self) -> Counts {
        self.next
    }

    /// Returns a register that the PTX names.
    pub fn named(&mut self, ty: Type) -> Decoded<Slot> {
        Ok(match (ty, ty.bytes()) {
            (Type::Pred, _) => Slot::Pred(number_pred(&mut self.named)?),
            (_, 8) => Slot::R64(number64(&mut self.named)?),
            _ => Slot::R32(number32(&mut self.named)?),
        })
    }

    /// Returns a 32-bit register for an intermediate result.
    pub fn scratch32(&mut self) -> Decoded<R32> {
        number32(&mut self.next)
    }

    /// Returns a 64-bit register for an intermediate result.
    pub fn scratch64(&mut self) -> Decoded<R64> {
        number64(&mut self.next)
    }

    /// Returns a predicate register for an intermediate result.
    pub fn scratch_pred(&mut self) -> Decoded<Pred> {
        number_pred(&mut self.next)
    }

    /// Returns the register of the condition code's carry flag.
    pub fn carry(&mut self) -> Decoded<R32> {
        match self.carry {
            Some(carry) => Ok(carry),
            None => Ok(*self.carry.insert(number32(&mut self.next)?)),
        }
    }

    pub fn constant32(&mut self, value: Const) -> Decoded<R32> {
        let (known, list) = (&mut self.constants32, &mut self.lists.constants32);
        known_or_new(known, list, value, || number32(&mut self.next))
    }

    pub fn constant64(&mut self, value: Const) -> Decoded<R64> {
        let (known, list) = (&mut self.constants64, &mut self.lists.constants64);
        known_or_new(known, list, value, || number64(&mut self.next))
    }

    pub fn constant_pred(&mut self, value: bool) -> Decoded<Pred> {
        let (known, list) = (&mut self.constant_predicates, &mut self.lists.constant_predicates);
        known_or_new(known, list, value, || number_pred(&mut self.next))
    }

    pub fn special(&mut self, special: Special) -> Decoded<SpecialSlot> {
        let (known, list) = (&mut self.specials, &mut self.lists.specials);
        known_or_new(known, list, special, || match special {
            Special::GridId => number64(&mut self.next).map(SpecialSlot::R64),
            _ => number32(&mut self.next).map(SpecialSlot::R32),
        })
    }
}

/// Returns the register that holds a value. A new one is also added to the list.
fn known_or_new<V: Copy + Eq + Hash, R: Copy>(
    known: &mut HashMap<V, R>,
    list: &mut Vec<(R, V)>,
    value: V,
    number: impl FnOnce() -> Decoded<R>,
) -> Decoded<R> {
    if let Some(&register) = known.get(&value) {
        return Ok(register);
    }
    let register = number()?;
    known.insert(value, register);
    list.push((register, value));
    Ok(register)
}
