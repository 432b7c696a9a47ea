//! The tests of the crate, in one program, so that they are linked once. Programs use NCCL through cudarc, and so do
//! they.

mod collectives;
mod common;
mod errors;
mod messages;
mod order;
mod ranks;
mod windows;
