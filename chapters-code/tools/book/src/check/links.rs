//! Every relative link leads to a file of the book, and not to one beside it, which is not
//! published. Fragments are not looked up.

use crate::Problem;
use crate::check::Page;

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    page.text
        .match_indices("](")
        .filter(|(offset, _)| !is_code(&page.text[..*offset]))
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

/// Whether what follows `text` in its line stands in a code span.
fn is_code(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    !line.matches('`').count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lambda_is_no_link() {
        assert!(is_code("a link `x`\nThen `[&"));
        assert!(!is_code("`x`, [`y`"));
    }
}
