//! Regenerates and checks what is committed beside its sources: the PTX of every kernel, and the lab's module.
//!
//! [`kernel`] knows the sources: where they are, what they include, and the compiler's options.
//! [`ptx`] turns the compiler's output into a file that is the same on every machine, and [`lines`] shortens
//! its line information. [`ptxas`] assembles PTX, and [`local_memory`] compares what it says with a list. [`lab`] makes the module with which pages of the book run kernels.

pub mod kernel;
pub mod lab;
pub mod lines;
pub mod local_memory;
pub mod ptx;
pub mod ptxas;

pub use nvrtc::workspace;
