//! The source's names for what registers hold, where they are certain.
//!
//! A compiler keeps no names. A register has a variable's name if it must hold the variable's value: a variable with one
//! value has the register that is computed, in whatever way, to the same ([`values`]); or its whole value is one load,
//! atomic operation, shuffle or ballot, and the line of the declaration has exactly one such instruction. A variable
//! that changes has the only register whose every definition is a value that the source gives the variable, at the line
//! of that assignment. In any doubt there is no name.

mod cpp;
mod expression;
pub mod ptx;
mod values;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};

use simt_report::{Event, Trace};

use crate::data::File;
use crate::registers::Thread;
use crate::source::{Parameter, without_comments};
use cpp::{Function, Source, Variable, integer_type};
use expression::{Lookup, Value, assigning, combined, evaluate};
use ptx::{Code, Instruction, is_telling};
use values::{Type, Values, constant, unknown};

/// Rounds in which variables are found by those found before.
const ROUNDS: usize = 4;
/// Events of a trace that are looked back over for the line at which a function is.
const MOST_BACK: usize = 1 << 15;

/// The names of a kernel's registers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Parameters first, and then variables in the order of the source.
    all: Vec<Named>,
    /// The functions of the variables: the file, whether it is the kernel's own, and the lines.
    functions: Vec<(String, bool, RangeInclusive<u32>)>,
}

/// A variable, or a parameter that is no pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The registers that hold the value once they are written, all the same one.
    pub registers: Vec<String>,
    /// The index of the function and the lines of the scope; none for a parameter.
    scope: Option<(usize, RangeInclusive<u32>)>,
}

impl Names {
    /// The names for a kernel of a module. `files` are the sources that its instructions have lines of, the kernel's own
    /// file first.
    pub fn of(module: &str, kernel: &str, files: &[File], parameters: &[Parameter]) -> Self {
        let texts: Vec<String> = files.iter().map(|file| without_comments(&file.text)).collect();
        let sources = files.iter().zip(&texts).map(|(file, text)| (&*file.name, Source::of(text)));
        let mut binder = Binder {
            code: Code::of(module, kernel),
            sources: sources.collect(),
            kernel,
            parameters: BTreeMap::new(),
            constants: BTreeMap::new(),
            numbers: BTreeMap::new(),
            bound: BTreeMap::new(),
        };
        let mut names = Self { all: binder.read_parameters(parameters), functions: Vec::new() };
        binder.read_constants();
        binder.bind();
        binder.add_to(&mut names);
        names
    }

    /// All names with their registers.
    pub fn all(&self) -> &[Named] {
        &self.all
    }

    /// The names that are in scope for a thread at an event: those of the function that its warp is in, and of the
    /// kernel's own file. Of two with one name the inner one counts.
    pub fn in_scope(&self, trace: &Trace, thread: Thread, event: usize) -> Vec<&Named> {
        let lines = self.lines(trace, thread, event);
        let mut scope: Vec<&Named> = Vec::new();
        for named in &self.all {
            let is_there = match &named.scope {
                None => true,
                Some((function, range)) => {
                    lines[*function].is_some_and(|line| range.contains(&line))
                }
            };
            if is_there {
                scope.retain(|outer| outer.name != named.name);
                scope.push(named);
            }
        }
        scope
    }

    /// For each function the last line at which the thread's warp was there, if it may still be there.
    fn lines(&self, trace: &Trace, thread: Thread, event: usize) -> Vec<Option<u32>> {
        let mut lines = vec![None; self.functions.len()];
        let mut has_current = false;
        let until = &trace.events[..trace.events.len().min(event + 1)];
        for it in until.iter().rev().take(MOST_BACK) {
            let Event::Instruction { place, .. } = it else { continue };
            if (place.block, place.warp) != (thread.block, thread.warp) {
                continue;
            }
            let Some((file, line)) = place.line.rsplit_once(':') else { continue };
            let Ok(line) = line.parse::<u32>() else { continue };
            let mut is_inside = false;
            for ((of, is_own, range), found) in self.functions.iter().zip(&mut lines) {
                if of == file && range.contains(&line) {
                    is_inside = true;
                    if found.is_none() && (*is_own || !has_current) {
                        *found = Some(line);
                    }
                }
            }
            has_current |= is_inside;
            let mut own = self.functions.iter().zip(&lines).filter(|((_, is_own, _), _)| *is_own);
            if has_current && own.all(|(_, line)| line.is_some()) {
                break;
            }
        }
        lines
    }
}

/// A file, a function of it, and a variable of that, by their indices.
type Key = (usize, usize, usize);

/// What is known of a variable.
#[derive(Clone, Debug)]
struct Bound<'a> {
    value: Value,
    registers: Vec<&'a str>,
}

struct Binder<'a> {
    code: Code<'a>,
    sources: Vec<(&'a str, Source<'a>)>,
    kernel: &'a str,
    /// The kernel's parameters that are integers.
    parameters: BTreeMap<String, Value>,
    /// Constants outside of functions; none for a name that has several values.
    constants: BTreeMap<&'a str, Option<Value>>,
    /// What template parameters of functions are.
    numbers: BTreeMap<(usize, usize, &'a str), u64>,
    bound: BTreeMap<Key, Bound<'a>>,
}

impl<'a> Binder<'a> {
    /// Notes the parameters that are no pointers, and gives their names with their registers.
    fn read_parameters(&mut self, parameters: &[Parameter]) -> Vec<Named> {
        let mut named = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            if parameter.is_pointer() || parameter.name.is_empty() {
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
                integer_type(&words).filter(|_| words.iter().all(|word| cpp::integer_word(word)))
            {
                let value = Value { dtype, values: self.code.value(first) };
                self.parameters.insert(parameter.name.clone(), value);
            }
            let registers = registers.into_iter().map(str::to_owned).collect();
            named.push(Named { name: parameter.name.clone(), registers, scope: None });
        }
        named
    }

    fn read_constants(&mut self) {
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
    fn variables(&self) -> Vec<Key> {
        let mut all = Vec::new();
        for (file, (name, source)) in self.sources.iter().enumerate() {
            for (index, function) in source.functions.iter().enumerate() {
                let is_inside = |one: &Instruction<'_>| {
                    one.source
                        .is_some_and(|(of, line)| of == *name && function.lines.contains(&line))
                };
                if self.code.instructions.iter().any(is_inside) {
                    all.extend(
                        (0..function.variables.len()).map(|variable| (file, index, variable)),
                    );
                }
            }
        }
        all
    }

    fn bind(&mut self) {
        let variables = self.variables();
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
        let place = (self.sources[scope.file].0, line);
        let Some((value, dtype)) = scope.evaluate(value.clone()).zip(variable.dtype) else {
            return self.only_instruction(scope, function, variable, value, place);
        };
        let value = value.converted(dtype);
        let registers = match is_telling(&value.values) {
            true => self.code.equal_to(&value.values),
            false => Vec::new(),
        };
        let is_at_place = |register: &&str| {
            self.code.definitions(register).any(|definition| definition.source == Some(place))
        };
        if scope.is_assumed.get() && !registers.iter().any(is_at_place) {
            return None;
        }
        let registers = ordered(&self.code, registers, dtype);
        Some(Bound { value, registers })
    }

    /// A variable whose whole value is an operation of which its line has one instruction.
    fn only_instruction(
        &self,
        scope: &Scope<'_, 'a>,
        function: &Function<'a>,
        variable: &Variable<'a>,
        value: Range<usize>,
        place: (&str, u32),
    ) -> Option<Bound<'a>> {
        let source = &self.sources[scope.file].1;
        let is_it = instruction_of(source, function, value)?;
        let at_line = self.code.instructions.iter().filter(|one| one.source == Some(place));
        let mut fitting = at_line.filter(|one| is_it(one));
        let only = fitting.next().filter(|one| fitting.next().is_none() && !one.is_guarded)?;
        let register = *only.written.first()?;
        let bits = self.code.bits(register);
        let has_type = match variable.dtype {
            Some(dtype) => dtype.bits == bits,
            None => self.code.is_of(register, source.text(variable.scope.start - 1)),
        };
        let is_certain = has_type && bits >= 32 && self.code.definitions(register).count() == 1;
        let dtype = variable.dtype.unwrap_or(Type { bits, is_signed: false });
        let value = Value { dtype, values: self.code.value(register) };
        is_certain.then(|| Bound { value, registers: vec![register] })
    }

    /// A variable that changes: the only register that changes like it, among those that its assignment writes.
    fn changing(&self, scope: Scope<'_, 'a>, variable: &Variable<'a>) -> Option<Bound<'a>> {
        let dtype = variable.dtype.filter(|dtype| dtype.bits >= 32)?;
        let update = variable.updates.iter().find(|update| !update.operator.is_empty())?;
        let place = Some((self.sources[scope.file].0, update.line));
        let at_line = self.code.instructions.iter().filter(|one| one.source == place);
        let written: BTreeSet<&'a str> = at_line.flat_map(|one| &one.written).copied().collect();
        let is_it = |register: &&'a str| {
            self.code.bits(register) == dtype.bits
                && (self.changes_alike(&scope, variable, dtype, register)
                    || self.is_kept_alike(&scope, variable, dtype, register))
        };
        let mut fitting = written.into_iter().filter(is_it);
        let register = fitting.next().filter(|_| fitting.next().is_none())?;
        let value = Value { dtype, values: self.code.value(register) };
        Some(Bound { value, registers: vec![register] })
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
        let [cpp::Update { operator, line, .. }] = &variable.updates[..] else { return false };
        let results = self.code.definitions(in_other).map(|other| {
            let before = match other.root() == "mov" && other.operands == [register] {
                true => own.values,
                false => self.code.result(other),
            };
            self.code.computed(definition, Some((in_other, &before)))
        });
        let results: Vec<Option<Values>> = results.collect();
        !operator.is_empty()
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
        let is_updated = |update: &cpp::Update, value: &Values| {
            update.operator.is_empty() || computes(update.line, value)
        };
        let updated = &values[values.len() - variable.updates.len()..];
        !is_copied
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

    /// Adds what has registers, in the order of the source.
    fn add_to(&self, names: &mut Names) {
        for (&(file, index, variable), bound) in &self.bound {
            if bound.registers.is_empty() {
                continue;
            }
            let (name, source) = &self.sources[file];
            let function = &source.functions[index];
            let variable = &function.variables[variable];
            let of = ((*name).to_owned(), file == 0, function.lines.clone());
            let known = names.functions.iter().position(|known| *known == of);
            let index = known.unwrap_or_else(|| {
                names.functions.push(of);
                names.functions.len() - 1
            });
            names.all.push(Named {
                name: variable.name.to_owned(),
                registers: bound.registers.iter().map(|register| (*register).to_owned()).collect(),
                scope: Some((index, variable.lines.clone())),
            });
        }
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

/// Whether an instruction computes in registers alone.
pub fn is_arithmetic(one: &Instruction<'_>) -> bool {
    matches!(
        one.root(),
        "mov"
            | "cvt"
            | "cvta"
            | "add"
            | "sub"
            | "mul"
            | "mad"
            | "fma"
            | "div"
            | "rem"
            | "neg"
            | "not"
            | "and"
            | "or"
            | "xor"
            | "shl"
            | "shr"
            | "min"
            | "max"
            | "setp"
            | "selp"
            | "popc"
            | "clz"
            | "lop3"
            | "prmt"
            | "bfe"
            | "bfi"
            | "shf"
            | "abs"
            | "brev"
            | "mul24"
            | "sad"
            | "set"
    ) || one.opcode.starts_with("ld.param")
}

/// Where an expression stands, which gives its names their values.
struct Scope<'b, 'a> {
    binder: &'b Binder<'a>,
    file: usize,
    function: Option<usize>,
    /// The variable that changes, and its value.
    own: Option<usize>,
    own_value: Cell<Option<Value>>,
    /// A number for a template parameter.
    number: Option<(&'b str, u64)>,
    /// Whether something was taken for known that a register has to confirm.
    is_assumed: Cell<bool>,
}

impl<'b, 'a> Scope<'b, 'a> {
    fn of(binder: &'b Binder<'a>, file: usize) -> Self {
        let (function, own, number) = (None, None, None);
        Self {
            binder,
            file,
            function,
            own,
            own_value: Cell::new(None),
            number,
            is_assumed: Cell::new(false),
        }
    }

    fn evaluate(&self, range: Range<usize>) -> Option<Value> {
        evaluate(&self.binder.sources[self.file].1, range, self, 0)
    }

    /// What the function's own declarations say of a name: a value, or that there is none.
    fn of_function(&self, index: usize, name: &str, at: usize) -> Option<Option<Value>> {
        let function = &self.binder.sources[self.file].1.functions[index];
        let is_it = |one: &Variable<'_>| {
            one.name == name && one.scope.start < at && one.scope.contains(&at)
        };
        if let Some(variable) = function.variables.iter().rposition(is_it) {
            let bound = self.binder.bound.get(&(self.file, index, variable));
            return Some(match self.own == Some(variable) {
                true => self.own_value.get(),
                false => bound.map(|bound| bound.value),
            });
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
        if function.parameters.contains(&name) {
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

/// The instructions whose results only serve to find addresses, by their lines in the PTX.
pub fn of_addresses(code: &Code<'_>) -> BTreeSet<u32> {
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    let is_needed = |one: &Instruction<'_>, needed: &BTreeSet<&str>| {
        !is_integer(one) || one.written.iter().any(|name| needed.contains(name))
    };
    let mut before = usize::MAX;
    while needed.len() != before {
        before = needed.len();
        for one in
            code.instructions.iter().rev().filter(|one| is_needed(one, &needed)).collect::<Vec<_>>()
        {
            let values = one.operands.iter().filter(|operand| !operand.starts_with('['));
            needed.extend(values.flat_map(|operand| registers_in(operand)));
        }
    }
    let others = code.instructions.iter().filter(|one| !is_needed(one, &needed));
    others.map(|one| one.ptx_line).collect()
}

fn registers_in(operand: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "%_$".contains(letter);
    operand.split(move |letter| !is_part(letter)).filter(|word| word.starts_with('%'))
}

/// Whether an instruction computes integers in registers, so that its result may be only an address.
fn is_integer(one: &Instruction<'_>) -> bool {
    let others = ["f16", "f32", "f64", "bf16", "pred"];
    is_arithmetic(one) && one.root() != "setp" && !others.iter().any(|part| one.has(part))
}

#[cfg(test)]
mod tests;
