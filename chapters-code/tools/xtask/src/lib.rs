//! Regenerates and checks the PTX that is committed beside every kernel.
//!
//! [`kernel`] knows the sources: where they are, what they include, and the compiler's options.
//! [`ptx`] turns the compiler's output into a file that is the same on every machine, and [`lines`] shortens
//! its line information.

pub mod kernel;
pub mod lines;
pub mod ptx;

pub use nvrtc::workspace;
