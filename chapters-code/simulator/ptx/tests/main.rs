//! The tests of the decoder, in one program, so that they are linked once.

mod instructions;
mod nvrtc;
mod robustness;
mod unsupported;
