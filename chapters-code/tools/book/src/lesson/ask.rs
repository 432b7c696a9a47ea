//! Questions for a number that the reader answers before the page does, and the list of them:
//!
//! ```text
//! {{#ask unit="% of peak" question="What part of the peak will it reach?" measured="fraction_of_peak kernel=a n=2^28"}}
//! Our prediction, with its derivation, and what was measured.
//! {{#end}}
//! ```
//!
//! `measured` is what the directive `measured` takes; `unit` begins with a unit of that field (`%`, `GB/s`, `µs`,
//! `×`) and may go on. If nothing is timed, `answer="45"` or `answer="yes"` takes the place of `measured`;
//! without a `unit` it is a text. What stands before `end` unfolds. The browser keeps the reader's number under
//! the page and the question's id, which is made of the kernel and the field, or else of the question's first
//! words; `id=NAME` gives another. `prediction="…"` is the book's own, which `{{#verdict}}` judges (`lesson::judged`).
//!
//! `{{#predictions}}` lists the questions of all pages of its folder, those of deeper pages last, with the reader's numbers and
//! what came of them. `{{#predictions all}}` lists those of all pages, in the book's order; there the theme's script hides
//! what was measured until the reader has answered.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use figures::page::{escape, inline};

use crate::address::{self, up};
use crate::check::rates::is_rate;
use crate::expand::{calls, words};
use crate::measured::leading_number;

const USAGE: &str = "write {{#ask unit=\"UNIT\" question=\"…?\" measured=\"FIELD KEY=VALUE …\"}}, or answer=\"…\" in \
                     place of measured";

/// Words of a question that make its id.
const WORDS: usize = 8;

/// A question.
#[derive(Debug)]
pub(crate) struct Ask {
    /// The name of its place on the page.
    pub(super) id: String,
    /// With code between backquotes.
    question: String,
    /// The unit of the number; none if the answer is a text.
    unit: Option<String>,
    /// What the book predicts, as `lesson::judged` reads it.
    pub(super) prediction: Option<String>,
    pub(crate) sought: Sought,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sought {
    /// A recorded value: the arguments of the directive `measured`, and the unit.
    Measured { value: String, unit: String },
    /// A count that the author gives, its unit, and both as they are shown.
    Count { number: f64, unit: String, shown: String },
    /// What the author gives, in words.
    Text(String),
}

/// What was found for a question.
#[derive(Debug)]
pub(crate) struct Found {
    /// As it is shown, with its unit.
    pub(crate) shown: String,
    /// Unrounded, in the question's unit; none for a text, and while a draft waits for its recording.
    pub(crate) number: Option<f64>,
    /// Whether a prediction must meet the number exactly.
    pub(crate) is_count: bool,
}

impl Ask {
    /// Reads what stands behind the directive's name.
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        const KEYS: [&str; 6] = ["unit", "question", "measured", "answer", "id", "prediction"];
        let [unit, question, measured, answer, id, prediction] = pairs(arguments, KEYS, USAGE)?;
        let question = question.ok_or(USAGE)?;
        let id = id.or_else(|| of_row(measured.as_deref()?));
        let id = format!("ask-{}", id.unwrap_or_else(|| of_words(&question)));
        let sought = match (measured, answer, unit.clone()) {
            (Some(value), None, Some(unit)) => Sought::Measured { value, unit },
            (Some(_), None, None) => {
                return Err("say in which unit: unit=\"% of peak\"".to_owned());
            }
            (None, Some(answer), unit) => given(answer, unit.as_deref())?,
            _ => return Err(USAGE.to_owned()),
        };
        Ok(Self { id, question, unit, prediction, sought })
    }

    /// What stands before the text that unfolds on the page at `path`. The theme's script puts a form in front.
    pub(super) fn opening(&self, path: &Path, found: &Found) -> String {
        let data = attributes(&[
            ("unit", self.unit.as_deref()),
            ("prediction", self.prediction.as_deref()),
        ]);
        let judged_by = self.judged_by(found);
        format!(
            "<div class=\"asked\" id=\"{}\" data-key=\"{}\"{data}{judged_by}>\n<details class=\"ask\">\n\
             <summary>{}</summary>\n<div class=\"unfolded\">\n",
            self.id,
            self.key(path),
            inline(&self.question),
        )
    }

    /// The attributes that judge a reader's number as the book's is judged: its kind, and what was found.
    fn judged_by(&self, found: &Found) -> String {
        let kind = match (&self.sought, found.is_count) {
            (Sought::Text(_), _) => "word",
            (_, true) => "count",
            (_, false) => "measured",
        };
        let value = found.number.map(|number| number.to_string());
        attributes(&[("kind", Some(kind)), ("value", value.as_deref())])
    }

    /// The kernel whose row answers the question, where the question does not name it.
    fn named(&self) -> Option<&str> {
        let Sought::Measured { value, .. } = &self.sought else {
            return None;
        };
        kernel(value).filter(|name| !self.question.contains(name))
    }

    /// What the browser keeps the reader's answer under.
    fn key(&self, path: &Path) -> String {
        format!("{}#{}", address::of(&path.with_extension("")), self.id)
    }
}

/// The attributes `data-NAME` that have a value.
fn attributes(data: &[(&str, Option<&str>)]) -> String {
    let attribute = |(name, value): &(&str, Option<&str>)| {
        value.map_or(String::new(), |value| {
            format!(" data-{name}=\"{}\"", address::attribute(value))
        })
    };
    data.iter().map(attribute).collect()
}

/// The values of `KEY=VALUE` pairs, in the order of `keys`.
///
/// # Errors
/// What is no such pair, has another key, is empty, or is given twice.
pub(crate) fn pairs<const N: usize>(
    arguments: &str,
    keys: [&str; N],
    usage: &str,
) -> Result<[Option<String>; N], String> {
    let mut values = [const { None }; N];
    for word in words(arguments)? {
        let (key, value) = word.split_once('=').ok_or(usage)?;
        let place = keys.iter().position(|known| *known == key);
        let place = place.ok_or_else(|| format!("there is no key {key} here: {usage}"))?;
        if value.trim().is_empty() {
            return Err(format!("{key} is empty"));
        }
        if values[place].replace(value.trim().to_owned()).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    Ok(values)
}

/// The answer that an author gives. A number has a unit, and is none that a recording would give.
pub(super) fn given(answer: String, unit: Option<&str>) -> Result<Sought, String> {
    let Some(unit) = unit else {
        return Ok(Sought::Text(answer));
    };
    let shown = match unit.starts_with('×') {
        true => format!("{answer}{unit}"),
        false => format!("{answer}\u{a0}{unit}"),
    };
    let sign = if answer.starts_with('−') { -1.0 } else { 1.0 };
    match leading_number(answer.trim_start_matches('−')) {
        Some((_, "")) if is_rate(&shown) => {
            Err(format!("{shown} is typed: draw it from a recorded run, measured="))
        }
        Some((number, "")) => {
            Ok(Sought::Count { number: sign * number, unit: unit.to_owned(), shown })
        }
        _ => Err(format!("{answer} is no number, so it has no unit: leave unit={unit} out")),
    }
}

/// The id of a question about a row: its kernel and its field.
fn of_row(measured: &str) -> Option<String> {
    let field = measured.split_whitespace().next()?;
    let kernel = kernel(measured)?;
    Some(of_words(&format!("{kernel} {field}")))
}

/// The kernel that the arguments of the directive `measured` name.
fn kernel(measured: &str) -> Option<&str> {
    measured.split_whitespace().skip(1).find_map(|word| word.strip_prefix("kernel="))
}

/// The first words of `text`, as part of an id.
fn of_words(text: &str) -> String {
    let is_separator = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let words = text.split(is_separator).filter(|word| !word.is_empty());
    words.take(WORDS).collect::<Vec<_>>().join("-").to_lowercase()
}

/// A question, and where it stands.
#[derive(Debug)]
struct Listed {
    page: PathBuf,
    /// Whether the page is not on the main path.
    is_deeper: bool,
    ask: Ask,
}

/// The questions of all pages, in the order of the book.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    asks: Vec<Listed>,
}

impl Asks {
    /// Notes the questions of a page, before any page is answered. What is wrong with one of them is said where it
    /// stands.
    pub(crate) fn survey(&mut self, path: &Path, is_deeper: bool, text: &str) {
        let calls = calls(text).filter(|call| call.name() == "ask");
        let asks = calls.filter_map(|call| Ask::parse(call.arguments()).ok());
        self.asks.extend(asks.map(|ask| Listed { page: path.to_path_buf(), is_deeper, ask }));
    }

    /// The questions of the pages that lie beside the one at `path`, or of all, with what was measured. The theme's script
    /// shows the columns of the reader's answers.
    ///
    /// # Errors
    /// If there is no question, or `found` has no answer.
    pub(crate) fn table(
        &self,
        path: &Path,
        arguments: &str,
        found: impl Fn(&Path, &Sought) -> Result<Found, String>,
    ) -> Result<String, String> {
        let (class, is_of_all) = match arguments {
            "" => ("predictions", false),
            "all" => ("predictions all", true),
            other => return Err(format!("predictions has no argument {other}, only `all`")),
        };
        let is_listed = |it: &&Listed| is_of_all || it.page.parent() == path.parent();
        let mut listed: Vec<_> = self.asks.iter().filter(is_listed).collect();
        if listed.is_empty() {
            return Err("no page of this folder has an {{#ask …}}".to_owned());
        }
        if !is_of_all {
            listed.sort_by_key(|it| it.is_deeper);
        }
        let mut html = format!(
            "<div class=\"table-wrapper\">\n<table class=\"{class}\">\n<thead><tr><th scope=\"col\">question</th>\
             <th scope=\"col\" class=\"own\" hidden>your prediction</th>\
             <th scope=\"col\" class=\"own\" hidden>what came of it</th>\
             <th scope=\"col\">measured or counted</th></tr></thead>\n<tbody>\n",
        );
        let up = up(path);
        let mut is_in_deeper = false;
        for Listed { page, is_deeper, ask } in listed {
            if !is_of_all && *is_deeper && !is_in_deeper {
                is_in_deeper = true;
                html.push_str("</tbody>\n<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"4\">On deeper pages</th></tr>\n");
            }
            let Ask { id, question, .. } = ask;
            let found = found(page, &ask.sought)?;
            let _ = writeln!(
                html,
                "<tr><td><a href=\"{up}{}#{id}\">{}</a></td>\
                 <td class=\"own\" data-key=\"{}\"{} hidden>–</td><td class=\"own score\" hidden></td>\
                 <td><span>{}</span></td></tr>",
                address::of(&page.with_extension("html")),
                ask.named().map_or(inline(question), |kernel| {
                    format!("<code>{}</code>: {}", escape(kernel), inline(question))
                }),
                ask.key(page),
                ask.judged_by(&found),
                found.shown,
            );
        }
        html.push_str("</tbody>\n</table>\n<p class=\"own scores\" hidden></p>\n</div>\n");
        Ok(html)
    }
}
