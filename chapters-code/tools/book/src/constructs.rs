//! Which kernels use what, for the appendix on the subset of CUDA. `{{#used_in WORDS}}` shows the shortest line
//! that has one of the words, its kernel, and how many others have one; an error if there is none.
//!
//! [`Sources::missing`] finds what kernels use and the appendix does not explain, and [`Rows`] links pages to its rows.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::Problem;
use crate::expand::{calls, words};
pub(crate) use rows::Rows;

/// The page that explains the constructs, in the book's source folder.
pub(crate) const PAGE: &str = "cuda_subset.md";

/// Names that CUDA gives a meaning and that C++ does not know, and what C does not know of C++.
static CONSTRUCT: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"\b(?:__\w+|atomic[A-Z]\w*|(?:thread|block)Idx|(?:block|grid)Dim|warpSize|dim3|asm|(?:u?int|u?char|float|double|u?short|longlong)[234]|template|constexpr|auto|switch|\w+_cast|using|struct|class|operator|decltype|static_assert|explicit|alignas|nullptr|namespace|new|delete|throw|goto|union|mutable|friend|virtual)\b|\[[=&]\]";
    Regex::new(names).expect("a pattern")
});

/// The sources of the chapters' kernels.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// By path relative to the project, the text without comments.
    files: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the kernels of the project in `root`.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn load(root: &Path) -> std::io::Result<Self> {
        let mut files = BTreeMap::new();
        let chapters = root.join("chapters-code");
        if chapters.is_dir() {
            for entry in fs::read_dir(chapters)? {
                let name = entry?.file_name().to_string_lossy().into_owned();
                if name.starts_with("chapter_") {
                    read(root, &format!("chapters-code/{name}/kernels"), &mut files)?;
                }
            }
        }
        Ok(Self { files })
    }

    /// The kernels that use one of the words of a directive.
    pub(crate) fn used_in(&self, arguments: &str) -> Result<String, String> {
        let words = words(arguments)?;
        let escaped: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
        let pattern = Regex::new(&format!(r"(?:^|\W)(?:{})(?:\W|$)", escaped.join("|")))
            .map_err(|error| error.to_string())?;
        if words.is_empty() {
            return Err("say what is used: {{#used_in WORD …}}".to_owned());
        }
        let using = self.files.iter().filter(|(_, text)| pattern.is_match(text));
        let lines: Vec<_> = using
            .filter_map(|(path, text)| {
                let lines = text.lines().map(str::trim).filter(|line| pattern.is_match(line));
                Some((lines.min_by_key(|line| rank(path, line))?, path))
            })
            .collect();
        let shortest = lines.iter().min_by_key(|(line, path)| rank(path, line));
        let (line, path) =
            shortest.ok_or_else(|| format!("no kernel uses {}", words.join(" or ")))?;
        let example = format!("`{}` in `{}`", line.replace('|', "\\|"), stem(path));
        Ok(match lines.len() - 1 {
            0 => example,
            others => format!("{example}, and {others} more"),
        })
    }

    /// What kernels use and `text`, the appendix, has in no `{{#used_in}}`.
    pub(crate) fn missing(&self, page: &Path, text: &str) -> Vec<Problem> {
        let explained: BTreeSet<&str> = calls(text)
            .filter(|call| call.name() == "used_in")
            .flat_map(|call| CONSTRUCT.find_iter(call.arguments()).map(|word| word.as_str()))
            .collect();
        let mut missing = BTreeMap::new();
        for (path, source) in &self.files {
            for found in CONSTRUCT.find_iter(source) {
                if !explained.contains(found.as_str()) {
                    missing.entry(found.as_str()).or_insert(path);
                }
            }
        }
        let problem = |(word, path): (&str, &String)| {
            Problem::at(page, text, 0, format!("`{word}` is used in {path} and not explained"))
        };
        missing.into_iter().map(problem).collect()
    }
}

fn read(root: &Path, folder: &str, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    if !root.join(folder).is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read(root, &path, files)?;
        } else if path.ends_with(".cu") || path.ends_with(".cuh") {
            let text = fs::read_to_string(entry.path())?;
            files.insert(path, without_comments(&text));
        }
    }
    Ok(())
}

/// What makes a line a worse example: its kernel is wrong on purpose, it is a part of a macro or of a longer
/// statement, it is long.
fn rank(path: &str, line: &str) -> (bool, bool, usize) {
    (path.contains("/broken/"), !line.ends_with([';', '{', '}']), line.len())
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(code).collect()
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".cu").unwrap_or(name)
}
