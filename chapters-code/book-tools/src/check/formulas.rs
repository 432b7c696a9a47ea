//! KaTeX accepts every formula. mdbook-katex leaves a formula that it rejects as it is, and goes on.

use katex::Opts;
use mdbook_katex::cfg::KatexConfig;
use mdbook_katex::preprocess::{Render, get_render_tasks};

use crate::Problem;
use crate::check::Page;

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let options = KatexConfig::default().build_extra_opts();
    let mut offset = 0;
    let mut problems = Vec::new();
    for task in get_render_tasks(page.text, "", &options) {
        let (text, mode) = match task {
            Render::Text(text) => (text, None),
            Render::InlineTask(formula) => (formula, Some(false)),
            Render::DisplayTask(formula) => (formula, Some(true)),
        };
        // The scan leaves the delimiters out of what it returns.
        offset += page.text[offset..].find(text).unwrap_or(0);
        if let Some(fault) = mode.and_then(|display| fault_of(text, display)) {
            problems
                .push(page.problem(offset, format!("KaTeX rejects `{}`: {fault}", text.trim())));
        }
        offset += text.len();
    }
    problems
}

fn fault_of(formula: &str, display: bool) -> Option<String> {
    let options = Opts::builder().display_mode(display).build().ok()?;
    katex::render_with_opts(formula, options)
        .err()
        .map(|error| first_line(&error.to_string()))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
