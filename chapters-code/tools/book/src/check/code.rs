//! Code of the project stands in a page by include only, so that what is read is what runs. A block
//! in one of the project's languages must therefore hold nothing but includes.

use crate::Problem;
use crate::check::{Page, fences};

/// The languages that the project's own code is written in. What illustrates something else
/// (pseudocode, a file format, a command) is marked as another one, such as `text` or `console`.
const PROJECT_LANGUAGES: [&str; 5] = ["cpp", "cuda", "rust", "ptx", "c"];

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (info, range) in fences::blocks(page.text) {
        if !info.is_some_and(|info| is_project_language(&info)) {
            continue;
        }
        let mut offset = range.start;
        // The first line is the fence; so is the last one, if there is one.
        for (number, line) in page.text[range].split_inclusive('\n').enumerate() {
            let trimmed = line.trim();
            let is_fence = number == 0 || trimmed.starts_with("```") || trimmed.starts_with("~~~");
            if !is_fence && !trimmed.is_empty() && !trimmed.starts_with("{{#include ") {
                let message = "code of the project is shown by {{#include}}, never typed";
                problems.push(page.problem(offset, message));
            }
            offset += line.len();
        }
    }
    problems
}

fn is_project_language(info: &str) -> bool {
    PROJECT_LANGUAGES.contains(&fences::language(info))
}
