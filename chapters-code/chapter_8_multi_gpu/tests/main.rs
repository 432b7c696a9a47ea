//! The tests of the chapter, in one program, so that they are linked once.

mod broken;
mod command_line;
mod common;
mod ladder;
mod simulated;
