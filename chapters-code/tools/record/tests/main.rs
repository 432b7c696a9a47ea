//! The tests of the recorder, in one program, so that they are linked once.

mod file;
mod recorded;
mod replays;
mod schedules;
mod weak;
