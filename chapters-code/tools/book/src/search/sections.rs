//! The sections of a built page, with the text in which a search looks.
//!
//! Labels of figures, listings, outputs and controls are left out. What waits for an answer, and tables, can be found, but
//! is not shown among the results.

use std::cell::RefCell;
use std::collections::BTreeSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::sentences;

/// What a section is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// What follows a heading, or a work of the bibliography.
    #[default]
    Text = 0,
    /// An entry of the glossary.
    Term = 1,
    /// A row of a table that an address leads to, such as that about a construct of CUDA.
    Row = 2,
}

/// What an address leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) anchor: String,
    pub(super) title: String,
    pub(super) kind: Kind,
    /// The files that are listed, without their endings.
    pub(super) names: BTreeSet<String>,
    /// What may be shown.
    pub(super) sentences: Vec<String>,
    /// The words of what is not shown.
    pub(super) words: BTreeSet<String>,
}

/// The sections of a page.
pub(super) fn read(html: &str) -> Vec<Section> {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let sections = tokenizer.sink.state.into_inner().sections;
    sections.into_iter().filter(|section| !section.title.is_empty()).collect()
}

/// Elements that have no end.
const VOID: [&str; 8] = ["area", "base", "br", "hr", "img", "input", "link", "meta"];

/// Elements around which a paragraph ends.
const BLOCKS: [&str; 28] = [
    "blockquote",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "label",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "summary",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// Elements that are left out, and classes of such elements.
const LEFT_OUT: [&str; 9] =
    ["button", "form", "iframe", "pre", "script", "select", "style", "svg", "template"];
const CLASSES_LEFT_OUT: [&str; 12] = [
    "beside",
    "changes",
    "cited",
    "data",
    "katex-html",
    "launch",
    "number",
    "panels",
    "part",
    "race",
    "said",
    "source",
];

/// Classes of what waits for an answer, or is for teachers.
const CLASSES_HIDDEN: [&str; 4] = ["answer", "behind", "teachers", "unfolded"];

/// The cell of a row that says what the construct of its first cell is.
const EXPLAINS: usize = 2;

/// What becomes of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Shown,
    /// It can be found.
    Hidden,
    LeftOut,
}

/// An open element.
struct Open {
    name: String,
    holds: Use,
    /// Whether its text is the name of a file.
    is_file: bool,
}

#[derive(Default)]
struct Reader {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    sections: Vec<Section>,
    /// The section to which text belongs, and that of the last heading, to which text behind a list or a table belongs.
    current: usize,
    home: usize,
    /// The elements from `main` on.
    open: Vec<Open>,
    /// The text of the paragraph so far, and whether it has any beside formulas.
    paragraph: String,
    is_prose: bool,
    /// Whether the paragraph is a section's title.
    is_title: bool,
    /// The cell of the row of a table, from 1, and whether the row is a section.
    cell: usize,
    is_row: bool,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        if name == "main" || !self.open.is_empty() {
            self.open(tag, name);
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }

    fn open(&mut self, tag: &Tag, name: &str) {
        if BLOCKS.contains(&name) {
            self.end_paragraph();
        }
        match name {
            "tr" => (self.cell, self.is_row) = (0, false),
            "td" | "th" => self.cell += 1,
            "br" => self.paragraph.push(' '),
            "sup" => self.paragraph.push('^'),
            _ => {}
        }
        if let Some(id) = attribute(tag, "id") {
            self.begin_section(tag, name, id);
        }
        if !tag.self_closing && !VOID.contains(&name) {
            self.open.push(self.opened(tag, name));
        }
    }

    /// Begins a section at an element with an anchor, if it is one.
    fn begin_section(&mut self, tag: &Tag, name: &str, id: &str) {
        let is_heading = matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let kind = match name {
            "dt" => Kind::Term,
            _ if is_heading || has_class(tag, &["work"]) => Kind::Text,
            _ if self.cell == 1 && !self.is_row => Kind::Row,
            _ => return,
        };
        self.current = self.sections.len();
        self.sections.push(Section { anchor: id.to_owned(), kind, ..Section::default() });
        self.is_title = name != "div";
        self.is_row = kind == Kind::Row;
        if is_heading {
            self.home = self.current;
        }
    }

    fn opened(&self, tag: &Tag, name: &str) -> Open {
        let outer = self.open.last();
        let is_hidden = outer.is_some_and(|open| open.holds == Use::Hidden);
        let is_in = |element: &str| outer.is_some_and(|open| open.name == element);
        let own = match name {
            "dt" if attribute(tag, "id").is_none() => Use::LeftOut,
            "summary" if is_hidden => Use::LeftOut,
            // A formula's MathML; its TeX stands beside.
            _ if is_in("semantics") && name != "annotation" => Use::LeftOut,
            _ if LEFT_OUT.contains(&name) || has_class(tag, &CLASSES_LEFT_OUT) => Use::LeftOut,
            _ if name == "table" || has_class(tag, &CLASSES_HIDDEN) => Use::Hidden,
            _ => Use::Shown,
        };
        Open {
            name: name.to_owned(),
            holds: outer.map_or(own, |open| own.max(open.holds)),
            is_file: has_class(tag, &["file"]) || outer.is_some_and(|open| open.is_file),
        }
    }

    fn end(&mut self, name: &str) {
        if BLOCKS.contains(&name) {
            self.end_paragraph();
        }
        if let Some(place) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(place);
        }
        match name {
            "tr" => (self.cell, self.is_row) = (0, false),
            "dl" | "table" => self.current = self.home,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.open.last() {
            None | Some(Open { holds: Use::LeftOut, .. }) => {}
            Some(open) if open.name == "annotation" => {
                self.paragraph.push_str(&sentences::of_tex(text));
            }
            Some(_) => {
                self.paragraph.push_str(text);
                self.is_prose |= !text.trim().is_empty();
            }
        }
    }

    /// Adds the paragraph to the section.
    fn end_paragraph(&mut self) {
        let text = sentences::collapsed(&std::mem::take(&mut self.paragraph));
        let is_prose = std::mem::take(&mut self.is_prose);
        let section = self.sections.get_mut(self.current);
        let (Some(open), Some(section), false) = (self.open.last(), section, text.is_empty())
        else {
            return;
        };
        if std::mem::take(&mut self.is_title) {
            section.title = text;
        } else if open.is_file {
            let file = text.rsplit('/').next().unwrap_or_default();
            section.names.extend(file.split('.').next().map(str::to_owned));
        } else if self.is_row {
            section.sentences.extend((self.cell == EXPLAINS).then_some(text));
        } else if open.holds == Use::Hidden {
            section.words.extend(text.split_whitespace().filter_map(word));
        } else if is_prose {
            section.sentences.extend(sentences::split(&text));
            if section.title.is_empty() {
                section.title = section.sentences.first().cloned().unwrap_or_default();
            }
        }
    }
}

/// A word without what stands around it; none without letters.
fn word(text: &str) -> Option<String> {
    let word = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    word.contains(char::is_alphabetic).then(|| word.to_lowercase())
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    let mut attributes = tag.attrs.iter();
    attributes.find(|a| &*a.name.local == name).map(|a| &*a.value)
}

fn has_class(tag: &Tag, classes: &[&str]) -> bool {
    let own = attribute(tag, "class").unwrap_or_default();
    own.split_whitespace().any(|class| classes.contains(&class))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only section of a page with this text below its heading.
    fn section(html: &str) -> Section {
        let mut sections =
            read(&format!("<p>before</p><main><h1 id=\"a\">A</h1>{html}</main><p>after</p>"));
        assert_eq!(sections.len(), 1, "{sections:?}");
        sections.remove(0)
    }

    fn shown(html: &str) -> Vec<String> {
        let section = section(html);
        assert!(section.words.is_empty() && section.names.is_empty(), "{section:?}");
        section.sentences
    }

    #[test]
    fn a_section_is_what_follows_a_heading() {
        let sections = read(
            "<main><h1 id=\"a\"><a href=\"#a\">A <code>b</code></a></h1><p>One. Two</p>\
             <h2 id=\"c\">C</h2><ul><li>three</li><li>four <b>five</b></li></ul></main>",
        );
        let found: Vec<_> =
            sections.iter().map(|s| (&*s.anchor, &*s.title, s.sentences.join("|"))).collect();
        let expected =
            [("a", "A b", "One.|Two".to_owned()), ("c", "C", "three|four five".to_owned())];
        assert_eq!(found, expected);
    }

    #[test]
    fn figures_and_listings_are_left_out() {
        let figure = "<figure class=\"drawn\"><div class=\"frame\"><svg><title>t</title><text>7</text></svg></div>\
                      <details class=\"said\"><summary>In words</summary><ol><li>x</li></ol></details>\
                      <figcaption>A caption. <span class=\"source\">Drawn.</span></figcaption></figure>";
        assert_eq!(shown(figure), ["A caption."]);
        let plot = "<figure><div class=\"panels\"><svg></svg></div><details class=\"data\"><table><tr><td>x</td></tr></table></details></figure>";
        assert_eq!(shown(plot), [""; 0]);
        let listing = "<div class=\"listing\"><p class=\"file\"><a><code>a/kernels/one_thread.cu</code></a></p>\
                       <pre><code>int x;</code></pre></div><p class=\"launch\">Launch: 1 block</p><script>if (a<b) x</script>";
        let section = section(listing);
        assert!(section.sentences.is_empty() && section.words.is_empty(), "{section:?}");
        assert_eq!(section.names, BTreeSet::from(["one_thread".to_owned()]));
    }

    #[test]
    fn answers_and_tables_are_found_and_not_shown() {
        let ask = "<details class=\"ask\"><summary>How many?</summary><div class=\"unfolded\"><p>Nine warps.</p></div></details>";
        let behind = "<div class=\"behind\"><details class=\"teachers\"><summary>Notes</summary>Draw</details></div>";
        let table = "<table><tr><td>Word</td><td>1,024</td></tr></table>";
        let section = section(&format!("{ask}{behind}{table}"));
        assert_eq!(section.sentences, ["How many?"]);
        let words: Vec<_> = section.words.iter().map(String::as_str).collect();
        assert_eq!(words, ["draw", "nine", "warps", "word"]);
    }

    #[test]
    fn a_formula_is_its_tex() {
        let formula = "<span class=\"katex\"><span class=\"katex-mathml\"><math><semantics><mrow><mn>2</mn></mrow>\
                       <annotation>2^{10}</annotation></semantics></math></span><span class=\"katex-html\">210</span></span>";
        assert_eq!(
            shown(&format!("<p>So {formula} words, 2<sup>20</sup> bytes.</p>")),
            ["So 2^10 words, 2^20 bytes."]
        );
        assert_eq!(shown(&format!("<p>{formula}</p>")), [""; 0], "a formula alone is no sentence");
    }

    #[test]
    fn entries_rows_and_works_are_sections() {
        let sections = read(
            "<main><h1 id=\"a\">A</h1><dl class=\"box\"><dt>Changes</dt><dd>All.</dd></dl>\
             <dl><dt id=\"bank\">Bank</dt><dd>One of 32.</dd></dl>\
             <table><tr><th>construct</th></tr><tr><td><span id=\"x\"></span><code>f</code>, <span id=\"y\"></span>\
             <code>g</code></td><td>a function</td><td>f(1)</td></tr></table><p>Behind.</p>\
             <div class=\"work\" id=\"w\"><p><strong>W 2007.</strong> A paper. <span class=\"cited\">Cited</span></p></div></main>",
        );
        let found: Vec<_> = sections
            .iter()
            .map(|s| (&*s.anchor, s.kind, &*s.title, s.sentences.join("|")))
            .collect();
        let expected = [
            ("a", Kind::Text, "A", "All.|Behind.".to_owned()),
            ("bank", Kind::Term, "Bank", "One of 32.".to_owned()),
            ("x", Kind::Row, "f, g", "a function".to_owned()),
            ("w", Kind::Text, "W 2007.", "W 2007.|A paper.".to_owned()),
        ];
        assert_eq!(found, expected);
    }
}
