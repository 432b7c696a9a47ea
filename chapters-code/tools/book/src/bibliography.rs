//! The bibliography: `bibliography.toml` beside the pages holds the works, a table each, under the key
//! that pages cite them by.
//!
//! - `{{#cite KEY}}`, or `{{#cite KEY "section 4.6"}}`: the work's label, a link to its entry.
//! - `{{#published 2.3× cite=KEY}}`: a figure that a work gives, with its label.
//! - `{{#bibliography}}`: the entries, in the order of their labels, each with the pages that cite it.
//!
//! A work that no page cites must say `further = true`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Problem;
use crate::address::up;
use crate::expand::{Call, calls, words};

/// The file of the works, in the book's source folder.
const FILE: &str = "bibliography.toml";

/// The page that holds `{{#bibliography}}`, in the book's source folder.
const PAGE: &str = "bibliography.md";

/// What names the work that a figure is out of.
const KEY: &str = "cite=";

/// The works of a book, and the pages that cite each.
#[derive(Debug, Default)]
pub(crate) struct Bibliography {
    works: BTreeMap<String, Work>,
    cited: BTreeMap<String, BTreeSet<Citing>>,
}

/// A page that cites a work: its place in the book, its title, and its path.
type Citing = (usize, String, PathBuf);

/// A work as the file has it. The texts are Markdown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    /// What a page shows: `Brent 1974`.
    label: String,
    authors: String,
    title: String,
    /// Journal, volume and pages, or publisher; and the year.
    published: String,
    doi: Option<String>,
    arxiv: Option<String>,
    url: Option<String>,
    /// What to look for in it.
    note: Option<String>,
    /// Whether it is here though no page cites it.
    #[serde(default)]
    further: bool,
}

impl Work {
    fn link(&self) -> Option<String> {
        let doi = self.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
        let arxiv = self.arxiv.as_ref().map(|id| format!("https://arxiv.org/abs/{id}"));
        doi.or(arxiv).or(self.url.clone())
    }
}

impl Bibliography {
    /// Reads the works of the book whose sources are in `folder`; none if there is no such file.
    ///
    /// # Errors
    /// What is wrong with the file, which messages call `source`.
    pub(crate) fn load(folder: &Path, source: &Path) -> Result<Self, Problem> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Ok(Self::default());
        }
        let problem = |text: &str, offset, message: String| {
            Problem::at(source.join(FILE), text, offset, message)
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|error| problem("", 0, format!("cannot read it: {error}")))?;
        let works: BTreeMap<String, Work> = toml::from_str(&text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            problem(&text, offset, error.message().to_owned())
        })?;
        if let Some((key, _)) = works.iter().find(|(_, work)| work.link().is_none()) {
            let offset = text.find(&format!("[{key}]")).unwrap_or(0);
            let message = format!("{key} needs a doi, an arxiv or a url");
            return Err(problem(&text, offset, message));
        }
        let cited = BTreeMap::new();
        Ok(Self { works, cited })
    }

    /// Notes what a page cites, before any page is answered.
    pub(crate) fn survey(&mut self, place: usize, title: &str, path: &Path, text: &str) {
        for key in calls(text).filter_map(|call| key(&call)) {
            let citing = (place, title.to_owned(), path.to_path_buf());
            self.cited.entry(key).or_default().insert(citing);
        }
    }

    /// The citation that a directive on the page at `path` asks for.
    pub(crate) fn cite(&self, path: &Path, arguments: &str) -> Result<String, String> {
        let words = words(arguments)?;
        let (key, part) = match words.as_slice() {
            [key] => (key, String::new()),
            [key, part] => (key, format!(", {part}")),
            _ => return Err("a citation is {{#cite KEY}} or {{#cite KEY \"PART\"}}".to_owned()),
        };
        let work =
            self.works.get(key).ok_or_else(|| format!("the bibliography has no work `{key}`"))?;
        let up = up(path);
        let label = &work.label;
        Ok(format!("<a class=\"cite\" href=\"{up}{PAGE}#{key}\">{label}</a>{part}"))
    }

    /// The figure that a directive on the page at `path` says is a work's.
    pub(crate) fn published(&self, path: &Path, arguments: &str) -> Result<String, String> {
        let (keys, figure): (Vec<_>, Vec<_>) =
            words(arguments)?.into_iter().partition(|word| word.starts_with(KEY));
        match &keys[..] {
            [key] if !figure.is_empty() => {
                let label = self.cite(path, &key[KEY.len()..])?;
                Ok(format!("{} ({label})", figure.join(" ")))
            }
            _ => Err("a published figure is {{#published FIGURE cite=KEY}}".to_owned()),
        }
    }

    /// All works, for the bibliography's page.
    pub(crate) fn entries(&self) -> String {
        let mut works: Vec<_> = self.works.iter().collect();
        works.sort_by_key(|(_, work)| work.label.to_lowercase());
        let mut text = String::new();
        for (key, work) in works {
            let _ = writeln!(
                text,
                "<div class=\"work\" id=\"{key}\">\n\n{}\n\n</div>\n",
                self.entry(key, work)
            );
        }
        text
    }

    fn entry(&self, key: &str, work: &Work) -> String {
        let Work { label, authors, title, published, .. } = work;
        let link = work.link().unwrap_or_default();
        let mut text = format!("**{label}.** {authors}. [{title}]({link}). {published}.");
        if let Some(note) = &work.note {
            let _ = write!(text, " {note}");
        }
        let pages = self.cited.get(key).into_iter().flatten();
        let pages: Vec<String> =
            pages.map(|(_, title, path)| format!("[{title}]({})", path.display())).collect();
        if !pages.is_empty() {
            let _ = write!(text, " <span class=\"cited\">Cited in {}.</span>", pages.join(", "));
        }
        text
    }

    /// The works that no page cites and that do not say that they are further reading.
    pub(crate) fn uncited(&self, source: &Path) -> Vec<Problem> {
        let uncited =
            |(key, work): &(&String, &Work)| !work.further && !self.cited.contains_key(*key);
        let problem = |(key, _): (&String, &Work)| Problem {
            page: source.join(FILE),
            line: 1,
            message: format!("no page cites {key}; cite it, or set further = true"),
        };
        self.works.iter().filter(uncited).map(problem).collect()
    }
}

/// The work that a directive cites, if it does.
fn key(call: &Call<'_>) -> Option<String> {
    let mut words = words(call.arguments()).ok()?.into_iter();
    match call.name() {
        "cite" => words.next(),
        "published" => words.find_map(|word| Some(word.strip_prefix(KEY)?.to_owned())),
        _ => None,
    }
}
