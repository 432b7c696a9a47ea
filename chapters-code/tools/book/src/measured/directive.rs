//! A directive as it stands in a page: what it asks for, and the keys that select rows.

use std::path::Path;

use serde_json::Value;

use super::records::{Row, chapter_number};
use super::{VALUE, named};

/// Keys that are not compared with a row's field of that name.
const NOT_FIELDS: [&str; 7] = ["device", "broken", "before", "from", "to", "kernels", "least"];

/// A part of the name of the device whose values single values are.
pub(super) const USUAL_DEVICE: &str = "H200";

/// A directive: what is asked for, of which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directive {
    /// The name, such as `measured_table`.
    pub(super) name: &'static str,
    /// The one field that `measured` asks for.
    pub(super) field: Option<String>,
    keys: Vec<(String, String)>,
}

/// The directive with this body, `measured FIELD KEY=VALUE …`.
pub(super) fn parse(body: &str) -> Result<Directive, String> {
    let mut words = body.split_whitespace().peekable();
    let (name, _) = named(words.next().unwrap_or_default())?;
    let field = match words.next_if(|field| name == VALUE && !field.contains('=')) {
        None if name == VALUE => {
            return Err("name the field: {{#measured FIELD KEY=VALUE …}}".to_owned());
        }
        field => field.map(str::to_owned),
    };
    let keys = words.map(key).collect::<Result<_, _>>()?;
    Ok(Directive { name, field, keys })
}

fn key(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(format!("{word} is not KEY=VALUE")),
    }
}

impl Directive {
    /// This directive as it stands on `page`, whose folder may name a chapter.
    pub(super) fn on(mut self, page: &Path) -> Self {
        let chapter = page
            .components()
            .filter_map(|part| part.as_os_str().to_str()?.strip_prefix("chapter_"))
            .find_map(|name| name.split('_').next()?.parse::<u64>().ok());
        if let (Some(chapter), None) = (chapter, self.get("chapter")) {
            self.keys.push(("chapter".to_owned(), chapter.to_string()));
        }
        self
    }

    /// A part of the name of the device whose run is meant, where only one can be.
    pub(super) fn device(&self) -> &str {
        self.get("device").unwrap_or(USUAL_DEVICE)
    }

    /// Whether the directive itself names a device.
    pub(super) fn names_device(&self) -> bool {
        self.get("device").is_some()
    }

    /// The same rows of the run on `device`, unless the directive names another.
    pub(super) fn or_of_device(mut self, device: &str) -> Self {
        if !self.names_device() {
            self.keys.push(("device".to_owned(), device.to_owned()));
        }
        self
    }

    /// Whether a run on `device` is meant, where all of them can be.
    pub(super) fn is_of(&self, device: &str) -> bool {
        self.get("device").is_none_or(|part| device.contains(part))
    }

    /// The number of devices that work together, where the key `devices` says it.
    pub(super) fn devices(&self) -> Option<u64> {
        integer(self.get("devices")?)
    }

    /// The kernels that are meant, where the key `kernels` names them.
    pub(super) fn kernels(&self) -> Vec<&str> {
        let names = self.get("kernels").into_iter();
        names.flat_map(|names| names.split(',')).collect()
    }

    /// The number of the chapter that is meant.
    pub(super) fn chapter(&self) -> Option<u64> {
        chapter_number(self.get("chapter")?)
    }

    /// What a key says that selects no rows.
    pub(super) fn option(&self, key: &str) -> Option<&str> {
        self.get(key)
    }

    /// The rung that the key `before` names, if it is there.
    pub(super) fn rung_before(&self) -> Option<&str> {
        self.get("before")
    }

    /// The same rows of the rung that the key `before` names, if it is there.
    pub(super) fn before(&self) -> Option<Self> {
        let before = self.rung_before()?.to_owned();
        let mut keys = self.keys.clone();
        keys.retain(|(name, _)| name != "kernel");
        keys.push(("kernel".to_owned(), before));
        Some(Self { keys, ..self.clone() })
    }

    /// The same rows of all rungs up to the one that the key `kernel` names, if it and the size are there.
    pub(super) fn up_to_kernel(&self) -> Option<Self> {
        self.get("n")?;
        let last = self.get("kernel")?.to_owned();
        let mut keys = self.keys.clone();
        keys.retain(|(name, _)| !["kernel", "to"].contains(&name.as_str()));
        keys.push(("to".to_owned(), last));
        Some(Self { keys, ..self.clone() })
    }

    /// The first and the last kernel that are meant, where the keys `from` and `to` say so.
    pub(super) fn ends(&self) -> [Option<&str>; 2] {
        [self.get("from"), self.get("to")]
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Whether `row` has what the keys ask for. Broken kernels, matrices, batches, rows further apart than
    /// they are long, ranges of keys, and what is not a rung's own number of copies are meant only where asked
    /// for.
    pub(super) fn selects(&self, row: &Row) -> bool {
        // What few rows have comes first: a page asks for hundreds of rows among thousands.
        let mut keys = self.keys.iter().filter(|(key, _)| !NOT_FIELDS.contains(&key.as_str()));
        let is_so = |(key, wanted): &(String, String)| match key.as_str() {
            "chapter" => row.chapter() == chapter_number(wanted),
            key => row.field(key).is_some_and(|found| is(found, wanted)),
        };
        let broken = self.get("broken").unwrap_or("false");
        if !keys.all(is_so) || broken.parse() != Ok(row.broken) {
            return false;
        }
        let is_special =
            |key: &&str| row.subject.task.get(key).is_some() && self.get(key).is_none();
        if ["copies", "range", "ld", "batch"].iter().any(is_special) {
            return false;
        }
        if row.subject.rows.is_some() && self.get("rows").or(self.get("cols")).is_none() {
            return false;
        }
        let least = self.get("least").and_then(integer);
        least.is_none_or(|least| row.subject.n >= least)
    }
}

fn is(found: &Value, wanted: &str) -> bool {
    match found {
        Value::String(text) => text == wanted,
        Value::Number(number) => {
            integer(wanted).is_some_and(|wanted| number.as_u64() == Some(wanted))
        }
        Value::Bool(truth) => wanted.parse() == Ok(*truth),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// An integer, or a power such as `2^28`.
fn integer(text: &str) -> Option<u64> {
    match text.split_once('^') {
        Some((base, exponent)) => base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?),
        None => text.parse().ok(),
    }
}
