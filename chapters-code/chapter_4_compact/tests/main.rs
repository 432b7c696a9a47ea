//! The tests of the chapter, in one program, so that they are linked once.

mod broken;
mod capacity;
mod command_line;
mod common;
mod counters;
mod ladder;
mod output;
mod timed;
