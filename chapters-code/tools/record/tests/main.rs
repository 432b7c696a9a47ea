//! The tests of the recorder, in one program, so that they are linked once.

mod counters;
mod file;
mod instructions;
mod replays;
mod schedules;
