//! The command line: which of the four groups of rungs run, on which segments and matrices.

use chapter_5_segmented_scan::{
    Conversion, Matrix, SegmentParameters, Segments, chapter::rungs_of, task::Task,
};
use clap::Parser;
use harness::{Case, Dtype, Kind, Op};
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the ladders over segments.
#[derive(Parser)]
#[command(name = "chapter_5", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(flatten)]
    pub(crate) types: TypeOptions,

    /// Only scans: whether a result takes in its own element, or only those before it in its segment;
    /// both, comma separated [default: inclusive]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    kind: Vec<Kind>,

    /// All but products: the segments' length, or giant, power-law, lopsided, empty; several, comma separated
    /// [default: 64]
    #[arg(long, value_delimiter = ',', value_name = "SEGMENTS", allow_hyphen_values = true)]
    segments: Vec<Segments>,

    /// Only conversions: head flags out of offsets, or offsets out of head flags; both, comma separated
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CONVERSION")]
    convert: Vec<Conversion>,

    /// Only products: a matrix made by seed, one of banded, power-law, long-row; or the path of a file
    /// in Matrix Market's coordinate format, which also gives the size [default: power-law]
    #[arg(long, value_name = "MATRIX|FILE")]
    pub(crate) matrix: Option<String>,
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

/// A group of rungs that the options can ask for.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Conversions,
    Scans,
    Reductions,
    Products,
}

impl Group {
    const ALL: [Self; 4] = [Self::Conversions, Self::Scans, Self::Reductions, Self::Products];
}

impl Arguments {
    /// The groups that the options ask for: all, where none of the options does.
    fn groups(&self) -> Vec<Group> {
        let asked = Group::ALL.into_iter().filter(|&group| self.asks_for(group));
        match asked.collect::<Vec<_>>() {
            none if none.is_empty() => Group::ALL.to_vec(),
            asked => asked,
        }
    }

    /// Whether an option asks for a group. --convert, --kind and --matrix each belong to one group. Without
    /// them, --segments asks for scans and reductions, and also for conversions that are named by --kernel.
    fn asks_for(&self, group: Group) -> bool {
        let (convert, kind) = (!self.convert.is_empty(), !self.kind.is_empty());
        let segments = !self.segments.is_empty();
        match group {
            Group::Conversions => convert || segments && !self.options.kernel.is_empty(),
            Group::Scans => kind || segments && !convert,
            Group::Reductions => segments && !convert && !kind,
            Group::Products => self.matrix.is_some(),
        }
    }

    /// What is converted, scanned, reduced and multiplied.
    pub(crate) fn parameters(&self) -> Vec<SegmentParameters> {
        let of = |group| match group {
            Group::Conversions => self.conversions(),
            Group::Scans => self.scans(),
            Group::Reductions => self.segments().map(in_segments).collect(),
            Group::Products => vec![SegmentParameters {
                matrix: Some(self.matrix()),
                ..SegmentParameters::default()
            }],
        };
        let parameters: Vec<SegmentParameters> = self.groups().into_iter().flat_map(of).collect();
        let wanted = parameters.iter().copied();
        let wanted: Vec<_> = wanted.filter(|&p| self.is_wanted(p)).collect();
        // Where none of the rungs that are named is for any of them, the report refuses the command.
        match wanted.is_empty() {
            true => parameters,
            false => wanted,
        }
    }

    /// The matrix that --matrix names; a name that no made matrix has is a file's.
    pub(crate) fn matrix(&self) -> Matrix {
        let Some(name) = &self.matrix else {
            return Matrix::PowerLaw;
        };
        name.parse().unwrap_or(Matrix::File)
    }

    fn segments(&self) -> impl Iterator<Item = Segments> {
        if_none(&self.segments, &[Segments::Of(64)]).into_iter()
    }

    fn conversions(&self) -> Vec<SegmentParameters> {
        let conversions = if_none(&self.convert, &Conversion::ALL);
        let of = |conversion| {
            self.segments().map(move |segments| SegmentParameters {
                convert: Some(conversion),
                ..in_segments(segments)
            })
        };
        conversions.into_iter().flat_map(of).collect()
    }

    fn scans(&self) -> Vec<SegmentParameters> {
        let kinds = if_none(&self.kind, &[Kind::Inclusive]);
        let of = |kind| {
            self.segments().map(move |segments| SegmentParameters {
                kind: Some(kind),
                ..in_segments(segments)
            })
        };
        kinds.into_iter().flat_map(of).collect()
    }

    /// Whether one of the rungs that are named, if any, is for these parameters.
    fn is_wanted(&self, parameters: SegmentParameters) -> bool {
        let case = Case::vector(0, Dtype::F32, Op::Sum).with(parameters);
        let rungs = rungs_of(Task::of(&case));
        let names = &self.options.kernel;
        names.is_empty() || rungs.iter().any(|rung| names.iter().any(|name| name == rung.name))
    }
}

fn in_segments(segments: Segments) -> SegmentParameters {
    SegmentParameters { segments: Some(segments), ..SegmentParameters::default() }
}

fn if_none<T: Copy>(values: &[T], default: &[T]) -> Vec<T> {
    match values {
        [] => default.to_vec(),
        values => values.to_vec(),
    }
}
