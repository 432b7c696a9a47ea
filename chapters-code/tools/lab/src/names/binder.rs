//! Binds variables to the registers that certainly hold them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::calls::Calls;
use super::cpp::{Function, Source};
use super::expression::Value;
use super::ptx::{Code, Instruction};
use super::scope::Scope;
use super::tokens::{integer_type, integer_word};
use super::values::{Type, as_constant};
use super::variables::Variable;
use crate::source::{Parameter, size_of};

/// Rounds in which variables are found by those found before.
const ROUNDS: usize = 4;

/// A file, a function of it, and a variable of that, by their indices.
pub(super) type Key = (usize, usize, usize);

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(super) struct Bound<'a> {
    pub value: Value,
    pub registers: Vec<&'a str>,
    /// Whether the value is not the same each time it is read, or comes of one that is not.
    pub changes: bool,
}

/// A kernel's code and sources, and what is known of their variables.
pub(super) struct Binder<'a> {
    pub code: Code<'a>,
    pub sources: Vec<(&'a str, Source<'a>)>,
    pub kernel: &'a str,
    /// The kernel's parameters that are integers.
    pub parameters: BTreeMap<String, Value>,
    /// Constants outside of functions; none for a name that has several values.
    pub constants: BTreeMap<&'a str, Option<Value>>,
    /// What template parameters of functions are.
    pub numbers: BTreeMap<(usize, usize, &'a str), u64>,
    pub bound: BTreeMap<Key, Bound<'a>>,
}

impl<'a> Binder<'a> {
    /// Notes the parameters that are single numbers and keep their values, and returns these with their registers.
    pub fn read_parameters(
        &mut self,
        parameters: &[Parameter],
        calls: &Calls,
    ) -> Vec<(String, Vec<&'a str>)> {
        let mut named = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let is_number = !parameter.is_pointer() && size_of(&parameter.declared).is_some();
            if !is_number || parameter.name.is_empty() || self.changes(&parameter.name, calls) {
                continue;
            }
            let location = format!("[{}_param_{index}]", self.kernel);
            let is_load = |one: &&Instruction<'_>| {
                one.has("param") && one.operands == [&location[..]] && one.written.len() == 1
            };
            let loads = self.code.instructions.iter().filter(is_load);
            let only = |one: &&Instruction<'_>| self.code.definitions(one.written[0]).count() == 1;
            let registers: Vec<&str> = loads.filter(only).map(|one| one.written[0]).collect();
            let Some(first) = registers.first() else { continue };
            let words: Vec<&str> =
                parameter.declared.split_whitespace().filter(|word| *word != "const").collect();
            if let Some(dtype) =
                integer_type(&words).filter(|_| words.iter().all(|word| integer_word(word)))
            {
                let value = Value { dtype, values: self.code.value(first) };
                self.parameters.insert(parameter.name.clone(), value);
            }
            named.push((parameter.name.clone(), registers));
        }
        named
    }

    /// Whether a function to which the kernel's parameter of a name belongs changes it.
    fn changes(&self, name: &str, calls: &Calls) -> bool {
        calls.present.iter().any(|&(file, index)| {
            let function = &self.sources[file].1.functions[index];
            let mut parameters = function.parameters.iter();
            parameters.any(|one| one.name == name && one.may_change())
                && calls.passes_on(&self.sources, self.kernel, (file, index), name)
        })
    }

    pub fn read_constants(&mut self) {
        for file in 0..self.sources.len() {
            for (name, dtype, range) in self.sources[file].1.constants.clone() {
                let scope = Scope::of(self, file);
                let value = scope.evaluate(range).map(|value| value.converted(dtype));
                let known = self.constants.entry(name).or_insert(value);
                *known = known.filter(|known| Some(*known) == value);
            }
        }
    }

    /// The variables of the functions that have instructions.
    fn variables(&self, present: &[(usize, usize)]) -> Vec<Key> {
        let of = |&(file, index): &(usize, usize)| {
            let variables = 0..self.sources[file].1.functions[index].variables.len();
            variables.map(move |variable| (file, index, variable))
        };
        present.iter().flat_map(of).collect()
    }

    pub fn bind(&mut self, present: &[(usize, usize)]) {
        let variables: Vec<Key> = self.variables(present);
        for _ in 0..ROUNDS {
            let before = self.bound.len();
            for &key in &variables {
                if self.bound.contains_key(&key) {
                    continue;
                }
                let bound = self.variable(key, None).or_else(|| self.with_number(key));
                self.bound.extend(bound.map(|bound| (key, bound)));
            }
            if self.bound.len() == before {
                break;
            }
        }
    }

    /// A variable whose value needs a template parameter: the number is the only one with which a register fits.
    fn with_number(&mut self, key: Key) -> Option<Bound<'a>> {
        let (file, index, variable) = key;
        let source = &self.sources[file].1;
        let function = &source.functions[index];
        let variable = &function.variables[variable];
        let updates = variable.updates.iter().map(|update| &update.value);
        let used = |name: &&&str| {
            let mut tokens = variable.first.iter().chain(updates.clone()).cloned().flatten();
            tokens.any(|at| source.text(at) == **name)
        };
        let mut open = function.constants.iter().filter(used);
        let open = (open.next().copied()).filter(|_| open.next().is_none())?;
        if self.numbers.contains_key(&(file, index, open)) {
            return None;
        }
        let numbers = self.code.numbers().into_iter();
        let fitting = numbers.filter_map(|number| {
            let bound = self.variable(key, Some((open, number)))?;
            (!bound.registers.is_empty()).then_some((number, bound))
        });
        let fitting: Vec<(u64, Bound<'a>)> = fitting.take(2).collect();
        let [(number, bound)] = &fitting[..] else { return None };
        self.numbers.insert((file, index, open), *number);
        Some(bound.clone())
    }

    /// What is certain of a variable, perhaps with a number for a template parameter.
    fn variable(&self, key: Key, number: Option<(&str, u64)>) -> Option<Bound<'a>> {
        let (file, index, variable) = key;
        let function = &self.sources[file].1.functions[index];
        let of = &function.variables[variable];
        if of.is_doubtful {
            return None;
        }
        let scope = Scope { function: Some(index), number, ..Scope::of(self, file) };
        match (&of.first, &of.updates[..]) {
            (Some(first), []) => self.unchanging(&scope, function, of, first.clone(), of.line),
            (None, [update]) if update.operator.is_empty() => {
                self.unchanging(&scope, function, of, update.value.clone(), update.line)
            }
            _ => self.changing(Scope { own: Some(variable), ..scope }, of),
        }
    }

    /// A variable with one value.
    fn unchanging(
        &self,
        scope: &Scope<'_, 'a>,
        function: &Function<'a>,
        variable: &Variable<'a>,
        value: Range<usize>,
        line: u32,
    ) -> Option<Bound<'a>> {
        let location = (self.sources[scope.file].0, line);
        let Some((value, dtype)) = scope.evaluate(value.clone()).zip(variable.dtype) else {
            return self.only_instruction(scope, function, variable, value, location);
        };
        let value = value.converted(dtype);
        let mut registers = self.code.equal_to(&value.values);
        // What is constant may be anything's value.
        registers.retain(|register| {
            as_constant(&value.values).is_none() && !self.code.is_float(register)
        });
        let is_at_line = |register: &&str| {
            self.code.definitions(register).any(|definition| definition.source == Some(location))
        };
        if scope.is_assumed.get() && !registers.iter().any(is_at_line) {
            return None;
        }
        let changes = scope.reads_changing.get();
        if changes {
            registers.retain(is_at_line);
        }
        let registers = ordered(&self.code, registers, dtype);
        Some(Bound { value, registers, changes })
    }

    /// A variable whose whole value is an operation of which its line has one instruction.
    fn only_instruction(
        &self,
        scope: &Scope<'_, 'a>,
        function: &Function<'a>,
        variable: &Variable<'a>,
        value: Range<usize>,
        location: (&str, u32),
    ) -> Option<Bound<'a>> {
        let source = &self.sources[scope.file].1;
        let is_it = instruction_of(source, function, value)?;
        let at_line = || self.code.instructions.iter().filter(|one| one.source == Some(location));
        let mut fitting = at_line().filter(|one| is_it(one));
        let only = fitting.next().filter(|one| fitting.next().is_none() && !one.is_guarded)?;
        // A shuffle may also write a predicate. A vector is more than its first register.
        let is_single = only.root() == "shfl" || only.written.len() == 1 && !only.is_of_vectors();
        let register = *only.written.first().filter(|_| is_single)?;
        let bits = self.code.bits(register);
        let has_type = match variable.dtype {
            Some(dtype) => dtype.bits == bits && !self.code.is_float(register) && !only.is_float(),
            None => self.code.is_of(register, source.text(variable.scope.start - 1)),
        };
        // The variable then has the other type.
        let is_converted = at_line().any(|one| one.root() == "cvt" && one.operands == [register]);
        let is_only = self.code.definitions(register).count() == 1;
        let is_certain = has_type && bits >= 32 && is_only && !is_converted;
        let dtype = variable.dtype.unwrap_or(Type { bits, is_signed: false });
        let value = Value { dtype, values: self.code.value(register) };
        is_certain.then(|| Bound { value, registers: vec![register], changes: false })
    }
}

/// Registers with the variable's own width first, in the order in which the text defines them.
fn ordered<'a>(code: &Code<'a>, mut registers: Vec<&'a str>, dtype: Type) -> Vec<&'a str> {
    registers.sort_by_key(|register| {
        let line = code.definitions(register).next().map(|one| one.ptx_line);
        (code.bits(register) != dtype.bits, line)
    });
    registers
}

/// Which instruction an expression is that is one operation; none for any other expression.
fn instruction_of(
    source: &Source<'_>,
    function: &Function<'_>,
    value: Range<usize>,
) -> Option<fn(&Instruction<'_>) -> bool> {
    let name = source.text(value.start);
    let is_whole = |open: usize| source.closing(open) + 1 == value.end;
    let is_plain = || !value.clone().skip(2).any(|at| matches!(source.text(at), "[" | "("));
    let open = value.start + 1;
    match source.text(open) {
        _ if value.len() == 1 && function.shared.contains(&name) => Some(is_load_of_shared),
        "[" if is_whole(open) && is_plain() => Some(is_load),
        "(" if is_whole(open) && name == "__ballot_sync" => Some(is_ballot),
        "(" if is_whole(open) && name.starts_with("__shfl_") => Some(is_shuffle),
        "(" if is_whole(open) && name.starts_with("atomic") => Some(is_atomic),
        _ => None,
    }
}

fn is_load(one: &Instruction<'_>) -> bool {
    one.root() == "ld" && !one.has("param") && !one.has("const")
}

fn is_load_of_shared(one: &Instruction<'_>) -> bool {
    one.root() == "ld" && one.has("shared")
}

fn is_ballot(one: &Instruction<'_>) -> bool {
    one.has("ballot")
}

fn is_shuffle(one: &Instruction<'_>) -> bool {
    one.root() == "shfl"
}

fn is_atomic(one: &Instruction<'_>) -> bool {
    one.root() == "atom"
}
