//! The task of an exercise in words: what to do, and how high its counts may be.
//!
//! The student's file, the program's output and the book's page all have it from here.

use harness::Shape;
use report::terminal::{wrap, wrap_after};

use super::{Demand, Exercise, LongestWarp};

/// Columns of the comment at the head of a student's file.
const COMMENT_WIDTH: usize = 96;

impl Exercise {
    /// What is to be done, paragraph by paragraph, each in one line.
    pub fn task(&self) -> Vec<String> {
        let join = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut task: Vec<String> = self.declaration.task.trim().split("\n\n").map(join).collect();
        task.extend(self.declaration.limit.filter(|limit| *limit > FEW).map(|limit| {
            let exponent = limit.ilog2();
            format!("A check draws sizes of up to 2^{exponent} elements.")
        }));
        task
    }

    /// The bounds on counts that are checked, each in words.
    pub fn bounds(&self) -> Vec<String> {
        let longest = self.declaration.longest_warp.map(LongestWarp::in_words);
        self.declaration.demand.iter().map(Demand::in_words).chain(longest).collect()
    }

    /// The task and the bounds as plain text, in lines of at most `width` columns.
    pub fn task_text(&self, width: usize) -> String {
        let mut text = String::new();
        for paragraph in self.task() {
            text += &format!("{}\n", wrap(&paragraph, width, 0));
        }
        let bounds = self.bounds();
        if !bounds.is_empty() {
            text += &wrap(BOUNDS, width, 0);
            for bound in bounds {
                text += &wrap_after("- ", &bound, width);
            }
            text.push('\n');
        }
        text
    }

    /// The task as a comment, for the head of the student's file.
    pub(super) fn task_comment(&self) -> String {
        let begin = if self.has_kernel() { "//" } else { "#" };
        let (number, title) = (self.number(), &self.declaration.title);
        let text = format!("Exercise {number}: {title}\n\n{}", self.task_text(COMMENT_WIDTH));
        let line = |line: &str| format!("{begin} {line}").trim_end().to_owned() + "\n";
        text.trim_end().lines().map(line).collect::<String>() + "\n"
    }
}

/// Where sizes are no larger, the task says why.
const FEW: u64 = 1 << 14;

/// What stands before the bounds.
pub const BOUNDS: &str = "The results must be right, and these counts are bounded:";

impl LongestWarp {
    /// The bound as a student reads it.
    pub fn in_words(self) -> String {
        let Self { most, per_element, per_row, per_tile } = self;
        let terms = [(per_element, "elements"), (per_row, "rows"), (per_tile, of_what("tiles"))];
        let terms = terms.into_iter().filter(|(times, _)| *times > 0.0);
        let and: String = terms.map(|(times, of)| format!(" + {times} × {of}")).collect();
        format!("instructions of the longest warp, on every size: at most {most}{and}")
    }
}

impl Demand {
    /// The bound as a student reads it, such as `barriers per warp: at most 3`.
    pub fn in_words(&self) -> String {
        let terms = self.most.terms();
        let counter = counter(&self.counter);
        match terms[..] {
            [(_, 0.0)] => format!("{counter}: none"),
            [(of, most)] if unit(of).is_some() => {
                format!("{}: at most {most}", count(&self.counter, Some(of)))
            }
            _ => format!("{counter}: at most {}", sum(&terms)),
        }
    }
}

/// A sum of multiples in words, the constant last: `0.25 × n + 1`.
fn sum(terms: &[(&str, f64)]) -> String {
    let (constant, multiples): (Vec<_>, Vec<_>) = terms.iter().partition(|(of, _)| *of == "one");
    let multiple = |&&(of, most): &&(&str, f64)| match most {
        1.0 => of_what(of).to_owned(),
        most => format!("{most} × {}", of_what(of)),
    };
    let texts = multiples.iter().map(multiple);
    texts.chain(constant.iter().map(|(_, most)| most.to_string())).collect::<Vec<_>>().join(" + ")
}

/// What a bound is a multiple of, where the name alone does not say it.
fn of_what(name: &str) -> &str {
    match name {
        "in_sectors" => "the sectors of the input's rows, 32 elements at a time",
        "out_sectors" => "the sectors of the output's rows, 32 elements at a time",
        "tiles" => "tiles of 32 × 32",
        other => other,
    }
}

/// A count in words, with what it is divided by: `barriers per warp`.
pub fn count(name: &str, per: Option<&str>) -> String {
    let counter = counter(name);
    match per {
        None => counter,
        Some(per) => format!("{counter} per {}", unit(per).unwrap_or(per)),
    }
}

/// What a counter of the simulator counts.
fn counter(name: &str) -> String {
    let words = match name {
        "global_load_requests" => "load requests to global memory",
        "global_load_sectors" => "sectors of global memory that are loaded",
        "global_store_requests" => "store requests to global memory",
        "global_store_sectors" => "sectors of global memory that are stored",
        "global_atomic_requests" => "atomic requests to global memory",
        "shared_load_requests" => "load requests to shared memory",
        "shared_load_wavefronts" => "wavefronts of loads from shared memory",
        "shared_store_requests" => "store requests to shared memory",
        "shared_store_wavefronts" => "wavefronts of stores to shared memory",
        "shared_bank_conflicts" => "bank conflicts in shared memory",
        "shared_atomic_wavefronts" => "wavefronts of atomics on shared memory",
        other => return other.replace('_', " "),
    };
    words.to_owned()
}

/// One of what a count is divided by; of a dimension such as `n` nothing.
fn unit(per: &str) -> Option<&'static str> {
    Some(match per {
        "blocks" => "block",
        "warps" => "warp",
        "threads" => "thread",
        "global_load_requests" => "load request",
        "global_store_requests" => "store request",
        "global_atomic_requests" => "atomic request",
        _ => return None,
    })
}

/// A size in words: `1 element`, `4096 elements`, `a matrix of 128x128 elements`.
pub fn elements(shape: Shape) -> String {
    match shape {
        Shape::Vector { n: 1 } => "1 element".to_owned(),
        Shape::Vector { n } => format!("{n} elements"),
        Shape::Matrix { .. } => format!("a matrix of {shape} elements"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(text: &str) -> String {
        let demand: Demand = toml::from_str(&format!("{text}\nhint = \"\"")).expect("it is one");
        demand.in_words()
    }

    #[test]
    fn a_bound_is_said_in_words() {
        for (text, words) in [
            ("counter = \"barriers\"\nmost = { warps = 3 }", "barriers per warp: at most 3"),
            (
                "counter = \"shared_bank_conflicts\"\nmost = 0",
                "bank conflicts in shared memory: none",
            ),
            (
                "counter = \"global_load_requests\"\nmost = { n = 0.025, one = 1, blocks = 2 }",
                "load requests to global memory: at most 2 × blocks + 0.025 × n + 1",
            ),
            (
                "counter = \"global_store_sectors\"\nmost = { out_sectors = 1 }",
                "sectors of global memory that are stored: at most the sectors of the output's rows, 32 elements at a time",
            ),
        ] {
            assert_eq!(demand(text), words);
        }
    }

    #[test]
    fn one_element_is_no_elements() {
        assert_eq!(elements(Shape::Vector { n: 1 }), "1 element");
        assert_eq!(elements(Shape::Matrix { rows: 2, cols: 3 }), "a matrix of 2x3 elements");
    }
}
