//! Variables that change: each has the register that changes alike.

use std::collections::BTreeSet;

use super::addresses::is_arithmetic;
use super::binder::{Binder, Bound};
use super::expression::{Value, assigning, combined};
use super::ptx::Instruction;
use super::scope::Scope;
use super::values::{Type, Values, constant, unknown};
use super::variables::{Update, Variable};

impl<'a> Binder<'a> {
    /// A variable that changes: the only register that changes like it, among those that its assignment writes.
    pub fn changing(&self, scope: Scope<'_, 'a>, variable: &Variable<'a>) -> Option<Bound<'a>> {
        let dtype = variable.dtype.filter(|dtype| dtype.bits >= 32)?;
        let update = variable.updates.iter().find(|update| !update.operator.is_empty())?;
        let location = Some((self.sources[scope.file].0, update.line));
        let at_line = self.code.instructions.iter().filter(|one| one.source == location);
        let written: BTreeSet<&'a str> = at_line.flat_map(|one| &one.written).copied().collect();
        let is_it = |register: &&'a str| {
            self.code.bits(register) == dtype.bits
                && (self.changes_alike(&scope, variable, dtype, register)
                    || self.is_kept_alike(&scope, variable, dtype, register))
        };
        let mut fitting = written.into_iter().filter(is_it);
        let register = fitting.next().filter(|_| fitting.next().is_none())?;
        let value = Value { dtype, values: self.code.value(register) };
        Some(Bound { value, registers: vec![register], changes: true })
    }

    /// The register in which a `mov` keeps one with a single definition, for the next round of a loop.
    fn kept_in(&self, register: &str) -> Option<&'a str> {
        let count = |register: &str| self.code.definitions(register).count();
        let mut movs = self.code.instructions.iter().filter(|one| one.root() == "mov");
        let kept = movs.find_map(|one| match (&one.operands[..], &one.written[..]) {
            ([from], [to]) if *from == register && count(to) > 1 => Some(*to),
            _ => None,
        });
        kept.filter(|_| count(register) == 1)
    }

    /// Whether a register is computed from what another one keeps of the round before, as the variable is from itself,
    /// and from what that one has at first, to the variable's first value.
    fn is_kept_alike(
        &self,
        scope: &Scope<'_, 'a>,
        variable: &Variable<'a>,
        dtype: Type,
        register: &'a str,
    ) -> bool {
        let Some(in_other) = self.kept_in(register) else { return false };
        let own = Value { dtype, values: unknown(&format!("own {register}"), dtype.bits) };
        scope.own_value.set(Some(own));
        let (Some(values), Some(definition)) =
            (assigned(scope, variable, own), self.code.definitions(register).next())
        else {
            return false;
        };
        let [Update { operator, line, .. }] = &variable.updates[..] else { return false };
        let results = self.code.definitions(in_other).map(|other| {
            let before = match other.root() == "mov" && other.operands == [register] {
                true => own.values,
                false => self.code.result(other),
            };
            self.code.computed(definition, Some((in_other, &before)))
        });
        let results: Vec<Option<Values>> = results.collect();
        !operator.is_empty()
            && !scope.reads_changing.get()
            && !definition.is_guarded
            && definition.source == Some((self.sources[scope.file].0, *line))
            && results.iter().all(|result| result.is_some_and(|result| values.contains(&result)))
            && values.iter().all(|value| results.contains(&Some(*value)))
    }

    /// Whether each definition of a register is one of the values of a variable, and each value a definition.
    fn changes_alike(
        &self,
        scope: &Scope<'_, 'a>,
        variable: &Variable<'a>,
        dtype: Type,
        register: &'a str,
    ) -> bool {
        let definitions: Vec<_> = self.code.definitions(register).collect();
        if definitions.len() < 2 {
            return false;
        }
        let own = Value { dtype, values: unknown(register, dtype.bits) };
        scope.own_value.set(Some(own));
        let Some(values) = assigned(scope, variable, own) else { return false };
        let results: Vec<Values> = definitions.iter().map(|one| self.code.result(one)).collect();
        let file = self.sources[scope.file].0;
        let computes = |line: u32, value: &Values| {
            definitions.iter().zip(&results).any(|(one, result)| {
                one.source == Some((file, line)) && result == value && self.is_last_of_block(one)
            })
        };
        // A register that keeps the value of an earlier round is the variable for part of the loop.
        let is_copied = self.code.instructions.iter().any(|one| {
            let copy = one.written.first().is_some_and(|to| self.code.definitions(to).count() == 1);
            one.root() == "mov" && one.operands == [register] && copy
        });
        let is_updated = |update: &Update, value: &Values| {
            update.operator.is_empty() || computes(update.line, value)
        };
        let updated = &values[values.len() - variable.updates.len()..];
        // Its first value, of another variable that changes, is the register's if both are of one line.
        let begins_alike = |first: &Values| {
            let mut all = definitions.iter().zip(&results);
            all.any(|(one, result)| one.source == Some((file, variable.line)) && result == first)
        };
        let first = variable.first.as_ref().map(|_| &values[0]);
        let is_certain = !scope.reads_changing.get() || first.is_none_or(begins_alike);
        !is_copied
            && is_certain
            && variable.updates.iter().any(|update| !update.operator.is_empty())
            && variable.updates.iter().zip(updated).all(|(update, value)| is_updated(update, value))
            && results.iter().all(|result| values.contains(result))
            && values.iter().all(|value| results.contains(value))
    }

    /// Whether nothing but arithmetic stands behind an instruction in its block, so that a new value of a loop's
    /// variable is there only when the round has ended.
    fn is_last_of_block(&self, one: &Instruction<'_>) -> bool {
        let instructions = self.code.instructions.iter();
        let behind = instructions.skip_while(|other| other.ptx_line <= one.ptx_line);
        let mut rest = behind.take_while(|other| other.block == one.block);
        rest.all(|other| is_arithmetic(other) || other.root() == "bra")
    }
}

/// The values of a variable, the first one first; none if one is not understood.
fn assigned(scope: &Scope<'_, '_>, variable: &Variable<'_>, own: Value) -> Option<Vec<Values>> {
    let mut values = Vec::new();
    if let Some(first) = &variable.first {
        values.push(scope.evaluate(first.clone())?.converted(own.dtype).values);
    }
    for update in &variable.updates {
        let value = match &update.operator[..] {
            "++" | "--" => Value { dtype: Type::INT, values: constant(1) },
            _ => scope.evaluate(update.value.clone())?,
        };
        let value = match &update.operator[..] {
            "" => value,
            operator => combined(assigning(operator)?, own, value),
        };
        values.push(value.converted(own.dtype).values);
    }
    Some(values)
}
