//! `cargo exercise`: lists, checks and explains the exercises.

use std::process::ExitCode;

fn main() -> ExitCode {
    report::exit(exercise::command::run())
}
