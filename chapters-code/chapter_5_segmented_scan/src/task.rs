//! What a case asks for: a conversion, a scan, a reduction or a product.

use harness::{Kind, Parameter, Value};

use crate::{Case, Conversion, Matrix, Segments};

/// What a case asks for, and a rung does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// To describe these segments in another way.
    Convert(Conversion, Segments),
    /// To scan every segment.
    Scan(Kind, Segments),
    /// To reduce every segment.
    Reduce(Segments),
    /// To multiply a sparse matrix by a vector.
    Multiply(Matrix),
}

impl Default for Task {
    fn default() -> Self {
        Self::Reduce(Segments::USUAL)
    }
}

impl Task {
    /// A scan of this kind, or a reduction if there is none.
    pub fn in_segments(kind: Option<Kind>, segments: Segments) -> Self {
        kind.map_or(Self::Reduce(segments), |kind| Self::Scan(kind, segments))
    }

    /// The segments; the usual ones for a product, whose segments are the rows of its matrix.
    pub fn segments(self) -> Segments {
        match self {
            Self::Convert(_, segments) | Self::Scan(_, segments) | Self::Reduce(segments) => {
                segments
            }
            Self::Multiply(_) => Segments::USUAL,
        }
    }

    /// The kind of the scan; inclusive for what is no scan.
    pub fn kind(self) -> Kind {
        match self {
            Self::Scan(kind, _) => kind,
            _ => Kind::Inclusive,
        }
    }

    /// The matrix of a product.
    pub fn matrix(self) -> Option<Matrix> {
        match self {
            Self::Multiply(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Whether another task is of the same kind, whatever its segments and its matrix.
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Convert(own, _), Self::Convert(other, _)) => own == other,
            _ => std::mem::discriminant(&self) == std::mem::discriminant(&other),
        }
    }
}

impl harness::Task for Task {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "kind",
            "Only scans: whether a result takes in its own element, or only those before it in its segment; \
             both, comma separated [default: inclusive]",
            |task: &Self| match task {
                Self::Scan(kind, _) => Some(Value::text(kind)),
                _ => None,
            },
            |task, text| Ok(Self::Scan(text.parse()?, task.segments())),
        )
        .value_name("KIND")
        .named::<Kind>()
        .label(|task| match task {
            Self::Scan(kind, _) => Some(kind.to_string()),
            _ => None,
        })
        .lab(&["inclusive", "exclusive"], ""),
        Parameter::new(
            "segments",
            "All but products: the segments' length, or giant, power-law, lopsided, empty; several, comma \
             separated [default: 64]",
            |task: &Self| match task {
                Self::Multiply(_) => None,
                _ => Some(Value::text(task.segments())),
            },
            |task, text| {
                let segments = text.parse()?;
                Ok(match *task {
                    Self::Convert(to, _) => Self::Convert(to, segments),
                    Self::Scan(kind, _) => Self::Scan(kind, segments),
                    Self::Reduce(_) => Self::Reduce(segments),
                    Self::Multiply(_) => *task,
                })
            },
        )
        .value_name("SEGMENTS")
        .label(|task| match (task, task.segments()) {
            (Self::Multiply(_), _) => None,
            (_, Segments::Of(length)) => Some(format!("segments of {length}")),
            (_, segments) => Some(format!("{segments} segments")),
        })
        .lab(&["1", "100", "giant", "power-law"], ""),
        Parameter::new(
            "convert",
            "Only conversions: head flags out of offsets, or offsets out of head flags; both, comma separated",
            |task: &Self| match task {
                Self::Convert(conversion, _) => Some(Value::text(conversion)),
                _ => None,
            },
            |task, text| Ok(Self::Convert(text.parse()?, task.segments())),
        )
        .value_name("CONVERSION")
        .named::<Conversion>()
        .label(|task| match task {
            Self::Convert(conversion, _) => Some(conversion.to_string()),
            _ => None,
        }),
        Parameter::new(
            "matrix",
            "Only products: a matrix made by seed, one of banded, power-law, long-row; or the path of a file \
             in Matrix Market's coordinate format, which also gives the size [default: power-law]",
            |task: &Self| task.matrix().map(Value::text),
            // A name that no made matrix has is a file's.
            |_, text| Ok(Self::Multiply(text.parse().unwrap_or(Matrix::File))),
        )
        .value_name("MATRIX|FILE")
        .single()
        .label(|task| Some(format!("{} matrix", task.matrix()?)))
        .lab(&["banded", "power-law", "long-row"], ""),
    ];
}

/// The name of the kernel for a case, such as `inclusive_sum_f32`, `sum_f32`, `multiply_f32` or `to_flags`.
pub fn entry_name(case: &Case) -> String {
    let Case { op, dtype, .. } = case;
    match case.task {
        Task::Convert(Conversion::ToFlags, _) => "to_flags".into(),
        Task::Convert(Conversion::ToOffsets, _) => "to_offsets".into(),
        Task::Scan(kind, _) => format!("{kind}_{op}_{dtype}"),
        Task::Reduce(_) => format!("{op}_{dtype}"),
        Task::Multiply(_) => format!("multiply_{dtype}"),
    }
}
