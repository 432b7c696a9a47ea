//! Errors in a PTX text.

use std::fmt;

/// Why a text was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}line {line}{}: {kind}", FunctionPrefix(.function.as_deref()), SourceSuffix(.source_place.as_deref()))]
pub struct Error {
    /// The kernel or device function that contains the line, if any.
    pub function: Option<String>,
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// The CUDA source line, as `reduce.cu:48`, if the PTX has `.loc` directives.
    pub source_place: Option<String>,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The text is not PTX.
    #[error("no .version directive: not PTX")]
    NotPtx,
    /// The text uses a PTX ISA that is newer than this parser.
    #[error("PTX ISA {0}.{1} is newer than 9.x, the newest that is understood")]
    TooNew(u32, u32),
    /// The text violates PTX's grammar.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What the grammar requires here.
        expected: &'static str,
        /// The text found instead, as written.
        found: String,
    },
    /// PTX has no such instruction.
    #[error("`{0}` is no instruction of PTX")]
    UnknownInstruction(String),
    /// The instruction, or its form, is outside the dialect.
    #[error("unsupported instruction `{0}`")]
    UnsupportedInstruction(String),
    /// Another feature is outside the dialect.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A name is not declared if it is used.
    #[error("`{0}` is not declared here")]
    Undeclared(String),
    /// A name is declared twice in one scope.
    #[error("`{0}` is declared twice")]
    Redeclared(String),
    /// An operand does not fit the instruction.
    #[error("`{instruction}` needs {expected}, found {found}")]
    Operand {
        /// The opcode with its modifiers.
        instruction: String,
        /// The operand that the instruction requires.
        expected: &'static str,
        /// A description of the operand.
        found: String,
    },
    /// The parts of a variable, initialiser or directive do not fit together.
    #[error("{0}")]
    Invalid(String),
    /// There are more items than the decoded form can number.
    #[error("too many {0}")]
    TooMany(&'static str),
}

impl ErrorKind {
    /// Whether the text may be valid PTX outside the dialect, so that only kernels that need it are
    /// refused.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(self, Self::UnsupportedInstruction(_) | Self::Unsupported(_))
    }

    /// Adds a line of the PTX text.
    pub(crate) fn at(self, line: u32) -> Error {
        Error { function: None, line, source_place: None, kind: self }
    }

    /// Returns an error for a violation of the grammar.
    pub(crate) fn syntax(expected: &'static str, found: &str) -> Self {
        const LONGEST: usize = 40;
        let mut shown: String = found.chars().take(LONGEST).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        Self::Syntax { expected, found: format!("`{shown}`") }
    }
}

/// Displays ``in `reduce`, ``, or nothing.
struct FunctionPrefix<'a>(Option<&'a str>);

impl fmt::Display for FunctionPrefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "in `{name}`, "),
            None => Ok(()),
        }
    }
}

/// Displays ` (reduce.cu:48)`, or nothing.
struct SourceSuffix<'a>(Option<&'a str>);

impl fmt::Display for SourceSuffix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}
