//! The chapters' exercises: listed, checked, explained and graded.
//!
//! An exercise is data, a folder below `course/`: what it asks for, its solution with the gap marked,
//! mutants that must be caught and variants that must pass. [`course`] reads it, [`operation`] knows
//! what results must be, [`check`] runs a submission in a process of its own and says what is wrong
//! with it, and [`command`] is what `cargo exercise` does. [`wheels`] fetches the compiler,
//! [`author`] holds the exercises themselves to what they promise, and [`testing`] is for the tests of
//! all of them.

pub mod author;
pub mod check;
pub mod command;
pub mod course;
pub mod diagnosis;
pub mod operation;
pub mod testing;
pub mod wheels;

use std::path::PathBuf;

/// The root of the workspace that this program was built in.
pub fn workspace() -> PathBuf {
    xtask::workspace()
}
