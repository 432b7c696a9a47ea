//! Arithmetic, register to register: every instruction against a model of its own.

mod approx;
mod bits;
mod carry;
mod common;
mod halves;
mod integers;
mod predicates;
mod random;
mod registers;
mod wide;

// These are held to the CPU's own conversions and roundings.
#[cfg(target_arch = "x86_64")]
mod conversions;
#[cfg(target_arch = "x86_64")]
mod cpu;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod numbers;
