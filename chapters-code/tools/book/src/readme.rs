//! README.md's table: chapter, and the best recorded rate against the baseline library's.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use harness::Dtype;
use recording::Subject;

use crate::measured::{FOLDER, Records, Row, amount, chapter_number, elements, library};

const BEGIN: &str = "<!-- table: drawn by `cargo run --bin book -- readme` -->";
const END: &str = "<!-- end of table -->";
const DEVICE: &str = "H200";
/// The device that differs from it in its memory, and so in many ratios.
const OTHER: &str = "H100";

/// Draws the table anew in `root`'s README.md.
pub fn update(root: &Path) -> Result<()> {
    let path = root.join("README.md");
    std::fs::write(&path, redrawn(root)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Fails if the table in `root`'s README.md is not what [`update`] would draw.
pub fn check(root: &Path) -> Result<()> {
    if std::fs::read_to_string(root.join("README.md"))? != redrawn(root)? {
        bail!("README.md's table is not current: cargo run --bin book -- readme");
    }
    Ok(())
}

fn redrawn(root: &Path) -> Result<String> {
    let path = root.join("README.md");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let (before, rest) = text
        .split_once(BEGIN)
        .with_context(|| format!("{} has no line {BEGIN}", path.display()))?;
    let (_, after) =
        rest.split_once(END).with_context(|| format!("{} has no line {END}", path.display()))?;
    Ok(format!("{before}{BEGIN}\n{}{END}{after}", table(root)?))
}

fn table(root: &Path) -> Result<String> {
    let records = Records::load(&root.join("book").join(FOLDER))?;
    let mut text = String::from(
        "| chapter | best rate on an H200 | of the ceiling | kernel and input | against NVIDIA's library |\n\
         | --- | ---: | ---: | --- | --- |\n",
    );
    for folder in chapters::ALL.iter().map(|chapter| chapter.name()) {
        let code = format!("chapters-code/{folder}");
        let title = title(&root.join(format!("book/{folder}/index.md")))?;
        let [rate, part, case, against] = best(&records, folder);
        writeln!(text, "| [{title}]({code}) | {rate} | {part} | {case} | {against} |")?;
    }
    Ok(text)
}

fn title(page: &Path) -> Result<String> {
    let text = std::fs::read_to_string(page)
        .with_context(|| format!("a chapter needs its page {}", page.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(str::to_owned)
        .with_context(|| format!("{} has no title", page.display()))
}

/// The fastest of the chapter's rows of its largest input, of those that have a baseline, or else of all; and
/// its ratio to the baseline. If there are scans, of those: what only reads would outrun them.
fn best(records: &Records, folder: &str) -> [String; 4] {
    let Ok(run) = records.run_of_chapter(DEVICE, folder) else {
        return ["not recorded yet", "", "", ""].map(str::to_owned);
    };
    let number = chapter_number(folder);
    let belongs = |row: &&Row| row.chapter() == number && !row.broken;
    let is_meant = |row: &&Row| reads_all(row) && is_whole(row) && rate(row) > 0.0;
    let timed = || run.rows.iter().filter(belongs).filter(is_meant);
    let has_scans = timed().any(is_scan);
    let rows = || timed().filter(|row| is_scan(row) == has_scans);
    let has_fair_baseline = |row: &&Row| row.baseline.is_some() && does_what_ours_does(row);
    let fastest = least_ahead(rows().filter(has_fair_baseline)).or_else(|| least_ahead(rows()));
    fastest.map_or_else(Default::default, |row| {
        let part = row.fraction_of_ceiling.map(|part| amount("fraction", part));
        let is_same = |other: &&Row| row.subject.can_stand_for(&other.subject);
        let other = records.run_of_chapter(OTHER, folder).ok();
        let there = other.and_then(|run| run.rows.iter().find(is_same));
        let rate = amount("gb_per_s", rate(row));
        [rate, part.unwrap_or_default(), case_of(row), against(row, there)]
    })
}

fn rate(row: &Row) -> f64 {
    row.gb_per_s.unwrap_or(0.0)
}

/// Of the rows of the most devices and of the largest input in bytes, the fastest. If several are equally fast, within a hundredth,
/// the one that its baseline comes nearest to: inputs differ in what the library's best call for them is.
fn least_ahead<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<&'a Row> {
    let size = |row: &Row| {
        let Subject { n, dtype, task, .. } = &row.subject;
        let bytes = dtype.parse().map_or(1, Dtype::size) as u64;
        (task.number("devices"), n * bytes)
    };
    let largest = rows.clone().map(size).max()?;
    let rows = rows.filter(move |row| size(row) == largest);
    let fastest = rows.clone().map(rate).fold(0.0, f64::max);
    let ratio = |row: &Row| row.ratio().unwrap_or(f64::INFINITY);
    rows.filter(|row| rate(row) > 0.99 * fastest)
        .min_by(|a, b| ratio(a).total_cmp(&ratio(b)).then(rate(b).total_cmp(&rate(a))))
}

/// Whether a row is of an input that has to be read: a compaction may leave out data of which a long stretch
/// is not kept, and its rate counts them all the same.
fn reads_all(row: &Row) -> bool {
    let is = |column, usual| row.subject.task.text(column).is_none_or(|text| text == usual);
    is("density", "1/2") && is("mask", "random")
}

/// Whether a row of several devices is of an all-reduce, of which the other collectives are halves.
fn is_whole(row: &Row) -> bool {
    let task = &row.subject.task;
    task.get("devices").is_none() || task.text("task") == Some("all-reduce")
}

/// Whether the baseline of a row does the same work. Our integer keys are their own bins; CUB's may have any
/// width, so CUB divides each key of more than a byte.
fn does_what_ours_does(row: &Row) -> bool {
    let Subject { dtype, task, .. } = &row.subject;
    task.get("bins").is_none() || ["u8", "f32"].contains(&&**dtype)
}

fn is_scan(row: &Row) -> bool {
    row.subject.task.get("kind").is_some()
}

/// The kernel of a row, and how many elements of which type it was given.
fn case_of(row: &Row) -> String {
    let Subject { kernel, n, dtype, task, .. } = &row.subject;
    let devices = task.number("devices").map(|count| format!(" on {count} {DEVICE}s"));
    format!("`{kernel}`, {} {dtype}{}", elements(*n), devices.unwrap_or_default())
}

/// The ratio to the baseline, and that of the same row on the other device.
fn against(row: &Row, there: Option<&Row>) -> String {
    let written = |ratio: f64| amount("ratio", ratio);
    let (Some(baseline), Some(ratio)) = (&row.baseline, row.ratio()) else { return String::new() };
    let own = if ratio == 1.0 { "as fast as".to_owned() } else { written(ratio) };
    let other = there.and_then(Row::ratio).map(|other| format!(" ({OTHER}: {})", written(other)));
    format!("{own} {}{}", library(baseline), other.unwrap_or_default())
}
