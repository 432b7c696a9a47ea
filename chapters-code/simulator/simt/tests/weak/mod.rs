//! Weak memory: no outcome that PTX's memory model forbids, and each that it allows.

mod litmus;

mod missed;
pub mod model;
