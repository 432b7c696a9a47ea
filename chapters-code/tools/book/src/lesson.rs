//! What pages hold for learning and for teaching, as blocks between directives:
//!
//! ```text
//! {{#question}}
//! How many steps?
//! {{#answer}}
//! As many as the tree is deep.
//! {{#end}}
//!
//! {{#teachers minutes=10}}
//! Draw the tree before you show the code.
//! {{#end}}
//! ```
//!
//! Questions are numbered on their page, and their answers unfold. Notes for teachers unfold too, and
//! say how long the section takes that they stand in. `{{#teaching_plan}}` adds up those minutes, a
//! table a chapter. `{{#aside TITLE}}` … `{{#end}}` is what a first reading may leave folded.
//! `{{#ask …}}` … `{{#end}}` asks for a number before it shows one, see `lesson::ask`; what follows in its section waits for
//! the answer, too, see `lesson::behind`. `{{#verdict}}` says what came of the book's own, see `lesson::judged`.

mod ask;
mod behind;
mod judged;
mod plan;

use std::mem;
use std::path::{Path, PathBuf};

use figures::page::inline;

use crate::Problem;
use crate::expand::Call;
pub(crate) use ask::{Ask, Asks, Found, Sought, pairs};
pub(crate) use behind::with_ends;
pub(crate) use judged::{Judged, read};
pub(crate) use plan::Plan;

/// What is open at a place of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    Question,
    Answer,
    Notes,
    Aside,
    Ask,
}

/// The blocks of one page.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// The page, relative to the source folder.
    page: PathBuf,
    questions: usize,
    asks: Vec<Ask>,
    open: Open,
    /// Where the open block begins.
    since: usize,
}

impl Blocks {
    /// The blocks of a page at `path` in the source folder, none of which is open yet.
    pub(crate) fn of(path: &Path) -> Self {
        Self { page: path.to_path_buf(), ..Self::default() }
    }

    /// The HTML that a directive stands for, or nothing if it is none of a block. `found` gives what answers a question.
    pub(crate) fn answer(
        &mut self,
        call: &Call<'_>,
        found: impl Fn(&Sought) -> Result<Found, String>,
    ) -> Option<Result<String, String>> {
        let answer = match call.name() {
            "question" => self.enter(Open::Question, call, &[Open::Nothing]),
            "answer" => self.enter(Open::Answer, call, &[Open::Question]),
            "teachers" => minutes(call.arguments())
                .and_then(|_| self.enter(Open::Notes, call, &[Open::Nothing])),
            "aside" => self.enter(Open::Aside, call, &[Open::Nothing]),
            "ask" => self.ask(call),
            behind::END if self.open == Open::Nothing => {
                return Some(behind::close(call.arguments()));
            }
            behind::END => {
                Err("a block is open where its section ends: it needs its end".to_owned())
            }
            "end" => self.enter(
                Open::Nothing,
                call,
                &[Open::Answer, Open::Notes, Open::Aside, Open::Ask],
            ),
            _ => return None,
        };
        Some(answer.and_then(|left| self.html(left, call, found)))
    }

    /// Opens an `ask`, unless the page has another of its name.
    fn ask(&mut self, call: &Call<'_>) -> Result<Open, String> {
        let ask = Ask::parse(call.arguments())?;
        if self.asks.iter().any(|other| other.id == ask.id) {
            let id = &ask.id;
            return Err(format!("two questions of this page are called {id}: give one an id="));
        }
        let left = self.enter(Open::Ask, call, &[Open::Nothing])?;
        self.asks.push(ask);
        Ok(left)
    }

    /// What the directive `verdict` with these arguments judges.
    pub(crate) fn judged(&self, arguments: &str) -> Result<Judged, String> {
        Judged::parse(arguments, &self.asks)
    }

    /// Goes on to `next`, if what is open allows it; gives what has been open.
    fn enter(&mut self, next: Open, call: &Call<'_>, after: &[Open]) -> Result<Open, String> {
        if !after.contains(&self.open) {
            let place = match self.open {
                Open::Nothing => "outside of any block",
                Open::Question => "in a question, which needs its answer",
                Open::Answer => "in an answer, which needs its end",
                Open::Notes => "in notes for teachers, which need their end",
                Open::Aside => "in an aside, which needs its end",
                Open::Ask => "in an ask, which needs its end",
            };
            return Err(format!("`{}` stands {place}", call.name()));
        }
        self.since = call.range.start;
        Ok(mem::replace(&mut self.open, next))
    }

    fn html(
        &mut self,
        left: Open,
        call: &Call<'_>,
        found: impl Fn(&Sought) -> Result<Found, String>,
    ) -> Result<String, String> {
        Ok(match self.open {
            Open::Question => {
                self.questions += 1;
                let number = self.questions;
                format!(
                    "<div class=\"question\" role=\"group\" aria-label=\"Question {number}\">\n\n\
                     <span class=\"number\">{number}</span>"
                )
            }
            Open::Answer => {
                let number = self.questions;
                format!(
                    "\n<details class=\"answer\"><summary>Answer\
                     <span class=\"unseen\"> to question {number}</span></summary>\n"
                )
            }
            Open::Notes => format!(
                "<details class=\"teachers\"><summary>For teachers: {} minutes</summary>\n",
                minutes(call.arguments()).unwrap_or_default()
            ),
            Open::Aside => {
                format!(
                    "<details class=\"aside\"><summary>{}</summary>\n",
                    inline(call.arguments())
                )
            }
            Open::Ask => match self.asks.last() {
                Some(ask) => ask.opening(&self.page, &found(&ask.sought)?),
                None => String::new(),
            },
            Open::Nothing if left == Open::Answer => "\n</details>\n\n</div>\n".to_owned(),
            Open::Nothing if left == Open::Ask => {
                format!("\n</div>\n</details>\n</div>\n\n{}", behind::OPENING)
            }
            Open::Nothing => "\n</details>\n".to_owned(),
        })
    }

    /// A problem if a block of `page` is still open at its end.
    pub(crate) fn unfinished(&self, page: &Path, text: &str) -> Option<Problem> {
        let message = "this block has no {{#end}}";
        (self.open != Open::Nothing).then(|| Problem::at(page, text, self.since, message))
    }
}

/// The minutes that notes for teachers give.
fn minutes(arguments: &str) -> Result<u32, String> {
    let number = arguments.strip_prefix("minutes=").map(str::parse);
    match number {
        Some(Ok(minutes)) if minutes > 0 => Ok(minutes),
        _ => Err("say how long the section takes: {{#teachers minutes=10}}".to_owned()),
    }
}
