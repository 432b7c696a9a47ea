//! What a built page holds, read off its HTML: anchors, links, what it loads, pictures, and its text.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// What a page holds that can be checked without a browser.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// The names that a link may end in.
    pub(super) anchors: Vec<String>,
    /// Where its links lead.
    pub(super) links: Vec<String>,
    /// What a browser fetches for it.
    pub(super) loaded: Vec<String>,
    /// Formulas that KaTeX has set.
    pub(super) formulas: usize,
    /// The TeX that each formula carries for screen readers and for copying.
    pub(super) tex: Vec<String>,
    /// Pictures; and those of them, and links, without words for people who do not see them. A formula's MathML is no
    /// name to every screen reader.
    pub(super) pictures: usize,
    pub(super) silent: Vec<String>,
    /// Text outside code, formulas and pictures, in which nothing is left to be rendered.
    pub(super) prose: String,
}

/// Elements that have no end.
const VOID: [&str; 8] = ["area", "base", "br", "hr", "img", "input", "link", "meta"];

/// Elements whose text is no prose.
const APART: [&str; 6] = ["code", "pre", "script", "style", "svg", "template"];

impl Page {
    /// Reads a page.
    pub(super) fn read(html: &str) -> Self {
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from(html));
        let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
        let _ = tokenizer.feed(&queue);
        tokenizer.end();
        tokenizer.sink.state.into_inner().page
    }
}

/// Takes the tokens of a page.
#[derive(Default)]
struct Reader {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    page: Page,
    open: Vec<Open>,
    /// Where a link leads that was begun and has no words yet.
    unnamed: Option<String>,
    /// A drawing that was begun and has no title yet.
    untitled: Option<String>,
}

/// An open element.
struct Open {
    name: String,
    is_formula: bool,
    /// Whether text in it is no prose.
    is_apart: bool,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::CharacterTokens(text) if state.is_in_tex() => {
                state.page.tex.last_mut().into_iter().for_each(|tex| tex.push_str(&text));
            }
            Token::CharacterTokens(text) => state.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        let is_formula = attribute(tag, "class") == Some("katex");
        self.page.formulas += usize::from(is_formula);
        self.page.anchors.extend(attribute(tag, "id").map(str::to_owned));
        let lab = attribute(tag, "data-lab").map(|kernel| format!("lab={kernel}"));
        self.page.anchors.extend(lab.filter(|lab| !self.page.anchors.contains(lab)));
        match name {
            "a" => {
                let to = attribute(tag, "href").map(str::to_owned);
                self.page.links.extend(to.clone());
                self.unnamed = to.filter(|_| attribute(tag, "aria-label").is_none());
            }
            "link" if attribute(tag, "rel") != Some("canonical") => self.loads(tag, "href"),
            "script" | "iframe" => self.loads(tag, "src"),
            "img" => {
                self.loads(tag, "src");
                self.picture(tag, "alt");
            }
            "svg" if attribute(tag, "role") == Some("img") => self.picture(tag, "aria-label"),
            "title" => self.untitled = None,
            "annotation" => self.page.tex.push(String::new()),
            _ => {}
        }
        if !tag.self_closing && !VOID.contains(&name) {
            let is_apart = is_formula || APART.contains(&name);
            self.open.push(Open { name: name.to_owned(), is_formula, is_apart });
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }

    fn end(&mut self, name: &str) {
        if name == "svg" {
            self.page.silent.extend(self.untitled.take());
        }
        if name == "a" {
            self.page.silent.extend(self.unnamed.take().map(|to| format!("the link to {to}")));
        }
        if let Some(place) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(place);
        }
    }

    fn text(&mut self, text: &str) {
        if !text.trim().is_empty() && !self.open.iter().any(|open| open.is_formula) {
            self.unnamed = None;
        }
        if !self.open.iter().any(|open| open.is_apart) {
            self.page.prose.push_str(text);
        }
    }

    /// Whether text is a formula's TeX. What is marked up within is none, and is missing from it.
    fn is_in_tex(&self) -> bool {
        self.open.last().is_some_and(|open| open.name == "annotation")
    }

    fn loads(&mut self, tag: &Tag, from: &str) {
        self.page.loaded.extend(attribute(tag, from).map(str::to_owned));
    }

    /// A picture, whose words are in an attribute, or for a drawing in the title that follows.
    fn picture(&mut self, tag: &Tag, words: &str) {
        self.page.pictures += 1;
        if attribute(tag, words).is_none_or(|words| words.trim().is_empty()) {
            let which = format!("picture {}", self.page.pictures);
            match &*tag.name {
                "svg" => self.untitled = Some(which),
                _ => self.page.silent.push(which),
            }
        }
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    let mut attributes = tag.attrs.iter();
    attributes.find(|a| &*a.name.local == name).map(|a| &*a.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_what_its_elements_are() {
        let page = Page::read(
            "<h1 id=\"a\">T</h1><script src=\"x.js\">if (a<b) '<p id=no>'</script>\
             <p>one <a href=\"b.html#c\">two</a> <code>$x</code><span class=\"katex\"><annotation>n\\,&lt;</annotation><span>$</span></span>\
             <br>three</p><img src=\"i.png\" alt=\"\"><svg role=\"img\"><title>t</title></svg>\
             <svg role=\"img\"></svg><a href=\"#a\"> <span class=\"katex\"><span>2</span></span></a>",
        );
        let expected = Page {
            anchors: vec!["a".to_owned()],
            links: vec!["b.html#c".to_owned(), "#a".to_owned()],
            loaded: vec!["x.js".to_owned(), "i.png".to_owned()],
            formulas: 2,
            tex: vec!["n\\,<".to_owned()],
            pictures: 3,
            silent: ["picture 1", "picture 3", "the link to #a"].map(str::to_owned).to_vec(),
            prose: "Tone two three ".to_owned(),
        };
        assert_eq!(page, expected);
    }
}
