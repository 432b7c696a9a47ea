//! `cargo run --bin chapter_4`: the ladder of compactions.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

use chapter_4_compact::{By, Density, Pattern, SelectionParameters, chapter::Compact, mask_file};
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the ladder of compactions.
#[derive(Parser)]
#[command(name = "chapter_4", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,
    /// What selects elements; several, comma separated
    #[arg(long, value_enum, value_delimiter = ',', default_value = "mask", value_name = "WHAT")]
    select: Vec<By>,
    /// The part of the elements that is selected: 1/2, 0.25, 0, 1; several, comma separated
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1/2",
        value_name = "PART",
        allow_hyphen_values = true
    )]
    density: Vec<Density>,
    /// Where the selected elements lie; several, comma separated
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "random",
        value_name = "PATTERN"
    )]
    mask: Vec<Pattern>,
    /// Select by the mask in this text of 0 and 1, instead of one made from the seed
    #[arg(long, value_name = "PATH", conflicts_with_all = ["density", "mask", "broken"])]
    mask_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_4 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --density 0,1/64,1/2,1 --select bits  nothing, little, half and all of it
  -n 4096x1000                          rows of a matrix
  -n 8 --mask-file mask.txt             a mask of your own
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

impl Arguments {
    /// Every density and pattern with each of what can say so.
    fn parameters(&self) -> Vec<SelectionParameters> {
        let mut all = Vec::new();
        for &by in &self.select {
            for &density in &self.density {
                let with = |&mask| SelectionParameters::new(by, density, mask);
                all.extend(self.mask.iter().map(with));
            }
        }
        all
    }
}

fn main() -> ExitCode {
    report::exit(run(Arguments::parse()))
}

fn run(arguments: Arguments) -> anyhow::Result<bool> {
    let path = arguments.mask_file.as_deref();
    let chapter = Compact { mask: path.map(mask_file::read).transpose()? };
    let parameters = arguments.parameters();
    report::run_chapter(&chapter, &arguments.options, &arguments.types, parameters)
}
