//! Every relative link leads to a file of the book, and not to one beside it, which is not
//! published. Fragments are not looked up.

use crate::Problem;
use crate::check::{Page, rates};

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let code: Vec<_> = rates::code(page.text).map(|(range, _)| range).collect();
    page.text
        .match_indices("](")
        .filter(|(offset, _)| !code.iter().any(|range| range.contains(offset)))
        .filter_map(|(offset, opening)| {
            let rest = &page.text[offset + opening.len()..];
            let target = rest[..rest.find(')')?].split('#').next()?.trim();
            let elsewhere = target.is_empty() || target.contains("://") || target.contains(' ');
            if elsewhere {
                return None;
            }
            let file = page.folder.join(target).canonicalize();
            match file.and_then(|file| Ok(file.starts_with(page.source.canonicalize()?))) {
                Ok(true) => None,
                Ok(false) => {
                    Some(page.problem(offset, format!("this link leaves the book: {target}")))
                }
                Err(_) => Some(page.problem(offset, format!("this link leads nowhere: {target}"))),
            }
        })
        .collect()
}
