//! The questions of a chapter are listed at its end, with what was measured: a folder whose pages have an `{{#ask …}}` has a
//! `{{#predictions}}`.

use std::collections::HashSet;
use std::path::Path;

use crate::expand::{Call, calls};

/// Where a page first asks, if no page of its folder lists the questions.
pub(super) fn unlisted<'a>(pages: &[(&'a Path, &'a str)]) -> Vec<(&'a Path, usize)> {
    let first = |text: &'a str, name: &str| calls(text).find(|call: &Call<'_>| call.name() == name);
    let lists = pages.iter().filter(|(_, text)| first(text, "predictions").is_some());
    let listed: HashSet<_> = lists.map(|(path, _)| path.parent()).collect();
    let asking = pages.iter().filter(|(path, _)| !listed.contains(&path.parent()));
    let mut found: Vec<_> =
        asking.filter_map(|(path, text)| Some((*path, first(text, "ask")?.range.start))).collect();
    found.dedup_by_key(|(path, _)| path.parent());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_asks_lists_its_questions() {
        let page = |path, text| (Path::new(path), text);
        let asks = page("a/one.md", "so {{#ask question=\"?\" answer=\"1\"}}1{{#end}}");
        let lists = page("a/two.md", "{{#predictions}}");
        let elsewhere = page("b/two.md", "{{#predictions}}");
        assert_eq!(unlisted(&[asks, lists]), []);
        assert_eq!(unlisted(&[asks, elsewhere]), [(Path::new("a/one.md"), 3)]);
    }
}
