//! What came of a check, for people.

use console::style;
use report::terminal::{width, wrap_after};

use super::student::Submission;
use crate::{
    check::{Failure, Outcome, Passed, Target, Verdict},
    course::Exercise,
    diagnosis::Diagnosis,
};

/// Which exercise, and which file.
pub fn heading(exercise: &Exercise, file: &str) -> String {
    let title = style(&exercise.declaration.title).bold();
    format!("\n{} {title}  ({file})\n", exercise.number())
}

/// What came of a check.
pub fn outcome(
    exercise: &Exercise,
    submission: &Submission,
    target: Target,
    outcome: &Outcome,
) -> String {
    let mut text = match &outcome.verdict {
        Verdict::Passed(passed) => right(passed, target, outcome),
        Verdict::Failed(failure) => wrong(exercise, submission, failure),
    };
    if !outcome.printed.is_empty() {
        text += &format!("  it printed:\n{}", indented(&outcome.printed));
    }
    text
}

/// What to do after a pass.
pub fn passed(exercise: &Exercise) -> String {
    format!("  `cargo exercise discussion {}` compares solutions\n", exercise.number())
}

fn right(passed: &Passed, target: Target, outcome: &Outcome) -> String {
    let device = match target {
        Target::Simulator => "simulated GPU",
        Target::Gpu => "GPU",
    };
    let mut text = format!(
        "{} on the {device}: {} runs, {:.2} s\n",
        style("right").green().bold(),
        passed.runs,
        outcome.check_seconds
    );
    for counted in &passed.counted {
        let most = counted.most.map(|most| format!(" (at most {})", crate::check::short(most)));
        let value = crate::check::short(counted.value);
        text += &format!("  {}: {value}{}\n", counted.name, most.unwrap_or_default());
    }
    if let Some((time, elements)) = &passed.time {
        text += &format!(
            "  {elements} elements in {:.4} ms (median of {})\n",
            time.median, time.samples
        );
    }
    text
}

/// The failure, its places in the file, one hint, and what to read again.
fn wrong(exercise: &Exercise, submission: &Submission, failure: &Failure) -> String {
    let mut text = format!("{}: {}\n", style("wrong").red().bold(), failure.diagnosis.text());
    text += &indented(&failure.seen);
    for place in &failure.places {
        text += &quoted(submission, place.line, &place.who);
    }
    for note in &failure.notes {
        text += &wrap_after("  = ", note, width());
    }
    let (hint, section) = advice(exercise, failure);
    if !hint.is_empty() {
        text += &wrap_after("  hint: ", &hint, width());
    }
    if failure.diagnosis != Diagnosis::NotBegun {
        text += &format!("  read again: book/{section}\n");
    }
    text
}

/// One hint and one section: the exercise's own for that diagnosis, or those of the diagnosis.
pub fn advice(exercise: &Exercise, failure: &Failure) -> (String, String) {
    let own = exercise.declaration.advice.get(&failure.diagnosis);
    let hint = own
        .and_then(|advice| advice.hint.clone())
        .or_else(|| failure.hint.clone())
        .unwrap_or_else(|| failure.diagnosis.hint().to_owned());
    let section = own
        .and_then(|advice| advice.read.clone())
        .or_else(|| Some(failure.diagnosis.section().to_owned()).filter(|s| !s.is_empty()))
        .unwrap_or_else(|| exercise.declaration.read.clone());
    (hint.trim().to_owned(), section)
}

/// A line of the file, as compilers show it.
fn quoted(submission: &Submission, line: usize, who: &str) -> String {
    let text = String::from_utf8_lossy(&submission.bytes);
    let code = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let number = line.to_string();
    let space = " ".repeat(number.len());
    let who = match who {
        "" => String::new(),
        who => format!("  {space} | {who}\n"),
    };
    let arrow = style("-->").blue();
    format!("  {space}{arrow} {}:{line}\n  {number} | {code}\n{who}", submission.name)
}

fn indented(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("  {line}\n")).collect()
}
