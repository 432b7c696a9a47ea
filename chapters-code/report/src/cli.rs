//! The command line, the same for every chapter.

use std::path::{Path, PathBuf};

use clap::Args;

use harness::{DeviceChoice, Dtype, Input, Op, Shape};

/// Options of every chapter.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Where to run: a GPU if there is one, a GPU or nothing, or the simulator
    #[arg(long, value_enum, default_value_t, value_name = "DEVICE")]
    pub device: DeviceChoice,

    /// Sizes: 1023, 25.6M, 2^20, 64Ki; 4096x1000 for matrices; several, comma separated
    #[arg(
        short = 'n',
        long,
        value_name = "SIZE",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub elements: Vec<Shape>,

    /// Only these rungs, comma separated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub kernel: Vec<String>,

    /// Also the kernels that are shown because they are wrong
    #[arg(long)]
    pub broken: bool,

    /// What the inputs are drawn from
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = seed)]
    pub seed: u64,

    /// Also run each rung on the simulator with weak memory, where a load may return an older value than the
    /// newest, with this many seeds; without -n on small arrays
    #[arg(long, value_name = "SEEDS", num_args = 0..=1, default_missing_value = "16", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub weak: Option<u64>,

    /// Timing samples of a rung on a GPU; 20 at least
    #[arg(
        long,
        default_value_t = 30,
        allow_negative_numbers = true,
        value_parser = samples
    )]
    pub samples: u32,

    /// Also time the same work in this baseline library (see chapters-code/tools/baselines); of several, the
    /// first that has it
    #[arg(long, value_name = "PATH")]
    pub baseline: Vec<PathBuf>,

    /// Write one JSON object a rung and size, a line each; `-` is standard output
    #[arg(long, value_name = "PATH|-")]
    pub json: Option<PathBuf>,

    /// Draw the ladder
    #[arg(long, value_name = "PATH.svg")]
    pub plot: Option<PathBuf>,

    /// List the rungs and stop
    #[arg(long, conflicts_with = "json")]
    pub list: bool,
}

impl Options {
    /// Whether people read standard output: with `--json -`, a program does.
    pub fn prints(&self) -> bool {
        self.json.as_deref() != Some(Path::new("-"))
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "a seed is a whole number from 0 to 2^64 - 1; write for example 42".into())
}

/// Reads `--samples`.
///
/// # Errors
/// What is accepted, with an example.
pub fn samples(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (20..=100_000).contains(count));
    count.ok_or_else(|| "samples are a whole number from 20 to 100000; write for example 50".into())
}

/// Options of the chapters whose kernels are made for several types and operators.
#[derive(Args, Clone, Debug)]
pub struct TypeOptions {
    /// Element types, comma separated
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32", value_name = "DTYPE")]
    pub dtype: Vec<Dtype>,

    /// Operators, comma separated
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sum", value_name = "OP")]
    pub op: Vec<Op>,

    /// Distributions of the elements, comma separated
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "uniform",
        value_name = "INPUT"
    )]
    pub input: Vec<Input>,
}

impl Default for TypeOptions {
    fn default() -> Self {
        Self { dtype: vec![Dtype::F32], op: vec![Op::Sum], input: vec![Input::Uniform] }
    }
}
