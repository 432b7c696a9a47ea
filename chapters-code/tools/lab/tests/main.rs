//! The lab gives what the driver gave.

mod devices;
mod names;
mod replays;
mod reports;
