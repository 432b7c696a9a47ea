//! Listings: `{{#listing FILE:ANCHOR before=FILE}}`.
//!
//! A listing is an include of an anchor, with the file's name above it. The name is a link to the
//! whole file, which the build copies into the book. With `before`, the changes from another file,
//! the rung before, can be unfolded below; comments at the files' heads and macros that make entry points are left out
//! of them. Where most lines have changed, a sentence says so instead.
//!
//! Files are relative to the crate that the page's folder is named after, or, if they begin with
//! `chapters-code/`, to the project.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use similar::{Change, ChangeTag, TextDiff};

use crate::anchor;
use crate::expand::words;
use crate::figure::Drawn;
use crate::lab::Labs;
use crate::lesson::pairs;

/// Where the copies of the listed files are, in the built book.
const COPIES: &str = "code";

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 2;

/// The changes of two files are not shown if they are more than this part of the lines, unless they are few.
const MOST_CHANGED: f64 = 0.7;
const FEW: usize = 20;

/// Lines that make entry points of a kernel, an operator and a type each. They can go on in the next line.
static ENTRY_POINTS: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"^(?:#define \w*KERNEL|#undef |FOR_[A-Z_]+\b|[A-Z_]*KERNELS?(?:_[A-Z]+)*\b)";
    Regex::new(names).expect("a pattern")
});

/// Whether the names of files are links, which lead to copies that somebody must make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are, and `copy` will be called.
    ToCopies,
    /// They are not.
    None,
}

/// The listings of a book.
pub(crate) struct Listings {
    root: PathBuf,
    links: Links,
    labs: Rc<RefCell<Labs>>,
    /// The files that are listed, relative to the project.
    pub(crate) files: BTreeSet<String>,
}

impl Listings {
    /// Listings of the project in `root`.
    pub(crate) fn new(root: &Path, links: Links, labs: Rc<RefCell<Labs>>) -> Self {
        Self { root: root.to_path_buf(), links, labs, files: BTreeSet::new() }
    }

    /// The Markdown of the listing that a directive on `page`, relative to `root`, asks for.
    pub(crate) fn answer(&mut self, page: &Path, arguments: &str) -> Result<String, String> {
        let mut words = words(arguments)?.into_iter();
        let target = words.next().unwrap_or_default();
        let (file, name) = target
            .split_once(':')
            .ok_or("name the file and the anchor: {{#listing FILE:ANCHOR}}")?;
        let file = in_project(page, file)?;
        let text = self.read(&file)?;
        if let Some(cause) = anchor::missing(&file, &text, name) {
            return Err(cause);
        }
        let (before, rest) = (words.next(), words.next());
        let before = match (before, rest) {
            (None, _) => None,
            (Some(word), None) if word.starts_with("before=") => {
                Some(in_project(page, &word["before=".len()..])?)
            }
            (Some(word), other) => {
                let wrong = other.unwrap_or(word);
                return Err(format!("a listing has no {wrong}: only before=FILE"));
            }
        };
        // From the page's folder up to the project, and up to the book's source folder.
        let depth = page.components().count().saturating_sub(1);
        let up = "../".repeat(depth);
        let mut markdown = format!(
            "<div class=\"listing\">\n<p class=\"file\">{}</p>\n\n```{}\n{{{{#include {up}{file}:{name}}}}}\n```\n",
            self.name(&file, depth),
            language(&file),
        );
        if let Some(before) = before {
            let (old, new) = (code(&self.read(&before)?), code(&text));
            if old == new {
                return Err(format!("nothing has changed from {before}"));
            }
            let diff = TextDiff::from_lines(&old, &new);
            if is_of_most_lines(&diff) {
                let name = self.name(&before, depth);
                let _ =
                    writeln!(markdown, "<p class=\"changes\">Most lines differ from {name}.</p>\n");
                self.files.insert(before);
            } else {
                markdown.push_str(&changes(&before, &diff));
            }
        }
        if self.links == Links::ToCopies {
            markdown.push_str(&self.labs.borrow_mut().button_of_file(&file)?);
        }
        markdown.push_str("\n</div>\n");
        self.files.insert(file);
        Ok(markdown)
    }

    /// Where the button stands that runs what a figure draws, as HTML, in a book whose files are copied.
    pub(crate) fn button(&self, drawn: &Drawn) -> Result<String, String> {
        match self.links {
            Links::ToCopies => self.labs.borrow_mut().button_of_figure(drawn),
            Links::None => Ok(String::new()),
        }
    }

    /// The button of the directive `lab kernel=RUNG`, for a rung that no page lists or draws: of the page's chapter, or of the
    /// one that the key `chapter` names. With `without=TEXT`, another button strikes out the last line that has this text.
    pub(crate) fn named_button(&self, page: &Path, arguments: &str) -> Result<String, String> {
        const USAGE: &str =
            "write {{#lab kernel=RUNG}}, with chapter=CHAPTER on a page of no chapter";
        let [kernel, chapter, without] = pairs(arguments, ["kernel", "chapter", "without"], USAGE)?;
        let kernel = &kernel.ok_or(USAGE)?;
        let folder = page.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let chapter = chapter.as_deref().or(folder).unwrap_or_default();
        match self.links {
            Links::ToCopies => {
                self.labs.borrow_mut().named_button(chapter, kernel, without.as_deref())
            }
            Links::None => Ok(String::new()),
        }
    }

    fn read(&self, file: &str) -> Result<String, String> {
        let path = self.root.join(file);
        fs::read_to_string(path).map_err(|error| format!("cannot list {file}: {error}"))
    }

    /// The file's name, in the book a link to the whole file.
    fn name(&self, file: &str, depth: usize) -> String {
        match self.links {
            Links::None => format!("<code>{file}</code>"),
            Links::ToCopies => {
                let up = "../".repeat(depth.saturating_sub(1));
                let copy = copy_name(file);
                format!("<a href=\"{up}{copy}\"><code>{file}</code></a>")
            }
        }
    }
}

/// A file that a directive names, relative to the project.
fn in_project(page: &Path, file: &str) -> Result<String, String> {
    if file.split('/').any(|part| part == "..") {
        return Err(format!("{file} leads out of its crate"));
    }
    if file.starts_with("chapters-code/") {
        return Ok(file.to_owned());
    }
    let folder = page.parent().and_then(Path::file_name);
    let chapter = folder.and_then(|name| name.to_str()).filter(|name| name.starts_with("chapter_"));
    match chapter {
        Some(chapter) => Ok(format!("chapters-code/{chapter}/{file}")),
        None => Err(format!("{file}: this page is of no chapter, so begin with chapters-code/")),
    }
}

fn language(file: &str) -> &'static str {
    match file.rsplit('.').next().unwrap_or_default() {
        "cu" | "cuh" | "cpp" | "h" => "cpp",
        "rs" => "rust",
        _ => "text",
    }
}

/// Whether a listing of the changes would be a listing of both files.
fn is_of_most_lines<'a>(diff: &TextDiff<'a, 'a, 'a, str>) -> bool {
    let has_words = |change: &Change<&str>| change.value().contains(char::is_alphanumeric);
    let lines = || diff.iter_all_changes().filter(has_words);
    let changed = lines().filter(|line| line.tag() != ChangeTag::Equal).count();
    // An unchanged line is one of both files.
    let all = 2 * lines().count() - changed;
    changed > FEW && changed as f64 > MOST_CHANGED * all as f64
}

/// The changes from the file `before`, to be unfolded.
fn changes(before: &str, diff: &TextDiff<'_, '_, '_, str>) -> String {
    let mut lines = String::new();
    for (number, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if number > 0 {
            lines.push_str("  …\n");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let line = format!("{sign} {}", change.value());
            let _ = writeln!(lines, "{}", line.trim_end());
        }
    }
    let lines = lines.trim_start_matches('\n');
    let name = before.rsplit('/').next().unwrap_or(before);
    format!(
        "\n<details class=\"changes\"><summary>What has changed from <code>{name}</code></summary>\n\n\
         ```diff\n{lines}```\n\n</details>\n"
    )
}

/// A file without the comment at its head, the marks of anchors, and the macros that make entry points.
fn code(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with("//"));
    let mut kept = String::new();
    let mut goes_on = false;
    for line in lines.filter(|line| !line.contains("ANCHOR")) {
        let is_left_out = goes_on || ENTRY_POINTS.is_match(line);
        goes_on = is_left_out && line.ends_with('\\');
        if !is_left_out {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept.trim_end().to_owned() + "\n"
}

/// The place of a file's copy in the built book. As `.txt`, browsers show it instead of saving it.
fn copy_name(file: &str) -> String {
    format!("{COPIES}/{file}.txt")
}

/// Copies listed files of the project in `root` to where their links in the book `built` lead.
///
/// # Errors
/// What the file system says.
pub(crate) fn copy(root: &Path, built: &Path, files: &BTreeSet<String>) -> std::io::Result<()> {
    for file in files {
        let to = built.join(copy_name(file));
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(root.join(file), to)?;
    }
    Ok(())
}
