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

impl Arguments {
    /// What is converted, scanned, reduced and multiplied: everything, where no option says what. --convert, --kind and
    /// --matrix each ask for one of these. Without --convert and --kind, --segments asks for scans and reductions, and
    /// also for conversions that are named by --kernel.
    pub(crate) fn parameters(&self) -> Vec<SegmentParameters> {
        let (converts, has_kind) = (!self.convert.is_empty(), !self.kind.is_empty());
        let has_segments = !self.segments.is_empty();
        let multiplies = self.matrix.is_some();
        let all = !(converts || has_kind || has_segments || multiplies);

        let (mut conversions, mut kinds) = (Vec::new(), Vec::new());
        if all || converts || has_segments && !self.options.kernel.is_empty() {
            conversions = if_none(&self.convert, &Conversion::ALL);
        }
        if all || has_kind || has_segments && !converts {
            kinds.extend(if_none(&self.kind, &[Kind::Inclusive]).into_iter().map(Some));
        }
        if all || has_segments && !converts && !has_kind {
            kinds.push(None); // a reduction
        }
        let segments = if_none(&self.segments, &[Segments::Of(64)]);
        let mut parameters = Vec::new();
        for to in conversions {
            parameters.extend(segments.iter().map(|&s| SegmentParameters::conversion(to, s)));
        }
        for kind in kinds {
            parameters.extend(segments.iter().map(|&s| SegmentParameters::in_segments(kind, s)));
        }
        if all || multiplies {
            parameters.push(SegmentParameters::product(self.matrix()));
        }
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
        let name = self.matrix.as_ref();
        name.map_or(Matrix::PowerLaw, |name| name.parse().unwrap_or(Matrix::File))
    }

    /// Whether one of the rungs that are named, if any, is for these parameters.
    fn is_wanted(&self, parameters: SegmentParameters) -> bool {
        let case = Case::vector(0, Dtype::F32, Op::Sum).with(parameters);
        let rungs = rungs_of(Task::of(&case));
        let names = &self.options.kernel;
        names.is_empty() || rungs.iter().any(|rung| names.iter().any(|name| name == rung.name))
    }
}

fn if_none<T: Copy>(values: &[T], default: &[T]) -> Vec<T> {
    if values.is_empty() { default.to_vec() } else { values.to_vec() }
}
