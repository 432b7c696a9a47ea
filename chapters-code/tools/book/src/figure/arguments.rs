//! What a figure's directive asks for: `KIND KEY=VALUE …`.

use std::collections::BTreeMap;
use std::path::Path;

use clap::ValueEnum;
use harness::{Case, Dtype, Input, Op, Shape};
use report::{AnyCase, AnyChapter};

use crate::expand::words;

/// The arguments of a directive, each taken once.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// The first word; empty of a launch.
    pub(super) kind: String,
    /// What is asked for, as errors call it.
    what: String,
    keys: BTreeMap<String, String>,
}

impl Arguments {
    /// Reads what stands behind the directive's name.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut words = words(text)?.into_iter();
        let kind = words.next().unwrap_or_default();
        if kind.is_empty() || kind.contains('=') {
            return Err("name the kind of figure: {{#figure KIND KEY=VALUE …}}".to_owned());
        }
        let what = format!("a figure of {kind}");
        Ok(Self { kind, what, keys: by_name(words)? })
    }

    /// Reads what stands behind the name of the directive `launch`, which is of one kind.
    pub(super) fn of_launch(text: &str) -> Result<Self, String> {
        let keys = by_name(words(text)?.into_iter())?;
        Ok(Self { kind: String::new(), what: "a launch".to_owned(), keys })
    }

    /// The value of a key, which is then no longer there.
    pub(super) fn take(&mut self, key: &str) -> Option<String> {
        self.keys.remove(key)
    }

    /// The same, of a key that must be there.
    pub(super) fn need(&mut self, key: &str) -> Result<String, String> {
        let missing = || format!("{} needs {key}=", self.what);
        self.keys.remove(key).ok_or_else(missing)
    }

    /// The number that a key stands for.
    pub(super) fn number<T: std::str::FromStr>(&mut self, key: &str) -> Result<Option<T>, String> {
        let number = |text: String| match text.parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(format!("{key}={text} is not a number in range")),
        };
        self.take(key).map(number).transpose()
    }

    /// The options of a chapter that are given, and the number of threads of a block, with their values.
    pub(super) fn options(mut self, chapter: &dyn AnyChapter) -> Vec<(String, String)> {
        let mut options = Vec::new();
        let mut note = |name: &str| {
            let value = self.take(name)?;
            options.push((name.to_owned(), value.clone()));
            Some(value)
        };
        note("block");
        // What cannot be read has been refused where the figure was drawn.
        _ = chapter.read(&mut note);
        options
    }

    /// Fails if a key is left that was not taken.
    pub(super) fn finish(self) -> Result<(), String> {
        match self.keys.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("{} has no key {key}", self.what)),
        }
    }
}

/// The values of words that are all `KEY=VALUE`, each key once.
fn by_name(words: impl Iterator<Item = String>) -> Result<BTreeMap<String, String>, String> {
    let mut keys = BTreeMap::new();
    for word in words {
        let (key, value) =
            word.split_once('=').ok_or_else(|| format!("{word} is not KEY=VALUE"))?;
        if keys.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    Ok(keys)
}

/// A run that a figure is drawn from.
#[derive(Clone)]
pub(super) struct Run {
    /// The chapter whose kernel it is.
    pub(super) chapter: &'static dyn AnyChapter,
    pub(super) kernel: String,
    pub(super) case: AnyCase,
    /// Threads of a block, if they are not the rung's own.
    pub(super) block: Option<u32>,
    /// The seed of the order in which warps and blocks run; 0 runs them in turn.
    pub(super) schedule: u32,
    /// Multiprocessors of the device, where the launch shall believe in another number than there is.
    pub(super) multiprocessors: Option<u32>,
}

impl Run {
    /// Takes the keys that say what to run; the page's folder names the chapter if no key does.
    pub(super) fn take(arguments: &mut Arguments, page: &Path) -> Result<Self, String> {
        let chapter = chapter(arguments.take("chapter"), page)?;
        let task = chapter.read(&mut |name| arguments.take(name))?;
        let run = Self {
            chapter,
            kernel: arguments.need("kernel")?,
            case: Case {
                shape: shape(&arguments.need("n")?)?,
                dtype: choice(arguments, "dtype", Dtype::F32)?,
                op: choice(arguments, "op", Op::Sum)?,
                input: choice(arguments, "input", Input::Digits)?,
                seed: arguments.number("seed")?.unwrap_or(1),
                block: None,
                task,
            },
            block: arguments.number("block")?,
            schedule: arguments.number("schedule")?.unwrap_or(0),
            multiprocessors: arguments.number("multiprocessors")?,
        };
        Ok(run)
    }

    /// The number of devices that it runs on at the same time, if there are several.
    pub(super) fn devices(&self) -> Option<usize> {
        Some(self.chapter.devices(&self.case)).filter(|&devices| devices > 1)
    }

    /// What tells it from other runs.
    pub(super) fn key(&self) -> super::Key {
        let launched = (self.block, self.schedule, self.multiprocessors);
        (self.chapter.name(), self.kernel.clone(), self.case.clone(), launched)
    }
}

fn shape(text: &str) -> Result<Shape, String> {
    text.parse().map_err(|error| format!("n={text}: {error}"))
}

fn choice<T: ValueEnum>(arguments: &mut Arguments, key: &str, default: T) -> Result<T, String> {
    let Some(text) = arguments.take(key) else { return Ok(default) };
    T::from_str(&text, true).map_err(|error| format!("{key}={text}: {error}"))
}

fn chapter(name: Option<String>, page: &Path) -> Result<&'static dyn AnyChapter, String> {
    let folder = || {
        let parent = page.parent()?.file_name()?.to_str()?;
        Some(parent.to_owned())
    };
    let name = name.or_else(folder).unwrap_or_default();
    chapters::find(&name).ok_or_else(|| {
        let known: Vec<_> = chapters::ALL.iter().map(|chapter| chapter.name()).collect();
        format!("there is no chapter `{name}`: give chapter=, one of {}", known.join(", "))
    })
}
