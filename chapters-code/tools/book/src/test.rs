//! `book test`: everything about the book that can be checked without a browser.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::{Strictness, build, capture, readme, search, site, words};

/// Where the book is built for the checks.
const FOLDER: &str = "target/tested";

/// Checks the book of `root`, and prints what was checked.
///
/// # Errors
/// The first check that fails, with all that it found.
pub fn run(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    step("sources", || {
        build(root, Some(&folder), Strictness::Strict)?;
        Ok("built for release: includes and their anchors, listings, figures, recorded numbers, \
            formulas, links between sources"
            .to_owned())
    })?;
    step("pages", || {
        let report = site::check(&folder)?;
        let problems = report.problems.join("\n  ");
        ensure!(problems.is_empty(), "the built book has problems:\n  {problems}");
        Ok(report.to_string())
    })?;
    step("formulas", || {
        let problems = site::check_tex(&folder, &root.join("book"))?.join("\n  ");
        ensure!(problems.is_empty(), "what a screen reader reads is not the source:\n  {problems}");
        Ok("each carries the TeX of its source".to_owned())
    })?;
    step("search", || search::check(&folder))?;
    step("length", || {
        let problems = words::faults(root)?.join("\n  ");
        ensure!(problems.is_empty(), "the main path is too long:\n  {problems}");
        Ok("the main path and its pages are within their limits of words".to_owned())
    })?;
    step("README", || {
        readme::check(root)?;
        Ok("its table is what the recorded runs give".to_owned())
    })?;
    step("output", || {
        capture::check(root)?;
        Ok("what the pages show is what the programs print".to_owned())
    })
}

/// Runs a check, and prints what it says and how long it took.
fn step(name: &str, check: impl FnOnce() -> Result<String>) -> Result<()> {
    let start = Instant::now();
    let said = check()?;
    println!("{name:8} ok, {:.1} s: {said}", start.elapsed().as_secs_f64());
    Ok(())
}
