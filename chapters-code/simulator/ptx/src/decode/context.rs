//! The declarations at module level.

use super::Decoded;
use crate::error::{Error, ErrorKind};
use crate::ir::{Space, Symbol};
use crate::syntax::{Function, Module, Variable, VariableSpace};
use std::cell::Cell;
use std::collections::HashMap;

/// The largest number of statements and branch targets that inlining and target tables may add to
/// all kernels of a text. Without a limit, a short text could require any amount of work.
const MOST_COPIED: usize = 1 << 22;

/// The meaning of a name at module level.
#[derive(Clone, Copy)]
pub(super) enum Global<'m, 'a> {
    /// A variable in global or constant space.
    Variable(Symbol, Space),
    /// A shared variable; each kernel that uses it lays out its own.
    Shared(&'m Variable<'a>),
    /// An `.extern` variable without a definition.
    Missing,
    Function(&'m Function<'a>),
}

/// A module's names, and the numbering of its files.
pub(super) struct Context<'m, 'a> {
    /// Variables of the decoded module: a [`Symbol`] indexes them.
    pub variables: Vec<&'m Variable<'a>>,
    names: HashMap<&'a str, Global<'m, 'a>>,
    /// Variables outside the dialect. A kernel that names one is refused.
    unsupported: HashMap<&'a str, ErrorKind>,
    /// The numbers of `.file` directives, in the order of the decoded module's files.
    files: Vec<(u32, &'a str)>,
    file_indices: HashMap<u32, u16>,
    /// The part of [`MOST_COPIED`] that is used up.
    copied: Cell<usize>,
}

impl<'m, 'a> Context<'m, 'a> {
    pub fn new(module: &'m Module<'a>) -> Result<Self, Error> {
        let mut context = Self {
            variables: Vec::new(),
            names: HashMap::new(),
            unsupported: HashMap::new(),
            files: Vec::new(),
            file_indices: HashMap::new(),
            copied: Cell::new(0),
        };
        for variable in &module.variables {
            context.declare(variable).map_err(|kind| kind.at(variable.line))?;
        }
        for function in &module.functions {
            context.declare_function(function).map_err(|kind| kind.at(function.line))?;
        }
        for &(number, path) in &module.files {
            context.add_file(number, path);
        }
        Ok(context)
    }

    pub fn get(&self, name: &str) -> Option<Global<'m, 'a>> {
        self.names.get(name).copied()
    }

    /// Marks a variable as unsupported: kernels that name it from now on are refused.
    pub fn refuse(&mut self, name: &'a str, kind: ErrorKind) {
        self.unsupported.insert(name, kind);
    }

    /// Returns an error for a variable outside the dialect.
    pub fn check_supported(&self, name: &str) -> Decoded<()> {
        self.unsupported.get(name).cloned().map_or(Ok(()), Err)
    }

    /// Counts statements or targets that are decoded once more than they are written.
    pub fn copies(&self, count: usize) -> Decoded<()> {
        self.copied.set(self.copied.get().saturating_add(count));
        if self.copied.get() > MOST_COPIED {
            return Err(ErrorKind::TooMany("copies of inlined functions and tables"));
        }
        Ok(())
    }

    /// Returns the index in the decoded module of a `.file` number, if it was declared.
    pub fn file_index(&self, number: u32) -> Option<u16> {
        self.file_indices.get(&number).copied()
    }

    /// Returns the path of a `.file` number.
    pub fn path(&self, number: u32) -> Option<&'a str> {
        let index = self.file_index(number)?;
        self.files.get(usize::from(index)).map(|&(_, path)| path)
    }

    pub fn file_names(&self) -> Vec<String> {
        self.files.iter().map(|&(_, path)| path.to_owned()).collect()
    }

    fn declare(&mut self, variable: &'m Variable<'a>) -> Decoded<()> {
        if let Some(kind) = &variable.unsupported {
            self.refuse(variable.name, kind.clone());
        }
        let entity = match variable.space {
            VariableSpace::Shared => Global::Shared(variable),
            VariableSpace::Global | VariableSpace::Const if variable.is_extern => Global::Missing,
            VariableSpace::Global => self.place(variable, Space::Global)?,
            VariableSpace::Const => self.place(variable, Space::Const)?,
            VariableSpace::Local | VariableSpace::Param => {
                let what = "a `.local` or `.param` variable outside a function";
                return Err(ErrorKind::Unsupported(what.into()));
            }
        };
        match (self.names.get(variable.name), entity) {
            (None | Some(Global::Missing), _) => drop(self.names.insert(variable.name, entity)),
            (Some(_), Global::Missing) => {}
            (Some(_), _) => return Err(ErrorKind::Redeclared(variable.name.into())),
        }
        Ok(())
    }

    fn place(&mut self, variable: &'m Variable<'a>, space: Space) -> Decoded<Global<'m, 'a>> {
        let index =
            u32::try_from(self.variables.len()).map_err(|_| ErrorKind::TooMany("variables"))?;
        self.variables.push(variable);
        Ok(Global::Variable(Symbol(index), space))
    }

    /// Declares a function. A definition replaces declarations, in any order.
    fn declare_function(&mut self, function: &'m Function<'a>) -> Decoded<()> {
        match self.names.get(function.name) {
            None => {}
            Some(Global::Function(known)) if known.body.is_none() => {}
            Some(Global::Function(_)) if function.body.is_none() => return Ok(()),
            Some(_) => return Err(ErrorKind::Redeclared(function.name.into())),
        }
        self.names.insert(function.name, Global::Function(function));
        Ok(())
    }

    /// Adds a file. Numbers beyond what a source line can hold are left out, together with their
    /// lines.
    fn add_file(&mut self, number: u32, path: &'a str) {
        if let Ok(index) = u16::try_from(self.files.len()) {
            self.files.push((number, path));
            self.file_indices.insert(number, index);
        }
    }
}
