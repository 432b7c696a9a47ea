//! The lab gives what the driver gave.

mod devices;
mod replays;
mod reports;
