//! What a scan has besides its elements and its operator.

use harness::{Kind, Parameter, Task, Value};

/// What a case of this chapter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanParameters {
    /// Whether a result takes in its own element.
    pub kind: Kind,
}

impl Default for ScanParameters {
    fn default() -> Self {
        Self::of_kind(Kind::Inclusive)
    }
}

impl ScanParameters {
    /// Those of a scan of a kind.
    pub const fn of_kind(kind: Kind) -> Self {
        Self { kind }
    }
}

impl Task for ScanParameters {
    const PARAMETERS: &'static [Parameter<Self>] = &[Parameter::new(
        "kind",
        "Whether a result takes in its own element, or only those before it; both, comma separated",
        |task: &Self| Some(Value::text(task.kind)),
        |_, text| Ok(Self { kind: text.parse()? }),
    )
    .value_name("KIND")
    .named::<Kind>()
    .default("inclusive")
    .lab(&["inclusive", "exclusive"], "")];
}
