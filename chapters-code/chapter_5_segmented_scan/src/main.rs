//! `cargo run --bin chapter_5`: the ladders of segmented scans, reductions and sparse products.

use std::{path::Path, process::ExitCode};

use chapter_5_segmented_scan::{Task, chapter::Segmented, market, sparse::Csr};
use harness::{Case, Dtype, Kind, Matrix, Op, Options, Parameters, Segments, Shape, TypeOptions};

/// Runs, checks and times every rung of the ladders over segments.
#[derive(clap::Parser)]
#[command(name = "chapter_5", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,

    /// Only scans: whether a result takes in its own element, or only those before it in its segment;
    /// both, comma separated [default: inclusive]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    kind: Vec<Kind>,

    /// Only scans and reductions: the segments' length, or giant, power-law, empty; several, comma
    /// separated [default: 64]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SEGMENTS",
        allow_hyphen_values = true
    )]
    segments: Vec<Segments>,

    /// Only products: a matrix made by seed, one of banded, power-law, long-row; or the path of a file
    /// in Matrix Market's coordinate format, which also gives the size [default: power-law]
    #[arg(long, value_name = "MATRIX|FILE")]
    matrix: Option<String>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_5 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --segments 1,512,giant,power-law      scans and reductions of other segments
  --kind exclusive --dtype i64          the other kind of scan, another type
  --matrix long-row                     a sparse matrix whose rows are unequal
  --matrix bcsstk01.mtx                 a matrix from a file
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

impl Arguments {
    /// What is scanned, reduced and multiplied: all three, or what the options speak of.
    fn parameters(&self) -> Vec<Parameters> {
        let [scans, products] = [!self.kind.is_empty(), self.matrix.is_some()];
        let segmented = !self.segments.is_empty();
        let all = !scans && !segmented && !products;
        let mut parameters = Vec::new();
        let segments = if_none(&self.segments, Segments::Of(64));
        if all || scans || segmented {
            let kinds = if_none(&self.kind, Kind::Inclusive);
            let of = |kind, segments| Parameters {
                kind,
                segments: Some(segments),
                ..Parameters::default()
            };
            let pairs = kinds
                .iter()
                .flat_map(|&kind| segments.iter().map(move |&s| (kind, s)));
            parameters.extend(pairs.map(|(kind, segments)| of(Some(kind), segments)));
            if !scans {
                parameters.extend(segments.iter().map(|&segments| of(None, segments)));
            }
        }
        if all || products {
            parameters.push(Parameters {
                matrix: Some(matrix(self.matrix.as_deref())),
                ..Parameters::default()
            });
        }
        let wanted = parameters.iter().copied();
        let wanted: Vec<_> = wanted.filter(|&p| self.is_wanted(p)).collect();
        // Where the names go with none of them, what runs them says so.
        match wanted.is_empty() {
            true => parameters,
            false => wanted,
        }
    }

    /// Whether one of the rungs that are asked for by name is for it.
    fn is_wanted(&self, parameters: Parameters) -> bool {
        let case = Case {
            parameters,
            ..Case::vector(0, Dtype::F32, Op::Sum)
        };
        let task = Task::of(&case);
        let names = &self.options.kernel;
        names.is_empty() || names.iter().any(|name| task.is_of(name))
    }
}

fn if_none<T: Copy>(values: &[T], default: T) -> Vec<T> {
    match values {
        [] => vec![default],
        values => values.to_vec(),
    }
}

/// The matrix of this name; any other name is a file's.
fn matrix(name: Option<&str>) -> Matrix {
    let Some(name) = name else {
        return Matrix::PowerLaw;
    };
    let made = Matrix::MADE
        .into_iter()
        .find(|matrix| matrix.name() == name);
    made.unwrap_or(Matrix::File)
}

fn main() -> ExitCode {
    harness::main(|arguments: Arguments| {
        let parameters = arguments.parameters();
        let mut chapter = Segmented::OF_SEED;
        let mut options = arguments.options;
        if let (Some(path), Matrix::File) = (&arguments.matrix, matrix(arguments.matrix.as_deref()))
        {
            let file = market::read(Path::new(path))?;
            // It is there until the program ends.
            let file: &'static Csr = Box::leak(Box::new(file));
            let n = file.values.len() as u64;
            options.elements = vec![Shape::Vector { n }];
            chapter.file = Some(file);
        }
        harness::run_all(&chapter, &options, &arguments.types, &parameters)
    })
}
