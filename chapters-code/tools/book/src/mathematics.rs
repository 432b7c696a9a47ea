//! Formulas, rendered by KaTeX while the book is built: as HTML for the eye, and as MathML for those
//! who listen. mdbook-katex finds the formulas in a page; KaTeX itself is asked here, for it says why
//! it rejects one, where mdbook-katex leaves the formula as it is and goes on.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use katex::{Opts, OutputType};
use mdbook_katex::cfg::KatexConfig;
use mdbook_katex::preprocess::{Render, get_render_tasks};

/// A part of a page's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Markdown, left as it is.
    Text(&'a str),
    /// A formula without its dollar signs.
    Formula(&'a str, Mode),
}

impl<'a> Part<'a> {
    /// The formula, if it is one.
    pub(crate) fn formula(self) -> Option<&'a str> {
        match self {
            Self::Text(_) => None,
            Self::Formula(formula, _) => Some(formula),
        }
    }
}

/// How a formula is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Inline,
    Display,
}

/// The parts of `text`, each with the byte that it begins at, delimiters left out.
pub(crate) fn parts(text: &str) -> Vec<(usize, Part<'_>)> {
    let options = KatexConfig::default().build_extra_opts();
    let mut offset = 0;
    let mut parts = Vec::new();
    for task in get_render_tasks(text, "", &options) {
        let part = match task {
            Render::Text(text) => Part::Text(text),
            Render::InlineTask(formula) => Part::Formula(formula, Mode::Inline),
            Render::DisplayTask(formula) => Part::Formula(formula, Mode::Display),
        };
        let (Part::Text(content) | Part::Formula(content, _)) = part;
        // The scan leaves the delimiters out of what it returns.
        offset += text[offset..].find(content).unwrap_or(0);
        parts.push((offset, part));
        offset += content.len();
    }
    parts
}

/// `text` with its formulas rendered.
///
/// # Errors
/// The byte at which the first formula that KaTeX rejects begins, and KaTeX's words.
pub(crate) fn expand(text: &str) -> Result<String, (usize, String)> {
    let mut expanded = String::with_capacity(text.len());
    for (offset, part) in parts(text) {
        match part {
            Part::Text(text) => expanded.push_str(text),
            Part::Formula(formula, mode) => {
                let html = render(formula, mode).map_err(|fault| (offset, fault))?;
                expanded.push_str(&without_markdown(&html));
            }
        }
    }
    Ok(expanded)
}

/// `html` with nothing in it that Markdown would read: outside of tags, punctuation becomes a character
/// reference. Otherwise `\\,` would become a comma, and two subscripts would become emphasis.
fn without_markdown(html: &str) -> String {
    let mut safe = String::with_capacity(html.len());
    let mut in_tag = false;
    for letter in html.chars() {
        match letter {
            // A blank line would end the HTML block.
            '\n' => safe.push(' '),
            // What begins or ends a tag or a reference.
            '<' | '>' | '&' | '#' | ';' => {
                in_tag = letter == '<' || in_tag && letter != '>';
                safe.push(letter);
            }
            mark if mark.is_ascii_punctuation() && !in_tag => {
                let _ = write!(safe, "&#{};", u32::from(mark));
            }
            other => safe.push(other),
        }
    }
    safe
}

thread_local! {
    /// Formulas that were rendered before: the result depends on nothing else.
    static RENDERED: RefCell<HashMap<(String, Mode), Result<String, String>>> = RefCell::default();
}

/// A formula as HTML and MathML.
///
/// # Errors
/// KaTeX's words, on one line.
pub(crate) fn render(formula: &str, mode: Mode) -> Result<String, String> {
    let key = (formula.to_owned(), mode);
    if let Some(known) = RENDERED.with_borrow(|rendered| rendered.get(&key).cloned()) {
        return known;
    }
    let result = ask_katex(formula, mode);
    RENDERED.with_borrow_mut(|rendered| rendered.insert(key, result.clone()));
    result
}

/// Whether this thread has rendered a formula that is `tex` on one line.
pub(crate) fn was_rendered(tex: &str) -> bool {
    let is = |(formula, _): &(String, Mode)| on_one_line(formula) == tex;
    RENDERED.with_borrow(|rendered| rendered.keys().any(is))
}

/// A formula with one blank between words: where its lines end does not matter.
pub(crate) fn on_one_line(formula: &str) -> String {
    formula.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ask_katex(formula: &str, mode: Mode) -> Result<String, String> {
    let options = Opts::builder()
        .output_type(OutputType::HtmlAndMathml)
        .display_mode(mode == Mode::Display)
        .build()
        .map_err(|error| error.to_string())?;
    katex::render_with_opts(formula, options).map_err(|error| match error {
        katex::Error::JsExecError(words) => own_words(&words),
        other => other.to_string(),
    })
}

/// What KaTeX says, without what the engine that runs it says around that.
fn own_words(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("KaTeX parse error: ").unwrap_or(line);
    let end = line.find(": JavaScript runtime error").unwrap_or(line.len());
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_where_they_begin() {
        let text = "a $x$ b\n\n$$\ny\n$$\n`$z$`";
        let found: Vec<_> =
            parts(text).into_iter().filter(|(_, part)| matches!(part, Part::Formula(..))).collect();
        let expected =
            [(3, Part::Formula("x", Mode::Inline)), (11, Part::Formula("\ny\n", Mode::Display))];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_formula_is_there_for_the_eye_and_for_listeners() {
        let html = expand("so $n^2$.").expect("a formula");
        assert!(html.starts_with("so <span class=\"katex\">"), "{html}");
        assert!(html.contains("<math xmlns="), "{html}");
        assert!(html.contains("katex-html"), "{html}");
    }

    #[test]
    fn markdown_reads_nothing_in_a_formula() {
        let formula = r"\{r\,C\}_{a}^*b_{c}^*\; x &lt; y";
        let safe = without_markdown(&format!("<i class=\"a_b\">{formula}</i>\n&#x27;"));
        let expected = "<i class=\"a_b\">";
        assert!(safe.starts_with(expected) && safe.ends_with("</i> &#x27;"), "{safe}");
        let text = &safe[expected.len()..safe.find("</i>").expect("its end")];
        assert!(!text.contains(['\\', '_', '*', '\'', '{']), "{text}");
    }

    #[test]
    fn a_rejected_formula_has_its_place_and_katexs_words() {
        let (offset, words) = expand("so $\\frac{1}$.").expect_err("a refusal");
        assert_eq!(offset, 4);
        let expected = "Unexpected end of input in a macro argument, \
                        expected '}' at end of input: \\frac{1}";
        assert_eq!(words, expected);
    }
}
