//! `cargo exercise`: lists, checks and explains the exercises.

use std::process::ExitCode;

fn main() -> ExitCode {
    match exercise::command::run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
