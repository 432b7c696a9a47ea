//! Figures out of the recorded runs, by directives in the pages:
//!
//! - `{{#measured FIELD KEY=VALUE …}}`: one value of the one row that the keys select, such as
//!   `{{#measured gb_per_s kernel=sequential n=2^28 dtype=f32 op=sum}}`. FIELD is a field of a row,
//!   with dots into objects (`time_ms.median`, `peer.ratio`), or of the whole run (`device.name`,
//!   `date`, `commit`, and so on).
//! - `{{#measured_rung before=RUNG KEY=VALUE …}}`: the rate of one row, its part of the ceiling and
//!   of the peak, and its gain over the same row of the rung before.
//! - `{{#measured_table KEY=VALUE …}}`: the ladder as a table, a line a kernel.
//! - `{{#measured_plot KEY=VALUE …}}`: bandwidth over size as a picture, a curve a kernel.
//! - `{{#measured_devices}}`: the recorded runs, a line each.
//!
//! Tables and plots take two more keys, `from=KERNEL` and `to=KERNEL`: a part of the ladder.
//!
//! A key is a field of the row, and a size may be written as a power, `2^28`. Three keys are never
//! needed: `chapter` (the page's own), `broken` (false), `device` (part of the device's name; H200).
//! Rows of a matrix are selected by `rows=` or `cols=` only.
//!
//! A figure that no recorded run holds is an error. Only while there is no recorded run at all, and
//! the build is a draft, does a directive show "not recorded yet" instead.

mod directive;
mod format;
mod plot;
mod records;
mod table;

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use mdbook_driver::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::{Problem, Problems, Strictness};
use directive::{Directive, Kind};
pub use format::{amount, value};
pub use records::{Records, Run};

/// The folder of the recorded runs, in the book's source folder.
pub const FOLDER: &str = "measurements";

const NOT_RECORDED: &str = "<span class=\"unrecorded\">not recorded yet</span>";

/// The preprocessor that replaces the directives.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    strictness: Strictness,
}

impl Measured {
    /// The preprocessor; a strict one refuses a book that has no recorded run.
    pub fn new(strictness: Strictness) -> Self {
        Self { strictness }
    }
}

impl Preprocessor for Measured {
    fn name(&self) -> &str {
        "measured"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let source = &context.config.book.src;
        let records = Records::load(&context.root.join(source).join(FOLDER))?;
        let mut problems = Vec::new();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item {
                problems.extend(expand_chapter(chapter, source, &records, self.strictness));
            }
        });
        Problems(problems).into_result()?;
        Ok(book)
    }
}

fn expand_chapter(
    chapter: &mut Chapter,
    source: &Path,
    records: &Records,
    strictness: Strictness,
) -> Vec<Problem> {
    let Some(path) = &chapter.source_path else {
        return Vec::new();
    };
    match expand(&source.join(path), &chapter.content, records, strictness) {
        Ok(text) => {
            chapter.content = text;
            Vec::new()
        }
        Err(Problems(problems)) => problems,
    }
}

/// `text`, the content of `page`, with every directive replaced by what `records` hold.
pub fn expand(
    page: &Path,
    text: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<String, Problems> {
    let mut expanded = String::with_capacity(text.len());
    let mut problems = Vec::new();
    let mut done = 0;
    for (range, directive) in directive::find(text) {
        expanded.push_str(&text[done..range.start]);
        match directive.and_then(|directive| answer(&directive.on(page), records, strictness)) {
            Ok(answer) => expanded.push_str(&answer),
            Err(message) => problems.push(Problem::at(page, text, range.start, message)),
        }
        done = range.end;
    }
    expanded.push_str(&text[done..]);
    Problems(problems).into_result().map(|()| expanded)
}

fn answer(
    directive: &Directive,
    records: &Records,
    strictness: Strictness,
) -> Result<String, String> {
    if records.is_empty() {
        return match strictness {
            Strictness::Draft => Ok(NOT_RECORDED.to_owned()),
            Strictness::Strict => Err("nothing is recorded yet".to_owned()),
        };
    }
    match &directive.kind {
        Kind::Value(field) => inline(directive, field, records),
        Kind::Rung => table::rung(directive, records),
        Kind::Table => table::ladder(directive, records),
        Kind::Plot => plot::ladder(directive, records),
        Kind::Devices => Ok(table::devices(records)),
    }
}

fn inline(directive: &Directive, field: &str, records: &Records) -> Result<String, String> {
    let run = records.run(directive.device())?;
    let found = match run.field(field) {
        Some(found) => found,
        None => records::field(run.one_row(directive)?, field)
            .ok_or_else(|| format!("the recorded row has no field {field}"))?,
    };
    Ok(value(field, found))
}

/// Serves one request of mdBook's preprocessor protocol: a book in, a book out, as JSON.
pub fn serve(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = mdbook_preprocessor::parse_input(input)?;
    let book = Measured::new(Strictness::Draft).run(&context, book)?;
    serde_json::to_writer(output, &book)?;
    Ok(())
}
