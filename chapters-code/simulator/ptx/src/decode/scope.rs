//! Names inside a function.

use super::Decoded;
use super::registers::{Registers, Slot};
use crate::error::ErrorKind;
use crate::ir::{Const, Space};
use crate::syntax::{Registers as Declaration, Type};
use std::collections::HashMap;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity<'m, 'a> {
    /// A register; it gets its number when it is first used.
    Register { ty: Type, slot: Option<Slot> },
    /// A variable in local or parameter space.
    Variable { space: Space, offset: u32, bytes: u32 },
    /// A variable in shared space: its address.
    Shared(Const),
    /// `.branchtargets`
    Targets(&'m [&'a str]),
}

/// A label, before its index is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(pub u32);

/// The declarations between one pair of braces.
#[derive(Default)]
struct Scope<'m, 'a> {
    entities: HashMap<&'a str, Entity<'m, 'a>>,
    /// Declarations such as `%r<8>`: prefix, type and count.
    ranges: HashMap<&'a str, (Type, u32)>,
    labels: HashMap<&'a str, Label>,
}

impl Scope<'_, '_> {
    /// Returns the type of `%r7` if `%r<8>` is declared here.
    fn in_range(&self, name: &str) -> Option<Type> {
        const LONGEST_NUMBER: usize = 10;
        if self.ranges.is_empty() {
            return None;
        }
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=digits.min(LONGEST_NUMBER)).find_map(|length| {
            let (prefix, number) = name.split_at(name.len() - length);
            let &(ty, count) = self.ranges.get(prefix)?;
            let plain = length == 1 || !number.starts_with('0');
            (plain && number.parse::<u32>().ok()? < count).then_some(ty)
        })
    }
}

/// The open scopes, the innermost last.
#[derive(Default)]
pub(super) struct Scopes<'m, 'a> {
    open: Vec<Scope<'m, 'a>>,
    /// Scopes before this one belong to the callers of an inlined function and are not visible.
    floor: usize,
}

impl<'m, 'a> Scopes<'m, 'a> {
    pub fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// Enters a function, which sees nothing outside it. Returns the argument of
    /// [`Self::leave_function`].
    pub fn enter_function(&mut self) -> usize {
        let outer = std::mem::replace(&mut self.floor, self.open.len());
        self.enter();
        outer
    }

    pub fn leave_function(&mut self, outer: usize) {
        self.leave();
        self.floor = outer;
    }

    pub fn declare(&mut self, name: &'a str, entity: Entity<'m, 'a>) -> Decoded<()> {
        match self.open.last_mut().and_then(|scope| scope.entities.insert(name, entity)) {
            Some(_) => Err(ErrorKind::Redeclared(name.into())),
            None => Ok(()),
        }
    }

    pub fn declare_registers(&mut self, declaration: &Declaration<'a>) -> Decoded<()> {
        let &Declaration { ty, name, count, .. } = declaration;
        let Some(count) = count else {
            return self.declare(name, Entity::Register { ty, slot: None });
        };
        match self.open.last_mut().and_then(|scope| scope.ranges.insert(name, (ty, count))) {
            Some(_) => Err(ErrorKind::Redeclared(name.into())),
            None => Ok(()),
        }
    }

    pub fn declare_label(&mut self, name: &'a str, label: Label) -> Decoded<()> {
        match self.open.last_mut().and_then(|scope| scope.labels.insert(name, label)) {
            Some(_) => Err(ErrorKind::Redeclared(name.into())),
            None => Ok(()),
        }
    }

    pub fn label(&self, name: &str) -> Decoded<Label> {
        let mut visible = self.open[self.floor..].iter().rev();
        visible
            .find_map(|scope| scope.labels.get(name).copied())
            .ok_or_else(|| ErrorKind::Undeclared(name.into()))
    }

    /// Returns the meaning of a name. A register has its number.
    pub fn get(
        &mut self,
        name: &'a str,
        registers: &mut Registers,
    ) -> Decoded<Option<Entity<'m, 'a>>> {
        for scope in self.open[self.floor..].iter_mut().rev() {
            if let Some(entity) = scope.entities.get_mut(name) {
                if let Entity::Register { ty, slot: slot @ None } = entity {
                    *slot = Some(registers.named(*ty)?);
                }
                return Ok(Some(*entity));
            }
            if let Some(ty) = scope.in_range(name) {
                let entity = Entity::Register { ty, slot: Some(registers.named(ty)?) };
                scope.entities.insert(name, entity);
                return Ok(Some(entity));
            }
        }
        Ok(None)
    }
}
