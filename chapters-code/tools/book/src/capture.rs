//! The console output that the book shows: what a program printed, kept in a file that a page
//! includes. It comes from the simulator, whose inputs, counters and recorded times are fixed, so a
//! check can ask for the very same text again.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// What a program prints on the simulator, and where the book keeps it.
struct Capture {
    file: &'static str,
    /// The program, and its arguments besides the device.
    command: &'static str,
    /// Whether it is standard error that is kept.
    is_error: bool,
}

impl Capture {
    /// What goes to standard output.
    const fn output(file: &'static str, command: &'static str) -> Self {
        Self { file, command, is_error: false }
    }

    /// What goes to standard error: what the driver reports.
    const fn errors(file: &'static str, command: &'static str) -> Self {
        Self { file, command, is_error: true }
    }
}

/// The width of the terminal, which decides the columns of the tables: the narrowest that has room for all but the errors.
const COLUMNS: &str = "104";

/// What stands for the project's folder in what a program prints.
const READERS_CLONE: &str = "/home/ada/warp-by-warp";

const CAPTURES: &[Capture] = &[
    Capture::output("book/chapter_0_setup/output.txt", "chapter_0"),
    Capture::output("book/chapter_1_reduce/output.txt", "chapter_1"),
    Capture::output(
        "book/chapter_1_reduce/three_rungs.txt",
        "chapter_1 --kernel one_thread,interleaved_modulo,sequential",
    ),
    Capture::output(
        "book/chapter_1_reduce/weak_memory.txt",
        "chapter_1 --weak --broken --kernel last_block_without_fence",
    ),
    // Not those that wait for a flag: how often they ask depends on the machine.
    Capture::output(
        "book/chapter_2_histogram/output.txt",
        "chapter_2 --kernel global_atomics,shared_atomics,warp_copies,match_any,finish_memset,finish_exchange",
    ),
    // Not the single passes, whose blocks wait for each other, as those above.
    Capture::output(
        "book/chapter_3_scan/output.txt",
        "chapter_3 --kernel one_thread,hillis_steele,blelloch,blelloch_padded,shuffle,vectorized,reduce_then_scan",
    ),
    Capture::output(
        "book/chapter_3_scan/three_rungs.txt",
        "chapter_3 --kernel hillis_steele,blelloch,shuffle",
    ),
    Capture::output(
        "book/chapter_3_scan/weak_memory.txt",
        "chapter_3 --weak --broken --kernel flag_without_release",
    ),
    Capture::output("book/chapter_6_transpose/output.txt", "chapter_6"),
    Capture::output(
        "book/chapter_6_transpose/four_rungs.txt",
        "chapter_6 --kernel by_rows,by_columns,tile,padded -n 1024x768",
    ),
    Capture::output("book/chapter_7_coalescing/output.txt", "chapter_7"),
    Capture::output(
        "book/chapter_7_coalescing/three_rungs.txt",
        "chapter_7 --kernel scalar,vec2,packs -n 2^20",
    ),
    Capture::errors(
        "book/chapter_3_scan/deadlock.txt",
        "chapter_3 --broken --kernel static_tile_index",
    ),
    // Only those that are the same under every schedule.
    Capture::output("book/chapter_4_compact/output.txt", "chapter_4 --kernel one_thread,ballot"),
];

/// Runs the programs, and writes what they print into the files of the book.
pub fn update(root: &Path) -> Result<()> {
    for capture in CAPTURES {
        let path = root.join(capture.file);
        std::fs::write(&path, output(root, capture)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Fails if a file is not what [`update`] would write.
pub fn check(root: &Path) -> Result<()> {
    for capture in CAPTURES {
        let kept = std::fs::read_to_string(root.join(capture.file)).unwrap_or_default();
        ensure!(
            same_everywhere(&kept) == same_everywhere(&output(root, capture)?),
            "{} is not current: cargo run --bin book -- capture",
            capture.file
        );
    }
    Ok(())
}

fn output(root: &Path, capture: &Capture) -> Result<String> {
    let mut command = capture.command.split(' ');
    let binary = command.next().unwrap_or_default();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--bin", binary, "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .args(["--", "--device", "sim"])
        .args(command)
        .env("COLUMNS", COLUMNS)
        .env_remove("SIMT_SEED")
        .env_remove("SIMT_DEVICES")
        // Not in the project, where a compiler that has been fetched would be found: a reader's first clone has none.
        .current_dir(std::env::temp_dir())
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "{binary} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = if capture.is_error { output.stderr } else { output.stdout };
    let text = String::from_utf8(printed).context("the output is not UTF-8")?;
    let text = text.replace(&root.display().to_string(), READERS_CLONE);
    Ok(without_blank_ends(&text))
}

/// `text` without its first paragraph if that is chapter 0's report on this machine: what it has and lacks.
fn same_everywhere(text: &str) -> &str {
    match text.starts_with("GPU ") {
        true => text.split_once("\n\n").map_or("", |(_, rest)| rest),
        false => text,
    }
}

/// `text` without blanks at the ends of its lines, and with single empty lines.
fn without_blank_ends(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::{same_everywhere, without_blank_ends};

    #[test]
    fn a_report_on_the_machine_is_not_compared() {
        assert_eq!(same_everywhere("GPU  none\n  x\n\ndevice\n\ntable"), "device\n\ntable");
        assert_eq!(same_everywhere("Chapter 1\n\ntable"), "Chapter 1\n\ntable");
    }

    #[test]
    fn blanks_at_the_ends_go() {
        assert_eq!(without_blank_ends("\na  b \n\n\n c\n\n"), "a  b\n\n c\n");
    }
}
