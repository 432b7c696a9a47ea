//! The tests of the harness, in one program, so that they are linked once.

mod count;
mod modules;
mod out_of_bounds;
