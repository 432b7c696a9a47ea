//! The tests of the chapter, in one program, so that they are linked once.

mod baseline;
mod collectives;
mod command_line;
mod common;
mod ladder;
mod launches;
mod model;
mod spread;
mod simulated;
