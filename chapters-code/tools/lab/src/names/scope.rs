//! Where an expression stands, which gives its names their values.

use std::cell::Cell;
use std::ops::Range;

use super::binder::Binder;
use super::expression::{Lookup, Value, evaluate};
use super::values::{Type, constant};
use super::variables::Variable;

/// Where an expression stands, which gives its names their values.
pub(super) struct Scope<'b, 'a> {
    pub binder: &'b Binder<'a>,
    pub file: usize,
    pub function: Option<usize>,
    /// The variable that changes, and its value.
    pub own: Option<usize>,
    pub own_value: Cell<Option<Value>>,
    /// A number for a template parameter.
    pub number: Option<(&'b str, u64)>,
    /// Whether something was taken for known that a register has to confirm.
    pub is_assumed: Cell<bool>,
    /// Whether another variable that changes was read: what was computed from it at another line may come of another
    /// value of it.
    pub reads_changing: Cell<bool>,
}

impl<'b, 'a> Scope<'b, 'a> {
    pub fn of(binder: &'b Binder<'a>, file: usize) -> Self {
        let (function, own, number) = (None, None, None);
        Self {
            binder,
            file,
            function,
            own,
            own_value: Cell::new(None),
            number,
            is_assumed: Cell::new(false),
            reads_changing: Cell::new(false),
        }
    }

    pub fn evaluate(&self, range: Range<usize>) -> Option<Value> {
        evaluate(&self.binder.sources[self.file].1, range, self, 0)
    }

    /// What the function's own declarations say of a name: a value, or that there is none.
    fn of_function(&self, index: usize, name: &str, at: usize) -> Option<Option<Value>> {
        let function = &self.binder.sources[self.file].1.functions[index];
        let is_it = |one: &Variable<'_>| {
            one.name == name && one.scope.start < at && one.scope.contains(&at)
        };
        if let Some(variable) = function.variables.iter().rposition(is_it) {
            if self.own == Some(variable) {
                return Some(self.own_value.get());
            }
            let bound = self.binder.bound.get(&(self.file, index, variable));
            let changes = bound.is_some_and(|bound| bound.changes);
            self.reads_changing.set(self.reads_changing.get() || changes);
            return Some(bound.map(|bound| bound.value));
        }
        if function.constants.contains(&name) {
            let known =
                self.binder.numbers.iter().find(|((file, of, number), _)| {
                    (*file, *of, *number) == (self.file, index, name)
                });
            let assumed =
                self.number.filter(|(number, _)| *number == name).map(|(_, number)| number);
            self.is_assumed.set(true);
            let number = known.map(|(_, number)| *number).or(assumed);
            return Some(
                number.map(|number| Value { dtype: Type::UNSIGNED, values: constant(number) }),
            );
        }
        if let Some(parameter) = function.parameters.iter().find(|one| one.name == name) {
            if parameter.may_change() {
                return Some(None);
            }
            // A function that the kernel calls may be given something else under this name.
            self.is_assumed.set(self.is_assumed.get() || function.name != self.binder.kernel);
            return Some(self.binder.parameters.get(name).copied());
        }
        None
    }
}

impl Lookup for Scope<'_, '_> {
    fn name(&self, name: &str, at: usize) -> Option<Value> {
        let own = self.function.and_then(|index| self.of_function(index, name, at));
        own.unwrap_or_else(|| self.binder.constants.get(name).copied().flatten())
    }

    fn call(&self, name: &str, depth: usize) -> Option<Value> {
        let mut found = None;
        for (file, (_, source)) in self.binder.sources.iter().enumerate() {
            for (index, function) in source.functions.iter().enumerate() {
                if function.name == name && found.replace((file, index)).is_some() {
                    return None; // Several functions have the name.
                }
            }
        }
        let (file, index) = found?;
        let source = &self.binder.sources[file].1;
        let function = &source.functions[index];
        let Range { start, end } = function.body;
        let is_expression =
            source.text(start) == "return" && source.expression_end(start + 1) + 1 == end;
        if !is_expression || !function.parameters.is_empty() {
            return None;
        }
        let scope = Scope { function: Some(index), ..Scope::of(self.binder, file) };
        let value = evaluate(source, start + 1..end - 1, &scope, depth)?;
        Some(value.converted(function.returns?))
    }
}
