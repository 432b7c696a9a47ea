//! What a transpose has besides its matrix.

use harness::{Parameter, Task, Value, shape::parse_count};

/// What a case of this chapter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixParameters {
    /// The number of matrices, one behind the other.
    pub batch: u64,
    /// The leading dimension: the number of elements from the start of a row to that of the next. If there is none, it is
    /// the number of columns.
    pub ld: Option<u64>,
}

impl Default for MatrixParameters {
    fn default() -> Self {
        Self { batch: 1, ld: None }
    }
}

impl MatrixParameters {
    /// A batch of `batch` matrices with the leading dimension `ld`, in elements. Other parameters have their defaults.
    pub fn new(batch: u64, ld: u64) -> Self {
        Self { batch, ld: Some(ld) }
    }
}

impl Task for MatrixParameters {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "batch",
            "Matrices one behind the other, all transposed; several numbers, comma separated",
            |task: &Self| (task.batch != 1).then(|| Value::from(task.batch)),
            |task, text| match parse_count(text).map_err(|error| error.to_string())? {
                0 => Err("a batch has 1 matrix at least; leave --batch out for one".into()),
                batch => Ok(Self { batch, ..*task }),
            },
        )
        .value_name("COUNT")
        .label(|task| (task.batch != 1).then(|| format!("{} matrices", task.batch)))
        .lab(&["3"], "1"),
        Parameter::new(
            "ld",
            "Leading dimension: elements from the start of a row to that of the next, the width or more. \
             The output's rows have as many spare elements as the input's",
            |task: &Self| task.ld.map(Value::from),
            |task, text| {
                let ld = parse_count(text).map_err(|error| error.to_string())?;
                Ok(Self { ld: Some(ld), ..*task })
            },
        )
        .value_name("COUNT")
        .label(|task| Some(format!("leading dimension {}", task.ld?)))
        .lab(&["128"], "the width"),
    ];
}
