//! The tests of the machine, in one program, so that they are linked once.

mod alu;
mod device;
mod facts;
mod machine;
mod nvrtc;
mod planted;
mod robustness;
mod trace;
mod weak;
