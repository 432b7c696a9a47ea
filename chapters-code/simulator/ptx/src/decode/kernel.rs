//! Decodes one kernel: its statements in order, into a list of instructions.

use super::Decoded;
use super::context::Context;
use super::inst::Inst;
use super::layout::{self, Layout};
use super::location::Locations;
use super::registers::{Counts, Registers};
use super::scope::{Entity, Label, Scopes};
use crate::error::{Error, ErrorKind};
use crate::ir::{self, Guard, Op, SourceLine, Space};
use crate::syntax::{Block, Function, Instruction, Registers as Declaration};
use crate::syntax::{Statement, Type, Variable, VariableSpace};
use crate::{counts, flow, limits};

/// The largest number of instructions of a kernel, including inlined functions.
const LONGEST: usize = 1 << 20;

/// The deepest nesting of scopes and inlined calls together.
const DEEPEST: u32 = 120;

/// The index of a label that has not been reached yet.
const UNPLACED: u32 = u32::MAX;

/// Decodes an entry function.
///
/// If it needs something outside the dialect, only its parameters are decoded.
pub(super) fn decode(context: &Context<'_, '_>, entry: &Function<'_>) -> Result<ir::Kernel, Error> {
    let counted = Decoder::new(context, Counts::default()).run(entry);
    let (decoder, unsupported) = match counted {
        Ok(counted) => (Decoder::new(context, counted.registers.named).run(entry)?, None),
        Err(error) if error.kind.is_unsupported() => {
            (Decoder::new(context, Counts::default()), Some(error))
        }
        Err(error) => return Err(error),
    };
    let mut kernel = decoder.finish(entry)?;
    kernel.unsupported = unsupported;
    Ok(kernel)
}

/// The state of decoding a kernel.
pub(super) struct Decoder<'c, 'm, 'a> {
    pub context: &'c Context<'m, 'a>,
    pub registers: Registers,
    pub scopes: Scopes<'m, 'a>,
    pub layout: Layout,
    /// The instruction being decoded, as written.
    pub opcode: &'a str,
    /// The guard of the instruction being decoded.
    pub guard: Option<Guard>,
    /// The device functions that are being inlined, with the label behind each call.
    pub calls: Vec<(&'a str, Label)>,
    code: Vec<ir::Instruction>,
    /// The instruction index of each label. Branches hold label numbers until the end.
    labels: Vec<u32>,
    pub locations: Locations<'a>,
    line: u32,
    depth: u32,
    declared: u32,
}

impl<'c, 'm, 'a> Decoder<'c, 'm, 'a> {
    fn new(context: &'c Context<'m, 'a>, named: Counts) -> Self {
        Self {
            context,
            registers: Registers::behind(named),
            scopes: Scopes::default(),
            layout: Layout::new(),
            opcode: "",
            guard: None,
            calls: Vec::new(),
            code: Vec::new(),
            labels: Vec::new(),
            locations: Locations::default(),
            line: 0,
            depth: 0,
            declared: 0,
        }
    }

    fn run(mut self, entry: &'m Function<'a>) -> Result<Self, Error> {
        self.line = entry.line;
        match self.entry(entry) {
            Ok(()) => Ok(self),
            Err(kind) => Err(Error {
                function: Some(self.calls.last().map_or(entry.name, |call| call.0).to_owned()),
                line: self.line,
                source_place: self.locations.describe(self.context),
                kind,
            }),
        }
    }

    fn entry(&mut self, entry: &'m Function<'a>) -> Decoded<()> {
        self.scopes.enter();
        let (params, _) = layout::params(&entry.params)?;
        for (variable, param) in entry.params.iter().zip(params) {
            let (offset, bytes) = (param.offset, param.size);
            let entity = Entity::Variable { space: Space::Param, offset, bytes };
            check_supported(variable)?;
            self.scopes.declare(variable.name, entity)?;
        }
        entry.body.as_ref().map_or(Ok(()), |body| self.block(body))
    }

    /// Decodes a block in a scope of its own.
    pub fn block(&mut self, block: &'m Block<'a>) -> Decoded<()> {
        if self.depth == DEEPEST {
            return Err(ErrorKind::TooMany("nested scopes and calls"));
        }
        self.depth += 1;
        self.scopes.enter();
        self.declare_labels(block)?;
        for statement in &block.statements {
            self.statement(statement)?;
        }
        self.scopes.leave();
        self.depth -= 1;
        Ok(())
    }

    /// Declares labels and tables, which are visible before they are reached.
    fn declare_labels(&mut self, block: &'m Block<'a>) -> Decoded<()> {
        for statement in &block.statements {
            match statement {
                Statement::Label { name, line } => {
                    self.line = *line;
                    let label = self.new_label();
                    self.scopes.declare_label(name, label)?;
                }
                Statement::BranchTargets { name, targets } => {
                    self.scopes.declare(name, Entity::Targets(targets))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'m Statement<'a>) -> Decoded<()> {
        match statement {
            Statement::Label { name, .. } => {
                let label = self.scopes.label(name)?;
                self.place_label(label);
                Ok(())
            }
            Statement::Registers(declaration) => self.declare_registers(declaration),
            Statement::Variable(variable) => self.declare_variable(variable),
            Statement::Location(location) => {
                self.locations.set(*location, self.context);
                Ok(())
            }
            Statement::BranchTargets { .. } => Ok(()),
            Statement::Unsupported { kind, line } => {
                self.line = *line;
                Err(kind.clone())
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Block(block) => {
                if !self.calls.is_empty() {
                    self.context.copies(block.statements.len())?;
                }
                self.block(block)
            }
        }
    }

    fn declare_registers(&mut self, declaration: &Declaration<'a>) -> Decoded<()> {
        self.line = declaration.line;
        let units = match declaration.ty {
            Type::Pred => 0,
            ty if ty.bytes() == 8 => 2,
            _ => 1,
        };
        let count = declaration.count.unwrap_or(1).saturating_mul(units);
        self.declared = self.declared.saturating_add(count);
        self.scopes.declare_registers(declaration)
    }

    fn declare_variable(&mut self, variable: &'m Variable<'a>) -> Decoded<()> {
        self.line = variable.line;
        check_supported(variable)?;
        if !variable.init.is_empty() {
            let message = format!("the initialiser of `{}`, inside a function", variable.name);
            return Err(ErrorKind::Unsupported(message));
        }
        let bytes = variable.bytes.unwrap_or(0) as u32;
        let entity = match variable.space {
            VariableSpace::Shared => Entity::Shared(self.layout.shared(variable)?),
            // A call's parameters are variables in local memory, which the callee's parameters name
            // too.
            VariableSpace::Local | VariableSpace::Param => {
                let offset = self.layout.local(variable)?;
                Entity::Variable { space: Space::Local, offset, bytes }
            }
            VariableSpace::Global | VariableSpace::Const => {
                let message = format!("`{}`, a global variable inside a function", variable.name);
                return Err(ErrorKind::Unsupported(message));
            }
        };
        self.scopes.declare(variable.name, entity)
    }

    fn instruction(&mut self, instruction: &'m Instruction<'a>) -> Decoded<()> {
        self.line = instruction.line;
        self.opcode = instruction.opcode;
        if self.code.len() >= LONGEST {
            return Err(ErrorKind::TooMany("instructions, with inlined functions"));
        }
        self.guard = None;
        if let Some((name, negated)) = instruction.guard {
            let operand = crate::syntax::Operand::Name(name);
            let Guard { pred, .. } = self.guard_of(&operand)?;
            self.guard = Some(Guard { pred, negated });
        }
        self.dispatch(Inst::new(instruction)?)
    }

    /// Appends an operation, under the instruction's guard.
    pub fn emit(&mut self, op: Op) {
        let guard = self.guard;
        self.emit_guarded(op, guard);
    }

    /// Appends an operation under another guard.
    pub fn emit_guarded(&mut self, op: Op, guard: Option<Guard>) {
        let ptx_line = self.line;
        let source = self.locations.source(self.context);
        let source = source.unwrap_or(SourceLine { file: None, line: ptx_line });
        self.code.push(ir::Instruction { guard, op, source, ptx_line });
    }

    /// Creates a label that is placed later.
    pub fn new_label(&mut self) -> Label {
        self.labels.push(UNPLACED);
        Label(self.labels.len() as u32 - 1)
    }

    /// Places a label at the next instruction.
    pub fn place_label(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.code.len() as u32;
    }

    /// Removes a branch to a label that is about to be placed at the end of the code, unless a
    /// label of the function in between is already there. `label` is older than those.
    pub fn drop_jump_to_next(&mut self, label: Label) {
        let Some(last) = self.code.last() else {
            return;
        };
        let end = self.code.len() as u32;
        let jumps =
            matches!(&last.op, Op::Bra(bra) if bra.target == label.0 && bra.guard.is_none());
        if jumps && !self.labels[label.0 as usize..].contains(&end) {
            self.code.pop();
        }
    }

    fn finish(mut self, entry: &Function<'_>) -> Result<ir::Kernel, Error> {
        self.end_code();
        let labels = &self.labels;
        flow::resolve(&mut self.code, |label| labels[label as usize]);
        let line = entry.line;
        let (params, param_bytes) = layout::params(&entry.params).map_err(|kind| kind.at(line))?;
        let sizes = self.registers.sizes();
        let lists = self.registers.lists;
        counts::mark(&mut self.code, &lists.constants32);
        let (static_shared_bytes, local_bytes) =
            (self.layout.shared_bytes, self.layout.local_bytes);
        let dynamic_shared_align = self.layout.dynamic_align;
        let shared_variables = self.layout.shared_variables();
        let origins = lists.origins(&shared_variables);
        limits::mark(&mut self.code, origins);
        Ok(ir::Kernel {
            name: entry.name.into(),
            params,
            param_bytes,
            code: self.code,
            // `Registers` never hands out a number that does not fit.
            registers32: sizes.r32 as u16,
            registers64: sizes.r64 as u16,
            predicates: sizes.pred as u16,
            constants32: lists.constants32,
            constants64: lists.constants64,
            constant_predicates: lists.constant_predicates,
            specials: lists.specials,
            static_shared_bytes,
            dynamic_shared_align,
            local_bytes,
            shared_variables,
            max_threads: entry.max_threads,
            min_blocks: entry.min_blocks,
            clusters: entry.clusters,
            declared_registers: self.declared,
            unsupported: None,
            live_before: None,
        })
    }

    /// Appends an `exit` if control could run past the last instruction.
    fn end_code(&mut self) {
        let end = self.code.len() as u32;
        let open = self.code.last().is_none_or(ir::Instruction::falls_through);
        if open || self.labels.contains(&end) {
            self.guard = None;
            self.emit(Op::Exit);
        }
    }
}

/// Returns an error for a variable or parameter outside the dialect.
pub(super) fn check_supported(variable: &Variable<'_>) -> Decoded<()> {
    variable.unsupported.clone().map_or(Ok(()), Err)
}
