//! The lab gives what the driver gave.

mod replays;
