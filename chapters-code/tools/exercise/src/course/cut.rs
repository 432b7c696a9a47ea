//! Solution and skeleton out of one file.
//!
//! Between `// GAP` and `// END GAP` stands what the student is to write. Lines behind
//! `// SKELETON` in the gap, each after `//|`, are what the skeleton has there instead. What stands
//! behind `// GAP` on its line is a comment of the skeleton: `// GAP fold the two halves` becomes
//! `// TODO: fold the two halves`.

use anyhow::{Result, bail};

/// What one file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The solution; none in a course without solutions.
    pub solution: Option<String>,
    /// What the student begins with.
    pub skeleton: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Common,
    Solution,
    Skeleton,
}

/// Cuts a file with marks.
///
/// # Errors
/// Where marks do not pair, or there is no gap.
pub fn cut(text: &str) -> Result<Cut> {
    let (mut solution, mut skeleton) = (String::new(), String::new());
    let (mut part, mut gaps) = (Part::Common, 0);
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = &line[..line.len() - trimmed.len()];
        match (part, mark(trimmed)) {
            (Part::Common, Some(Mark::Gap(task))) => {
                (part, gaps) = (Part::Solution, gaps + 1);
                push(&mut skeleton, &format!("{indent}// TODO: {task}"), task);
            }
            (Part::Solution, Some(Mark::Skeleton)) => part = Part::Skeleton,
            (Part::Solution | Part::Skeleton, Some(Mark::End)) => part = Part::Common,
            (Part::Skeleton, None) => match trimmed.strip_prefix("//|") {
                Some(rest) => push(&mut skeleton, rest, " "),
                None => bail!("line {}: it should begin with //|", number + 1),
            },
            (Part::Common, None) => {
                push(&mut solution, line, " ");
                push(&mut skeleton, line, " ");
            }
            (Part::Solution, None) => push(&mut solution, line, " "),
            (_, Some(_)) => bail!("line {}: this mark has no place here", number + 1),
        }
    }
    if part != Part::Common || gaps == 0 {
        bail!("a gap is from `// GAP` to `// END GAP`, and there must be one");
    }
    Ok(Cut { solution: Some(solution), skeleton })
}

enum Mark<'t> {
    Gap(&'t str),
    Skeleton,
    End,
}

fn mark(line: &str) -> Option<Mark<'_>> {
    match line.strip_prefix("// ")? {
        "SKELETON" => Some(Mark::Skeleton),
        "END GAP" => Some(Mark::End),
        "GAP" => Some(Mark::Gap("")),
        other => other.strip_prefix("GAP ").map(Mark::Gap),
    }
}

/// Adds a line, unless it is one of a task that is empty.
fn push(text: &mut String, line: &str, task: &str) {
    if !task.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_cut_out() {
        let text =
            "a\n  // GAP fold\n  b\n  // END GAP\nc\n// GAP\nd\n// SKELETON\n//|  e\n// END GAP\n";
        let both = cut(text).expect("its marks pair");
        assert_eq!(both.solution.as_deref(), Some("a\n  b\nc\nd\n"));
        assert_eq!(both.skeleton, "a\n  // TODO: fold\nc\n  e\n");
    }

    #[test]
    fn marks_that_do_not_pair_are_refused() {
        for text in [
            "a\n",
            "// GAP\na\n",
            "// END GAP\n",
            "// GAP\n// SKELETON\nx\n// END GAP\n",
            "// GAP\n// GAP\n// END GAP\n",
        ] {
            assert!(cut(text).is_err(), "{text}");
        }
    }
}
