//! The last program of `cargo test`: one line for all tests that were skipped, and no line where none
//! was. It has no test harness, which would end with a line of its own.

fn main() -> anyhow::Result<()> {
    if let Some(line) = nvrtc::skipped::report(&xtask::workspace())? {
        println!("\n{line}");
    }
    Ok(())
}
