//! KaTeX accepts every formula.

use crate::Problem;
use crate::check::Page;
use crate::mathematics::{self, Part};

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let fault = |(offset, part)| match part {
        Part::Text(_) => None,
        Part::Formula(formula, mode) => {
            let words = mathematics::render(formula, mode).err()?;
            let message = format!("KaTeX rejects `{}`: {words}", formula.trim());
            Some(page.problem(offset, message))
        }
    };
    let parts = mathematics::parts(page.text);
    parts.into_iter().filter_map(fault).collect()
}
