//! What stands in the glossary.

use std::path::Path;

use crate::Problem;

/// What introduces a definition.
const DEFINITION: &str = ": ";

/// The remark of an entry whose words mean other things too.
const ONLY_WHERE_MARKED: &str = "only where marked";

/// What introduces the chapters, or pages, in which an entry's words mean something else.
const NOT_IN: &str = "not in ";

/// An entry of the glossary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The line of its title, counted from 1.
    pub(super) line: usize,
    /// Its title.
    pub(super) name: String,
    /// The fragment that leads to it, as mdBook makes it of the title.
    pub(super) id: String,
    /// The words by which a page's text names it; none if it is linked if it is marked only.
    pub(super) forms: Vec<String>,
    /// The chapters and pages in which these words mean something else.
    pub(super) not_in: Vec<String>,
    /// The first sentence of its definition, as plain text.
    pub(super) definition: String,
}

/// The entries of `text`, the content of the glossary's `page`.
pub(super) fn read(page: &Path, text: &str) -> Result<Vec<Entry>, Vec<Problem>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    for (index, pair) in lines.windows(2).enumerate() {
        let Some(first) = pair[1].strip_prefix(DEFINITION) else {
            continue;
        };
        let rest = lines[index + 2..].iter().take_while(|line| !line.trim().is_empty());
        let definition: Vec<&str> = std::iter::once(first).chain(rest.map(|l| l.trim())).collect();
        match first_sentence(&definition.join(" ")) {
            Ok(definition) => entries.push(entry(index + 1, pair[0], definition)),
            Err(message) => {
                problems.push(Problem { page: page.to_path_buf(), line: index + 2, message })
            }
        }
    }
    match problems.is_empty() {
        true => Ok(entries),
        false => Err(problems),
    }
}

/// `text`, the content of the glossary's page, without the comments that are for [`read`] only.
pub fn titles(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_title = |index: usize| {
        let next = lines.get(index + 1);
        next.is_some_and(|line| line.starts_with(DEFINITION))
    };
    let line = |(index, line): (usize, &&str)| match is_title(index) {
        true => title(line).0.to_owned() + "\n",
        false => (*line).to_owned() + "\n",
    };
    lines.iter().enumerate().map(line).collect()
}

fn entry(line: usize, written: &str, definition: String) -> Entry {
    let (name, remark) = title(written);
    let (remark, not_in) = match remark.split_once(NOT_IN) {
        Some((remark, folders)) => {
            (remark, folders.split_whitespace().map(str::to_owned).collect())
        }
        None => (remark, Vec::new()),
    };
    let mut forms = Vec::new();
    let others = match remark.strip_prefix(ONLY_WHERE_MARKED) {
        Some(_) => "",
        None => {
            forms.push(in_text(name));
            remark
        }
    };
    let others = others.split([',', ';']).map(str::trim).filter(|form| !form.is_empty());
    forms.extend(others.map(str::to_owned));
    Entry { line, name: name.to_owned(), id: fragment(name), forms, not_in, definition }
}

/// A title, and the comment after it.
fn title(line: &str) -> (&str, &str) {
    match line.split_once("<!--") {
        Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches("-->").trim()),
        None => (line.trim(), ""),
    }
}

/// A title as it stands within a sentence: small, unless it is an abbreviation.
fn in_text(name: &str) -> String {
    match name.chars().nth(1) {
        Some(second) if second.is_uppercase() => name.to_owned(),
        _ => name.to_lowercase(),
    }
}

/// The fragment that mdBook makes of a title.
fn fragment(name: &str) -> String {
    let kept = name.chars().filter_map(|letter| match letter {
        letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => {
            Some(letter.to_ascii_lowercase())
        }
        letter if letter.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// The first sentence of a definition, without what makes it Markdown.
pub(crate) fn first_sentence(definition: &str) -> Result<String, String> {
    let end = definition.find(". ").map_or(definition.len(), |end| end + 1);
    let sentence = &definition[..end];
    if let Some(mark) = ["$", "](", "{{", "<"].iter().find(|mark| sentence.contains(**mark)) {
        return Err(format!(
            "pages show the first sentence of an entry as plain text, without `{mark}`"
        ));
    }
    Ok(sentence.replace(['`', '*'], ""))
}
