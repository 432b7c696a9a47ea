//! `cargo run --bin chapter_5`: the ladders of segmented scans, reductions and sparse products.

use std::{path::Path, process::ExitCode};

use chapter_5_segmented_scan::{
    Task,
    chapter::Segmented,
    market::{self, MarketError},
    sparse::Csr,
};
use harness::{
    Case, Conversion, Dtype, Error, Kind, Matrix, Op, Options, Parameters, Segments, Shape,
    TypeOptions,
};

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

    /// All but products: the segments' length, or giant, power-law, lopsided, empty; several, comma separated
    /// [default: 64]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SEGMENTS",
        allow_hyphen_values = true
    )]
    segments: Vec<Segments>,

    /// Only conversions: head flags out of offsets, or offsets out of head flags; both, comma separated
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CONVERSION")]
    convert: Vec<Conversion>,

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
  --op affine --dtype i64               an operator that does not commute
  --convert to-offsets --segments empty from head flags back to offsets
  --matrix long-row                     a sparse matrix whose rows are unequal
  --matrix bcsstk01.mtx                 a matrix from a file
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

impl Arguments {
    /// What is converted, scanned, reduced and multiplied: all four, or what the options speak of.
    fn parameters(&self) -> Vec<Parameters> {
        let [converts, scans] = [!self.convert.is_empty(), !self.kind.is_empty()];
        let [products, segmented] = [self.matrix.is_some(), !self.segments.is_empty()];
        let all = !converts && !scans && !products && !segmented;
        // Whoever speaks of segments alone means what has elements in them, or names something else.
        let named = !self.options.kernel.is_empty();
        let mut parameters = Vec::new();
        if all || converts || segmented && named {
            parameters.extend(self.conversions());
        }
        if all || scans || segmented && !converts {
            parameters.extend(self.scans());
        }
        if all || segmented && !converts && !scans {
            parameters.extend(self.segments().map(in_segments));
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

    fn segments(&self) -> impl Iterator<Item = Segments> {
        if_none(&self.segments, &[Segments::Of(64)]).into_iter()
    }

    fn conversions(&self) -> Vec<Parameters> {
        let conversions = if_none(&self.convert, &Conversion::ALL);
        let of = |conversion| {
            self.segments().map(move |segments| Parameters {
                convert: Some(conversion),
                ..in_segments(segments)
            })
        };
        conversions.into_iter().flat_map(of).collect()
    }

    fn scans(&self) -> Vec<Parameters> {
        let kinds = if_none(&self.kind, &[Kind::Inclusive]);
        let of = |kind| {
            self.segments().map(move |segments| Parameters {
                kind: Some(kind),
                ..in_segments(segments)
            })
        };
        kinds.into_iter().flat_map(of).collect()
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

fn in_segments(segments: Segments) -> Parameters {
    Parameters {
        segments: Some(segments),
        ..Parameters::default()
    }
}

fn if_none<T: Copy>(values: &[T], default: &[T]) -> Vec<T> {
    match values {
        [] => default.to_vec(),
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

fn unreadable(error: MarketError) -> Error {
    let remedy = "remedy: give --matrix a whole file in Matrix Market's coordinate format";
    Error::Usage(format!("{error}\n  {remedy}"))
}

fn main() -> ExitCode {
    harness::main(|arguments: Arguments| {
        let parameters = arguments.parameters();
        let mut chapter = Segmented::OF_SEED;
        let mut options = arguments.options;
        if let (Some(path), Matrix::File) = (&arguments.matrix, matrix(arguments.matrix.as_deref()))
        {
            let file = market::read(Path::new(path)).map_err(unreadable)?;
            // It is there until the program ends.
            let file: &'static Csr = Box::leak(Box::new(file));
            let n = file.values.len() as u64;
            options.elements = vec![Shape::Vector { n }];
            chapter.file = Some(file);
        }
        harness::run_all(&chapter, &options, &arguments.types, &parameters)
    })
}
