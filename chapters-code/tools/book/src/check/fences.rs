//! Every block of code says its language, so that it is coloured, read aloud and checked as what it
//! is, and says one that can be coloured. A block by indentation cannot, and most often is none: a
//! paragraph that slipped.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::Problem;
use crate::check::Page;

/// The blocks of code in `text`: what their fences say, unless they have none, and where they stand.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = (Option<String>, Range<usize>)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter_map(|(event, range)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Some((Some(info.into_string()), range))
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Some((None, range)),
        _ => None,
    })
}

/// What blocks may be in. The highlighter knows more, and warns on the reader's console of all others.
const LANGUAGES: [&str; 10] =
    ["c", "console", "cpp", "diff", "json", "rust", "sh", "text", "toml", "yaml"];

/// What the words after a fence, as in ```rust,ignore, say that the block is.
pub(super) fn language(info: &str) -> &str {
    info.split([',', ' ', '{']).next().unwrap_or_default()
}

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let fault = |(info, range): (Option<String>, Range<usize>)| {
        let fault = match info.as_deref().map(language) {
            None => "code stands between fences that say its language".to_owned(),
            Some("") => "this block does not say its language: ```text, ```console, …".to_owned(),
            Some(language) if LANGUAGES.contains(&language) => return None,
            Some(other) => {
                let known = LANGUAGES.join(", ");
                format!("blocks are not coloured as `{other}`: choose one of {known}")
            }
        };
        Some(page.problem(range.start, fault))
    };
    blocks(page.text).filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use mdbook_driver::config::HtmlConfig;
    use mdbook_html::theme::Theme;

    use super::LANGUAGES;

    #[test]
    fn the_highlighter_knows_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let theme = folder.path().join("theme");
        for part in ["css", "fonts"] {
            std::fs::create_dir_all(theme.join(part)).expect("a folder");
        }
        Theme::copy_theme(&HtmlConfig::default(), folder.path()).expect("it is written");
        let script = std::fs::read_to_string(theme.join("highlight.js")).expect("a script");
        let aliases = script.split("aliases:[").skip(1);
        let aliases: Vec<&str> = aliases.filter_map(|list| list.split(']').next()).collect();
        for language in LANGUAGES.map(|name| format!("\"{name}\"")) {
            let is_name = script.contains(&format!("registerLanguage({language}"));
            let is_alias = aliases.iter().any(|list| list.contains(&language));
            assert!(is_name || is_alias, "{language}");
        }
    }
}
