//! `cargo run --bin chapter_2`: the ladder of histograms.

use std::process::ExitCode;

use chapter_2_histogram::{
    bins::{FEWEST, MOST},
    chapter::{Histogram, OutOfRange},
    parameters::{HistogramParameters, Range},
};
use clap::Parser;
use harness::shape::parse_count;
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the histogram ladder.
#[derive(Parser)]
#[command(name = "chapter_2", version, after_help = EXAMPLES)]
#[command(mut_arg("dtype", |dtype| dtype.default_value("u32")))]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,

    /// Bins, 2 to 65536; several, comma separated
    #[arg(
        long,
        default_value = "256",
        value_name = "COUNT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = bins
    )]
    bins: Vec<u32>,

    /// Draw the input from this number of keys, instead of as many as there are bins
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = keys)]
    keys: Option<u32>,

    /// What to do about keys that have no bin
    #[arg(long, value_enum, default_value = "count", value_name = "WHAT")]
    out_of_range: OutOfRange,

    /// Copies of the histogram that a block of banked keeps, at most: 1, 2, 4, 8, 16 or 32
    #[arg(long, value_name = "COUNT", value_delimiter = ',')]
    copies: Vec<u32>,

    /// Divide this range of keys evenly into the bins, for example 0..2^20; f32 [default: 0..1] or u32
    /// [default: each key is its own bin]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    range: Option<Range>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_2 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20 --bins 16   on the simulator, two sizes
  --dtype u8 --input zipf,constant      bytes, two skewed inputs
  --keys 300 --out-of-range refuse      keys that have no bin
  --kernel banked --range 0..2^20       integers in even bins of a range
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

fn bins(text: &str) -> Result<u32, String> {
    let count = parse_count(text).ok().and_then(|count| u32::try_from(count).ok());
    let count = count.filter(|count| (FEWEST..=MOST).contains(count));
    count.ok_or_else(|| {
        format!("bins are a whole number from {FEWEST} to {MOST}; write for example 256 or 2^12")
    })
}

fn keys(text: &str) -> Result<u32, String> {
    let count = parse_count(text).ok().and_then(|count| u32::try_from(count).ok());
    let count = count.filter(|&count| count > 0);
    count.ok_or_else(|| "keys are a whole number from 1 to 2^32 - 1; write for example 300".into())
}

impl Arguments {
    /// Every number of bins with every number of copies.
    fn parameters(&self) -> Vec<HistogramParameters> {
        let copies = match self.copies[..] {
            [] => vec![None],
            ref copies => copies.iter().copied().map(Some).collect(),
        };
        let with = |bins| {
            copies.iter().map(move |&copies| {
                let (bins, keys, range) = (Some(bins), self.keys, self.range);
                HistogramParameters { bins, keys, copies, range }
            })
        };
        self.bins.iter().copied().flat_map(with).collect()
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let chapter = Histogram { out_of_range: arguments.out_of_range };
    let parameters = arguments.parameters();
    report::exit(report::run_chapter(&chapter, &arguments.options, &arguments.types, parameters))
}
