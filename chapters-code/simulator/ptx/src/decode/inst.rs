//! An instruction during decoding, with the modifiers that have been accounted for.

use super::Decoded;
use crate::error::ErrorKind;
use crate::ir::Round;
use crate::syntax::{Instruction, Operand, Type};

/// The roundings `.rn`, `.rz`, `.rm` and `.rp`.
pub(super) const ROUNDINGS: [(&str, Round); 4] =
    [("rn", Round::NearestEven), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

/// An instruction, and the set of its modifiers that are accounted for.
pub(super) struct Inst<'i, 'a> {
    pub syntax: &'i Instruction<'a>,
    used: u64,
}

impl<'i, 'a> Inst<'i, 'a> {
    pub fn new(syntax: &'i Instruction<'a>) -> Decoded<Self> {
        if syntax.modifiers.len() > u64::BITS as usize {
            return Err(ErrorKind::TooMany("modifiers"));
        }
        Ok(Self { syntax, used: 0 })
    }

    /// Iterates over the remaining modifiers, with their bits in `used`.
    fn left(&self) -> impl Iterator<Item = (u64, &'a str)> + use<'i, 'a> {
        let used = self.used;
        let bits = (0..).map(|index| 1u64 << (index & 63));
        bits.zip(self.syntax.modifiers.iter().copied()).filter(move |(bit, _)| used & bit == 0)
    }

    /// Accounts for the first modifier that `wanted` maps to a value.
    pub fn take<T>(&mut self, wanted: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        let (bit, value) = self.left().find_map(|(bit, name)| Some((bit, wanted(name)?)))?;
        self.used |= bit;
        Some(value)
    }

    /// Accounts for a modifier if it is present.
    pub fn flag(&mut self, name: &str) -> bool {
        self.take(|modifier| (modifier == name).then_some(())).is_some()
    }

    /// Accounts for one modifier of a table, if there is one.
    pub fn choose<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        self.take(|modifier| {
            table.iter().find(|(name, _)| *name == modifier).map(|&(_, value)| value)
        })
    }

    /// Accounts for one modifier of a table, which must be present.
    pub fn require<T: Copy>(&mut self, table: &[(&str, T)]) -> Decoded<T> {
        self.choose(table).ok_or_else(|| self.unsupported())
    }

    /// Accounts for the first type.
    pub fn ty(&mut self) -> Decoded<Type> {
        self.take(Type::named).ok_or_else(|| self.unsupported())
    }

    /// Accounts for a rounding, which defaults to nearest even.
    pub fn rounding(&mut self) -> Round {
        self.choose(&ROUNDINGS).unwrap_or(Round::NearestEven)
    }

    /// Returns an error unless every modifier was accounted for.
    pub fn finish(&self) -> Decoded<()> {
        if self.left().next().is_some() { Err(self.unsupported()) } else { Ok(()) }
    }

    /// Checks [`Self::finish`] and that there are exactly `N` operands.
    pub fn operands<const N: usize>(&self) -> Decoded<&'i [Operand<'a>; N]> {
        self.finish()?;
        let operands = &self.syntax.operands;
        operands.as_slice().try_into().map_err(|_| self.operand_count(operands.len()))
    }

    /// Returns the error for a wrong number of operands.
    pub fn operand_count(&self, found: usize) -> ErrorKind {
        ErrorKind::Operand {
            instruction: self.syntax.opcode.into(),
            expected: "another number of operands",
            found: found.to_string(),
        }
    }

    pub fn unsupported(&self) -> ErrorKind {
        ErrorKind::UnsupportedInstruction(self.syntax.opcode.into())
    }
}
