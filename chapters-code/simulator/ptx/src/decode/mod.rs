//! Decodes the syntax tree.
//!
//! - `context` and `variables`: the declarations at module level.
//! - `kernel`: one kernel, statement by statement, with its `scope`s, `layout`, `registers` and
//!   `location`s.
//! - `inst` and `operands`: the common parts of all instructions. Each decoder must account for
//!   every modifier and every operand; the instruction is refused if any remains.
//! - `table`: instructions without options, as data.
//! - the others: one file per family of instructions.

mod alu;
mod atom;
mod bulk;
mod call;
mod compare;
mod context;
mod control;
mod convert;
mod cluster;
mod copy;
mod dispatch;
mod float;
mod half;
mod inst;
mod kernel;
mod layout;
mod location;
mod mbarrier;
mod memory;
mod moves;
mod operands;
mod registers;
mod scope;
mod sequence;
mod special;
mod table;
mod variables;
mod warp;

use crate::error::{Error, ErrorKind};
use crate::{ir, syntax};
use context::Context;
pub use dispatch::OPCODES;
pub(crate) use dispatch::{is_known, opcodes, unknown};

/// The result of decoding a part. The location is added where the line is known.
type Decoded<T> = Result<T, ErrorKind>;

/// Decodes a module.
pub(crate) fn module(module: &syntax::Module<'_>) -> Result<ir::Module, Error> {
    let mut context = Context::new(module)?;
    let variables = variables::all(&mut context)?;
    let defined = |function: &&syntax::Function<'_>| function.is_entry && function.body.is_some();
    let entries = module.functions.iter().filter(defined);
    let kernels = entries.map(|entry| kernel::decode(&context, entry)).collect::<Result<_, _>>()?;
    Ok(ir::Module {
        version: module.version,
        target: module.target,
        variables,
        kernels,
        files: context.file_names(),
    })
}
