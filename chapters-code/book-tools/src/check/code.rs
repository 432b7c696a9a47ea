//! Code of the project stands in a page by include only, so that what is read is what runs. A block
//! in one of the project's languages must therefore hold nothing but includes.

use crate::Problem;
use crate::check::Page;

/// The languages that the project's own code is written in. What illustrates something else
/// (pseudocode, a file format, a command) is marked as another one, such as `text` or `console`.
const PROJECT_LANGUAGES: [&str; 5] = ["cpp", "cuda", "rust", "ptx", "c"];

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut inside: Option<bool> = None;
    let mut offset = 0;
    for line in page.text.split_inclusive('\n') {
        let trimmed = line.trim();
        match (trimmed.strip_prefix("```"), inside) {
            (Some(info), None) => inside = Some(is_project_language(info)),
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) if !trimmed.is_empty() && !trimmed.starts_with("{{#include ") => {
                let message = "code of the project is shown by {{#include}}, never typed";
                problems.push(page.problem(offset, message));
            }
            (None, _) => {}
        }
        offset += line.len();
    }
    problems
}

fn is_project_language(info: &str) -> bool {
    let language = info.split([',', ' ', '{']).next().unwrap_or_default();
    PROJECT_LANGUAGES.contains(&language)
}
