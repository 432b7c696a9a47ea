//! `exercise.toml`: what an exercise asks for, and what its kernels are checked with.

use std::{collections::BTreeMap, fmt::Write as _};

use anyhow::{Result, ensure};
use clap::ValueEnum;
use harness::{Input, Shape};
use serde::{Deserialize, Deserializer, de};

use super::{launch::Launch, range::Range};
use crate::{diagnosis::AllAdvice, operation::Operation};

/// What kind of task it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Complete a kernel.
    Complete,
    /// Find and mend what is wrong.
    Repair,
    /// Make it cheaper, as a counter tells.
    Improve,
    /// Foretell what a run will count.
    Predict,
    /// Write it from nothing.
    Open,
}

impl Form {
    /// In a list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Repair => "repair",
            Self::Improve => "improve",
            Self::Predict => "predict",
            Self::Open => "open",
        }
    }

    /// What is true of an unchanged file, and how to begin.
    pub fn to_begin(self) -> (&'static str, &'static str) {
        match self {
            Self::Complete | Self::Open => (
                "the kernel has a gap, and nothing is written there yet",
                "look for TODO in the file",
            ),
            Self::Repair => ("the kernel is whole, but wrong", "find what is wrong near the TODO"),
            Self::Improve => {
                ("the kernel is right, but costs too much", "make it cheaper; the TODO says where")
            }
            Self::Predict => ("no question is answered yet", "put a number in place of each \"?\""),
        }
    }
}

/// An exercise, as its file declares it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// In the list.
    pub title: String,
    /// How long it takes.
    pub minutes: u32,
    /// What kind of task it is.
    pub form: Form,
    /// What to do.
    pub task: String,
    /// What to read for it: a page of the book, and perhaps an anchor, below `book/`.
    pub read: String,
    /// What can be asked for, one after another: a nudge first, nearly the answer last.
    pub hints: Vec<String>,
    /// What the kernel's outputs must be.
    pub operation: Operation,
    /// The architecture that kernels are compiled for, such as `compute_90`; where none is named, one that has
    /// reductions of a warp and asynchronous copies.
    #[serde(default = "usual_architecture")]
    pub architecture: String,
    /// The launches, in order.
    pub launch: Vec<Launch>,
    /// Memory that kernels use between them, by name.
    #[serde(default)]
    pub scratch: BTreeMap<String, Scratch>,
    /// Sizes to check; if there are none, the operation's own.
    #[serde(default, deserialize_with = "sizes")]
    pub sizes: Vec<Shape>,
    /// Sizes of which each check draws some, beside those that are always run; if it is not given,
    /// the operation's own.
    #[serde(default)]
    pub drawn: Option<Range>,
    /// Elements of a problem at most, for a kernel that is for one warp or block.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Kinds of input; uniform if there are none.
    #[serde(default, deserialize_with = "inputs")]
    pub inputs: Vec<Input>,
    /// The kind of input that the largest size has; the first of the others where none is named.
    #[serde(default, deserialize_with = "input")]
    pub largest_input: Option<Input>,
    /// How long one warp may work in any run; every exercise with a kernel has it.
    #[serde(default)]
    pub longest_warp: Option<LongestWarp>,
    /// What a run may cost.
    #[serde(default)]
    pub demand: Vec<Demand>,
    /// What is to be predicted; then there is no kernel to write.
    #[serde(default)]
    pub question: Vec<Question>,
    /// What to say of a diagnosis here, in place of what is said everywhere.
    #[serde(default)]
    pub advice: AllAdvice,
}

/// Memory between the inputs and the outputs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// Bytes of an element.
    pub element_bytes: u64,
    /// How many elements; a dimension, or one for so many of them.
    pub elements: super::launch::Extent,
    /// Whether it is zeroed before; poisoned otherwise.
    #[serde(default)]
    pub zeroed: bool,
    /// The number of the device, which must be that of a launch.
    #[serde(default)]
    pub device: usize,
}

/// A bound on the instructions of the warp that executes most, summed over the launches: it falls with
/// the number of warps that share the work. So a kernel in which one lane does it all keeps no such bound.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongestWarp {
    /// The instructions that are allowed whatever the size.
    pub most: f64,
    /// The further instructions that are allowed for each element.
    #[serde(default)]
    pub per_element: f64,
    /// Those for each row of a matrix.
    #[serde(default)]
    pub per_row: f64,
    /// Those for each tile of 32 × 32 of a matrix.
    #[serde(default)]
    pub per_tile: f64,
}

impl LongestWarp {
    /// The bound for a size.
    pub fn at(self, shape: Shape) -> f64 {
        let (rows, tiles) = match shape {
            Shape::Matrix { rows, cols } => (rows, rows.div_ceil(32) * cols.div_ceil(32)),
            Shape::Vector { .. } => (0, 0),
        };
        let of_elements = self.per_element * shape.elements() as f64;
        self.most + of_elements + self.per_row * rows as f64 + self.per_tile * tiles as f64
    }
}

/// A bound on a count, on every size that is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// A counter of the simulator, such as `shared_bank_conflicts`.
    pub counter: String,
    /// It may be this at most.
    pub most: Most,
    /// What to say to one who misses it.
    pub hint: String,
}

/// How high a count may be.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Most {
    /// So high, whatever the size.
    Count(f64),
    /// The sum of so many times a dimension, or `blocks` or `warps` of the first launch, or `one`.
    Terms(BTreeMap<String, f64>),
}

impl Most {
    /// What the bound is the sum of: numbers, each with what it is multiplied by.
    pub fn terms(&self) -> Vec<(&str, f64)> {
        match self {
            Self::Count(count) => vec![("one", *count)],
            Self::Terms(terms) => terms.iter().map(|(name, most)| (&**name, *most)).collect(),
        }
    }
}

/// A count to be predicted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name in the answer sheet.
    pub name: String,
    /// What is asked.
    pub ask: String,
    /// A counter of the simulator.
    pub counter: String,
    /// What to divide it by, as with a demand.
    #[serde(default)]
    pub per: Option<String>,
    /// On what it is counted.
    #[serde(deserialize_with = "size")]
    pub at: Shape,
    /// Dimensions beside those of the size, such as `stride = 2`, for the launch's parameters.
    #[serde(default)]
    pub with: BTreeMap<String, u64>,
    /// What to say to one who is wrong.
    pub hint: String,
}

impl Declaration {
    /// Whether kernels run on several devices at the same time.
    pub fn is_of_several_devices(&self) -> bool {
        self.launch.iter().any(|launch| launch.device > 0)
    }

    /// What the types cannot say.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(!self.launch.is_empty(), "an exercise launches a kernel");
        ensure!(self.hints.len() >= 2, "hints come in tiers, two of them at least");
        let predicts = self.form == Form::Predict;
        ensure!(
            predicts != self.question.is_empty(),
            "an exercise has questions if it is to predict, and only then"
        );
        ensure!(
            predicts || self.longest_warp.is_some(),
            "an exercise with a kernel bounds its `longest_warp`"
        );
        ensure!(
            self.sizes.is_empty() || predicts || self.drawn.is_some(),
            "an exercise with `sizes` of its own says which sizes can be `drawn`"
        );
        let number = self.architecture.strip_prefix("compute_").unwrap_or_default();
        ensure!(
            number.parse::<u32>().is_ok(),
            "`{}` is no architecture; `compute_90` is one",
            self.architecture
        );
        for launch in &self.launch {
            launch.parameters()?;
        }
        let is_of_a_launch = |device| self.launch.iter().any(|launch| launch.device == device);
        for (name, scratch) in &self.scratch {
            ensure!(is_of_a_launch(scratch.device), "no launch is on the device of `{name}`");
        }
        Ok(())
    }

    /// The sheet that a student types predictions into, without the task.
    pub(super) fn answer_sheet(&self) -> String {
        let mut sheets = Vec::new();
        for question in &self.question {
            let mut sheet = String::new();
            for line in question.ask.trim().lines() {
                let _ = writeln!(sheet, "# {line}");
            }
            let _ = writeln!(sheet, "{} = \"?\"", question.name);
            sheets.push(sheet.replace("# \n", "#\n"));
        }
        sheets.join("\n")
    }
}

fn usual_architecture() -> String {
    "compute_80".to_owned()
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(de::Error::custom)
}

fn sizes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Shape>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let parse = |text: &String| text.parse().map_err(de::Error::custom);
    texts.iter().map(parse).collect()
}

fn inputs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Input>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| by_name(text)).collect()
}

fn input<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Input>, D::Error> {
    named(deserializer).map(Some)
}

/// A value of the command line, such as `uniform`, by its name.
pub(crate) fn named<'de, T: ValueEnum, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    by_name(&String::deserialize(deserializer)?)
}

fn by_name<T: ValueEnum, E: de::Error>(text: &str) -> Result<T, E> {
    T::from_str(text, false).map_err(de::Error::custom)
}
