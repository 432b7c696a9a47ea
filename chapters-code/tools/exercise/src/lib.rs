//! The chapters' exercises: listed, checked, explained and graded.
//!
//! An exercise is data, a folder below `course/`: what it asks for, its solution with the gap marked,
//! mutants that must be caught and variants that must pass. [`course`] reads it, [`operation`] knows
//! what results must be, [`check`] runs a submission in a process of its own and says what is wrong
//! with it, and [`command`] is what `cargo exercise` does. [`author`] holds the exercises themselves to
//! what they promise.

pub mod author;
pub mod check;
pub mod command;
pub mod course;
pub mod diagnosis;
pub mod operation;

pub use nvrtc::workspace;
