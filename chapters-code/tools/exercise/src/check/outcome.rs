//! What became of a submission.

use harness::timing::Time;
use serde::{Deserialize, Serialize};

use crate::diagnosis::Diagnosis;

/// What became of a submission, as its process reports it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// What is known of it if it is right; otherwise what is wrong with it.
    pub verdict: Result<Passed, Failure>,
    /// Seconds for the compilation; 0 if it was remembered.
    pub compile_seconds: f64,
    /// Seconds for everything after it.
    pub check_seconds: f64,
    /// What the kernel printed.
    #[serde(default)]
    pub printed: String,
}

/// Of a submission that is right.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Passed {
    /// Runs that were checked.
    pub runs: usize,
    /// What was counted where the exercise asks for it.
    pub counted: Vec<Counted>,
    /// Remarks about a kernel that is right.
    #[serde(default)]
    pub notes: Vec<String>,
    /// On a GPU, how long the largest size took, and how many elements that was.
    pub time: Option<(Time, u64)>,
}

/// A count that an exercise bounds or asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counted {
    /// The counter, and what it is divided by.
    pub name: String,
    /// The count.
    pub value: f64,
    /// What it may be at most; none if it was predicted.
    pub most: Option<f64>,
}

impl Counted {
    /// Which part of its bound it takes up.
    pub fn of_bound(&self) -> f64 {
        match self.value {
            0.0 => 0.0,
            value => value / self.most.unwrap_or(f64::INFINITY),
        }
    }
}

/// What is wrong with a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// By name.
    pub diagnosis: Diagnosis,
    /// What was seen: the compiler's log, the first wrong element, the detector's words.
    pub seen: String,
    /// What tells of the diagnosis, and what else is worth knowing.
    pub notes: Vec<String>,
    /// Where, in the submission.
    pub places: Vec<Place>,
    /// A hint that fits better than that of the diagnosis.
    pub hint: Option<String>,
}

/// A line of the submission, and who was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// What happened there, such as `write by block 0, warp 1, lane 31`.
    pub who: String,
}

/// Returns a text without the escape sequences and control characters with which it could move a
/// terminal's cursor or forge what others print. Tabs and ends of lines stay.
pub fn printable(text: &str) -> String {
    let text = console::strip_ansi_codes(text);
    text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "")
}

impl Failure {
    /// Of that kind.
    pub fn new(diagnosis: Diagnosis, seen: impl Into<String>) -> Self {
        Self { diagnosis, seen: seen.into(), notes: Vec::new(), places: Vec::new(), hint: None }
    }

    /// With something else worth knowing.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With a hint that fits better than that of the diagnosis.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With lines of the submission.
    pub fn at(mut self, lines: impl IntoIterator<Item = usize>) -> Self {
        let places = lines.into_iter().map(|line| Place { line, who: String::new() });
        self.places.extend(places);
        self
    }
}

impl Outcome {
    /// Of a submission that was not run.
    pub fn failed(failure: Failure) -> Self {
        Self {
            verdict: Err(failure),
            compile_seconds: 0.0,
            check_seconds: 0.0,
            printed: String::new(),
        }
    }

    /// What is wrong, if anything is.
    pub fn failure(&self) -> Option<&Failure> {
        self.verdict.as_ref().err()
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_would_move_a_terminals_cursor_is_left_out() {
        assert_eq!(printable("\u{1b}[2Ja\tline\r\n\u{7}end"), "a\tline\nend");
    }
}
