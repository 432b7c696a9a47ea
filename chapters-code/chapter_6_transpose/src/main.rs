//! `cargo run --bin chapter_6`: the ladder of transposes.

use std::process::ExitCode;

use chapter_6_transpose::{MatrixParameters, chapter::Transpose};
use clap::Parser;
use harness::shape::parse_count;
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the transpose ladder.
#[derive(Parser)]
#[command(name = "chapter_6", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,

    /// Matrices one behind the other, all transposed; several numbers, comma separated
    #[arg(
        long,
        value_name = "COUNT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = matrices
    )]
    batch: Vec<u64>,

    /// Leading dimension: elements from the start of a row to that of the next, the width or more.
    /// The output's rows have as many spare elements as the input's
    #[arg(
        long,
        value_name = "COUNT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = parse_count
    )]
    ld: Vec<u64>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_6 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023x511,1x100        on the simulator, two sizes
  --dtype u8,u16,f32,f64,u128           elements of 1, 2, 4, 8 and 16 bytes
  -n 100x60 --batch 8 --ld 64           eight matrices whose rows begin every 64 elements
  --kernel in_place -n 1000x1000        a square onto itself
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

fn matrices(text: &str) -> Result<u64, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    match count {
        0 => Err("a batch has 1 matrix at least; leave --batch out for one".into()),
        _ => Ok(count),
    }
}

/// Every combination; none of an option is itself one.
fn parameters(batch: &[u64], ld: &[u64]) -> Vec<MatrixParameters> {
    let some = |values: &[u64]| -> Vec<Option<u64>> {
        match values {
            [] => vec![None],
            values => values.iter().copied().map(Some).collect(),
        }
    };
    let of_batch = |batch| some(ld).into_iter().map(move |ld| MatrixParameters { batch, ld });
    some(batch).into_iter().flat_map(of_batch).collect()
}

fn main() -> ExitCode {
    let Arguments { options, types, batch, ld } = Arguments::parse();
    report::exit(report::run_chapter(&Transpose, &options, &types, parameters(&batch, &ld)))
}
