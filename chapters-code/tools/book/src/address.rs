//! Paths of pages as links have them, and text as attributes have it.

use std::path::Path;

use figures::page::escape;

/// From the folder of a page up to the folder of the book, in which the page's path begins.
pub(crate) fn up(page: &Path) -> String {
    "../".repeat(page.components().count().saturating_sub(1))
}

/// A path as it stands in a link.
pub(crate) fn of(path: &Path) -> String {
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Text as the value of an attribute.
pub(crate) fn attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_slashes_and_go_up_to_the_book() {
        for (path, above) in [("index.html", ""), ("chapter/page.html", "../"), ("", "")] {
            assert_eq!((up(Path::new(path)), of(Path::new(path))), (above.into(), path.into()));
        }
        assert_eq!(attribute("a < \"b\""), "a &lt; &quot;b&quot;");
    }
}
