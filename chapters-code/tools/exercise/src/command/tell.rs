//! What came of a check, for people.

use console::style;
use report::terminal::{width, wrap_after};

use super::student::Submission;
use crate::{
    check::{Failure, Outcome, Passed, Target},
    course::Exercise,
    diagnosis::{Advice, Diagnosis},
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
    let verdict = match &outcome.verdict {
        Ok(passed) => right(passed, target, outcome),
        Err(failure) => wrong(exercise, submission, failure),
    };
    printed(&outcome.printed) + &verdict
}

/// Lines that are shown of what a kernel printed.
const PRINTED_LINES: usize = 20;

/// The beginning of what a kernel printed. It stands above the verdict, which is read first then.
fn printed(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let line = |line: &str| format!("  {line}\n");
    let mut shown = "  it printed:\n".to_owned();
    shown.extend(text.lines().take(PRINTED_LINES).map(line));
    let more = text.lines().count().saturating_sub(PRINTED_LINES);
    if more > 0 {
        let more =
            format!("({more} lines more; print in one thread of one block alone to see all)");
        shown += &wrap_after("  ", &more, width());
    }
    shown
}

/// The task and its bounds.
pub fn task(exercise: &Exercise) -> String {
    let text = exercise.task_text(width() - 2);
    text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

/// What to do after a pass.
pub fn passed(exercise: &Exercise, next: Option<&Exercise>) -> String {
    let mut text =
        format!("`cargo exercise discussion {}` compares solutions. ", exercise.number());
    match next {
        Some(next) => {
            let (number, title) = (next.number(), &next.declaration.title);
            text += &format!("Next: {number} {title}, `cargo exercise check {number}`.");
        }
        None => text += "You have passed all exercises.",
    }
    wrap_after("  ", &text, width())
}

/// How to have the same inputs and sizes again.
pub fn seed(seed: u64) -> String {
    wrap_after(
        "  ",
        &format!("Sizes and inputs were drawn; `--seed {seed}` draws the same."),
        width(),
    )
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
    for note in &passed.notes {
        text += &wrap_after("  but: ", note, width());
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
    if let Some(hint) = hint {
        text += &wrap_after("  hint: ", hint.trim(), width());
    }
    if failure.diagnosis != Diagnosis::NotBegun {
        text += &format!("  read again: book/{section}\n");
    }
    text
}

/// One hint, if there is any, and one section: the exercise's own for that diagnosis, or those of the diagnosis.
fn advice<'a>(exercise: &'a Exercise, failure: &'a Failure) -> (Option<&'a str>, &'a str) {
    let own = exercise.declaration.advice.get(&failure.diagnosis);
    let common = failure.diagnosis.advice();
    let hint = |advice: Option<&'a Advice>| advice?.hint.as_deref();
    let section = |advice: Option<&'a Advice>| advice?.read.as_deref();
    (
        hint(own).or(failure.hint.as_deref()).or_else(|| hint(common)),
        section(own).or_else(|| section(common)).unwrap_or(&exercise.declaration.read),
    )
}

/// A line of the file, as compilers show it.
fn quoted(submission: &Submission, line: usize, who: &str) -> String {
    let text = crate::check::printable(&String::from_utf8_lossy(&submission.bytes));
    let code = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let number = line.to_string();
    let code = cut(&code.replace('\t', "    "), width() - number.len() - 5);
    let space = " ".repeat(number.len());
    let who = match who {
        "" => String::new(),
        who => format!("  {space} | {who}\n"),
    };
    let arrow = style("-->").blue();
    format!("  {space}{arrow} {}:{line}\n  {number} | {code}\n{who}", submission.name)
}

/// As much of a line as there is room for, up to the end of a word.
fn cut(line: &str, room: usize) -> String {
    if line.chars().count() <= room {
        return line.to_owned();
    }
    // One more character shows whether a word ends there; " …" needs two.
    let fits: String = line.chars().take(room.saturating_sub(1)).collect();
    match fits.trim_end_matches(|c: char| !c.is_whitespace()).trim_end() {
        "" => line.to_owned(),
        words => format!("{words} …"),
    }
}

/// Lines behind two spaces. Long ones are broken between words; what begins with a space is code.
fn indented(text: &str) -> String {
    let line = |line: &str| match line.chars().count() + 2 > width() && !line.starts_with(' ') {
        true => wrap_after("  ", line, width()),
        false => format!("  {line}\n"),
    };
    text.trim_end().lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, printed};

    #[test]
    fn a_line_is_cut_between_words() {
        assert_eq!(cut("    int x = 0;", 14), "    int x = 0;");
        assert_eq!(cut("    int x = 0;", 13), "    int x = …");
        assert_eq!(cut("    a_long_word", 10), "    a_long_word");
    }

    #[test]
    fn of_much_text_the_beginning_is_shown() {
        let text = printed(&"a line\n".repeat(400));
        assert_eq!(text.lines().count(), 22, "{text}");
        assert!(text.contains("  a line\n") && text.contains("380 lines more"), "{text}");
        assert_eq!(printed(""), "");
    }
}
