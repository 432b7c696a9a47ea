//! The tests of the tasks, in one program, so that they are linked once.

mod freshness;
mod listed;
