//! The source's names for what registers hold, where they are certain.
//!
//! A compiler keeps no names. A register has a variable's name if it must hold the variable's value: a variable with one
//! value has the register that is computed, in whatever way, to the same ([`values`]); or its whole value is one load,
//! atomic operation, shuffle or ballot, and the line of the declaration has exactly one such instruction. A variable
//! that changes has the only register whose every definition is a value that the source gives the variable, at the line
//! of that assignment; what is computed from it is known at its own line only. In any doubt there is no name.

mod addresses;
mod binder;
mod calls;
mod changing;
mod cpp;
pub(crate) mod dtypes;
mod expression;
pub mod ptx;
mod scope;
mod tokens;
mod values;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use simt_report::{Event, Trace};

pub use addresses::{is_arithmetic, of_addresses};

use crate::data::File;
use crate::registers::Thread;
use crate::source::{Parameter, without_comments};
use binder::Binder;
use calls::Calls;
use cpp::Source;
use ptx::Code;

/// Events of a trace that are looked back over for the line at which a function is.
const MOST_BACK: usize = 1 << 15;

/// The names of a kernel's registers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Parameters first, and then variables in the order of the source.
    all: Vec<Named>,
    /// How many of them are parameters.
    parameters: usize,
    /// The functions that have instructions.
    functions: Vec<Body>,
}

/// A variable, or a parameter that is no pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The registers that hold the value once they are written, all the same one.
    pub registers: Vec<String>,
}

/// A function that has instructions.
#[derive(Clone, Debug)]
struct Body {
    file: String,
    lines: RangeInclusive<u32>,
    /// What it declares, in order.
    declared: Vec<Declared>,
    /// The functions that it calls, at first or second hand.
    calls: BTreeSet<usize>,
    /// Whether no other function calls it.
    is_outermost: bool,
}

/// A variable or parameter of a function. It hides others of the same name, also if it has no register.
#[derive(Clone, Debug)]
struct Declared {
    name: String,
    /// The lines of the scope.
    lines: RangeInclusive<u32>,
    /// The index in [`Names::all`].
    named: Option<usize>,
}

impl Names {
    /// The names for a kernel of a module. `files` are the sources that its instructions have lines of, the kernel's own
    /// file first.
    pub fn of(module: &str, kernel: &str, files: &[File], parameters: &[Parameter]) -> Self {
        let texts: Vec<String> = files.iter().map(|file| without_comments(&file.text)).collect();
        let sources = Source::all(texts.iter().map(|text| &text[..]));
        let mut binder = Binder {
            code: Code::of(module, kernel),
            sources: files.iter().map(|file| &file.name[..]).zip(sources).collect(),
            kernel,
            parameters: BTreeMap::new(),
            constants: BTreeMap::new(),
            numbers: BTreeMap::new(),
            bound: BTreeMap::new(),
        };
        let calls = Calls::of(&binder.code, &binder.sources);
        let mut names = Self::default();
        for (name, registers) in binder.read_parameters(parameters, &calls) {
            names.add(name, &registers);
        }
        names.parameters = names.all.len();
        binder.read_constants();
        binder.bind(&calls.present);
        for index in 0..calls.present.len() {
            names.add_function(&binder, &calls, index);
        }
        names
    }

    fn add(&mut self, name: String, registers: &[&str]) -> usize {
        let registers = registers.iter().map(|register| (*register).to_owned()).collect();
        self.all.push(Named { name, registers });
        self.all.len() - 1
    }

    /// Adds what a function declares, in the order of the source.
    fn add_function(&mut self, binder: &Binder<'_>, calls: &Calls, index: usize) {
        let (file, of) = calls.present[index];
        let (name, source) = &binder.sources[file];
        let function = &source.functions[of];
        let mut declared = Vec::new();
        for parameter in &function.parameters {
            if !calls.passes_on(&binder.sources, binder.kernel, (file, of), parameter.name) {
                let lines = parameter.lines.clone();
                declared.push(Declared { name: parameter.name.into(), lines, named: None });
            }
        }
        for (number, variable) in function.variables.iter().enumerate() {
            let bound = binder.bound.get(&(file, of, number));
            let bound = bound.filter(|bound| !bound.registers.is_empty());
            let named = bound.map(|bound| self.add(variable.name.to_owned(), &bound.registers));
            let lines = variable.lines.clone();
            declared.push(Declared { name: variable.name.to_owned(), lines, named });
        }
        let mut others = calls.reached.iter().enumerate().filter(|(other, _)| *other != index);
        self.functions.push(Body {
            file: (*name).to_owned(),
            lines: function.lines.clone(),
            declared,
            calls: calls.reached[index].clone(),
            is_outermost: !others.any(|(_, reached)| reached.contains(&index)),
        });
    }

    /// All names with their registers.
    pub fn all(&self) -> &[Named] {
        &self.all
    }

    /// The names that are in scope for a thread at an event: those of the function that its warp is in, and of the
    /// outermost one that has called it. Of two with one name the inner one counts.
    pub fn in_scope(&self, trace: &Trace, thread: Thread, event: usize) -> Vec<&Named> {
        let mut scope: Vec<&Named> = self.all[..self.parameters].iter().collect();
        for (function, line) in self.entered(trace, thread, event) {
            let declared = &self.functions[function].declared;
            for one in declared.iter().filter(|one| one.lines.contains(&line)) {
                scope.retain(|outer| outer.name != one.name);
                scope.extend(one.named.map(|index| &self.all[index]));
            }
        }
        scope
    }

    /// The functions that the thread's warp is in, from the outside in, each with the last line there.
    fn entered(&self, trace: &Trace, thread: Thread, event: usize) -> Vec<(usize, u32)> {
        let mut entered: Vec<(usize, u32)> = Vec::new();
        let until = &trace.events[..trace.events.len().min(event + 1)];
        for it in until.iter().rev().take(MOST_BACK) {
            let Event::Instruction { place, .. } = it else { continue };
            if (place.block, place.warp) != (thread.block, thread.warp) {
                continue;
            }
            let Some((file, line)) = place.line.rsplit_once(':') else { continue };
            let Ok(line) = line.parse::<u32>() else { continue };
            let is_it = |of: &Body| of.file == file && of.lines.contains(&line);
            let Some(function) = self.functions.iter().position(is_it) else { continue };
            let of = &self.functions[function];
            match entered.first() {
                None => entered.push((function, line)),
                Some((inner, _)) if of.is_outermost && of.calls.contains(inner) => {
                    entered.insert(0, (function, line));
                }
                Some(_) => continue,
            }
            if of.is_outermost {
                break;
            }
        }
        entered
    }
}

#[cfg(test)]
mod tests;
