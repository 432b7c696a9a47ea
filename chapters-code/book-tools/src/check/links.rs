//! Every relative link leads to a file of the book. Fragments are not looked up.

use crate::Problem;
use crate::check::Page;

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    page.text
        .match_indices("](")
        .filter_map(|(offset, opening)| {
            let rest = &page.text[offset + opening.len()..];
            let target = rest[..rest.find(')')?].split('#').next()?.trim();
            let outside = target.is_empty() || target.contains("://") || target.contains(' ');
            (!outside && !page.folder.join(target).exists())
                .then(|| page.problem(offset, format!("this link leads nowhere: {target}")))
        })
        .collect()
}
