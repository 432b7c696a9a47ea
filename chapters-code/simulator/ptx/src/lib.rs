//! Parses PTX text into decoded kernels. The dialect is what NVRTC and nvcc write for ordinary
//! kernels.
//!
//! [`parse`] has three steps, each in a module:
//!
//! - `lexer` and `parse` turn the text into a syntax tree (`syntax`) that borrows from it;
//! - `decode` resolves names, lays out variables, numbers registers and turns each instruction into
//!   an [`ir::Op`]. Device functions are inlined where they are called;
//! - `flow` finds where diverged lanes reconverge.
//!
//! For a decoded kernel, `liveness` estimates the registers that it needs
//! ([`ir::Kernel::live_registers`]), and `allocate` reduces their number
//! ([`ir::Kernel::share_registers`]).
//!
//! The crate executes nothing. An instruction that is not understood, down to its last modifier,
//! gives an [`Error`] with its name and location; it is never skipped. If the text may be PTX
//! outside the dialect, the kernels that need it carry the error ([`ir::Kernel::unsupported`]), and
//! the module's other kernels are decoded.

#![forbid(unsafe_code)]

mod access;
mod allocate;
mod counts;
mod decode;
mod error;
mod flow;
pub mod ir;
mod lexer;
mod limits;
mod liveness;
mod parse;
mod syntax;
mod updates;
mod used;

pub use decode::OPCODES;
pub use error::{Error, ErrorKind};

/// Parses and decodes a PTX module.
///
/// # Errors
///
/// The first violation of PTX's grammar or rules, with its line. Any text gives an error or a
/// module; none panics.
pub fn parse(text: &str) -> Result<ir::Module, Error> {
    let module = parse::module(text)?;
    decode::module(&module)
}

/// Returns the opcodes that [`parse`] knows: in full for instructions without options, such as
/// `mul.wide.u32`, and up to the first dot for the others, such as `ld`.
pub fn opcodes() -> Vec<String> {
    decode::opcodes().collect()
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
