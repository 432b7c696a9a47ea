//! PTX text to decoded kernels: the dialect that NVRTC and nvcc write for ordinary kernels.
//!
//! [`parse`] goes through three steps, a module each:
//!
//! - `lexer` and `parse` turn the text into a syntax tree (`syntax`) that borrows from it;
//! - `decode` resolves names, lays out variables, numbers registers and turns each instruction
//!   into an [`ir::Op`]. Device functions are inlined where they are called;
//! - `flow` finds where diverged lanes reconverge.
//!
//! Of a decoded kernel, `liveness` estimates the registers it needs ([`ir::Kernel::live_registers`]),
//! and `allocate` makes do with few ([`ir::Kernel::share_registers`]).
//!
//! Nothing is executed here. An instruction that is not understood, down to its last modifier, is
//! an [`Error`] that names it and its place; it is never skipped. Where the text may well be PTX, and
//! only outside the dialect, the kernels that need it carry the error ([`ir::Kernel::unsupported`]),
//! and the others of the module are decoded.

#![forbid(unsafe_code)]

mod access;
mod allocate;
mod counts;
mod decode;
mod error;
mod flow;
pub mod ir;
mod lexer;
mod liveness;
mod parse;
mod syntax;
mod used;

pub use decode::OPCODES;
pub use error::{Error, ErrorKind};

/// Parses and decodes a PTX module.
///
/// # Errors
///
/// The first thing in the text that is not PTX, with its line. Any text gives an error or a module;
/// none panics.
pub fn parse(text: &str) -> Result<ir::Module, Error> {
    let module = parse::module(text)?;
    decode::module(&module)
}

/// The opcodes that [`parse`] knows: those of instructions without options in full, as `mul.wide.u32`,
/// and of the others the part before the first dot, as `ld`.
pub fn opcodes() -> Vec<String> {
    decode::opcodes().collect()
}
