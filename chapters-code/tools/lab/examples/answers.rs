//! Answers the questions in standard input, a line each, as the module does in a page: for a test that compares both.
//!
//! An answer is a line of standard output.

use std::io::{self, BufRead as _, Write as _};

use lab::request;

fn main() -> io::Result<()> {
    let mut lab = None;
    let mut out = io::stdout().lock();
    for question in io::stdin().lock().lines() {
        writeln!(out, "{}", request::answer(&mut lab, &question?))?;
    }
    Ok(())
}
