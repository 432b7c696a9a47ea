//! How long the sections take, added up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::minutes;
use crate::expand::calls;

/// The pages that have notes for teachers, in the order of the book.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pages: Vec<Page>,
}

/// A page, and its sections with the minutes that each takes.
#[derive(Debug)]
struct Page {
    title: String,
    path: PathBuf,
    sections: Vec<(String, u32)>,
}

impl Page {
    fn minutes(&self) -> u32 {
        self.sections.iter().map(|(_, minutes)| minutes).sum()
    }

    fn chapter(&self) -> Option<&Path> {
        self.path.parent()
    }
}

impl Plan {
    /// Notes how long the sections of a page take, before any page is answered.
    pub(crate) fn survey(&mut self, title: &str, path: &Path, text: &str) {
        let notes = calls(text).filter(|call| call.name() == "teachers");
        let sections: Vec<(String, u32)> = notes
            .filter_map(|call| {
                let minutes = minutes(call.arguments()).ok()?;
                Some((section(&text[..call.range.start]), minutes))
            })
            .collect();
        if !sections.is_empty() {
            let (title, path) = (title.to_owned(), path.to_path_buf());
            self.pages.push(Page { title, path, sections });
        }
    }

    /// A table a chapter: its pages with their minutes, and their sections.
    ///
    /// # Errors
    /// If no page has notes for teachers.
    pub(crate) fn tables(&self) -> Result<String, String> {
        if self.pages.is_empty() {
            return Err("no page has notes for teachers".to_owned());
        }
        let mut text = String::new();
        for pages in self.pages.chunk_by(|a, b| a.chapter() == b.chapter()) {
            let total: u32 = pages.iter().map(Page::minutes).sum();
            let _ = writeln!(
                text,
                "### {}: {}\n\n| page | sections | minutes |\n| --- | --- | ---: |",
                pages[0].title,
                hours(total)
            );
            for page in pages {
                let _ = writeln!(text, "{}", row(page));
            }
            text.push('\n');
        }
        Ok(text)
    }
}

fn row(page: &Page) -> String {
    let sections: Vec<String> =
        page.sections.iter().map(|(section, minutes)| format!("{section} ({minutes})")).collect();
    format!(
        "| [{}]({}) | {} | {} |",
        page.title,
        page.path.display(),
        sections.join("; "),
        page.minutes()
    )
}

/// The heading that the end of `text` stands under, without its marks.
fn section(text: &str) -> String {
    let heading =
        |line: &str| Some(line.trim_start_matches('#').strip_prefix(' ')?.trim().to_owned());
    let mut headings = text.lines().rev().filter(|line| line.starts_with('#'));
    headings.find_map(heading).unwrap_or_default()
}

fn hours(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} minutes"),
        (1, 0) => "1 hour".to_owned(),
        (hours, 0) => format!("{hours} hours"),
        (1, minutes) => format!("1 hour {minutes} minutes"),
        (hours, minutes) => format!("{hours} hours {minutes} minutes"),
    }
}
