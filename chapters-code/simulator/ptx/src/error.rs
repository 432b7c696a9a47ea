//! What can be wrong with a PTX text.

use std::fmt;

/// Why a text was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}line {line}{}: {kind}", FunctionPrefix(.function.as_deref()), SourceSuffix(.source_place.as_deref()))]
pub struct Error {
    /// The kernel or device function that the line lies in, if any.
    pub function: Option<String>,
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// The CUDA source line that it comes from, as `reduce.cu:48`, where the PTX has `.loc`s.
    pub source_place: Option<String>,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The text is something else.
    #[error("no .version directive: not PTX")]
    NotPtx,
    /// The text is of a PTX ISA that came out after this parser.
    #[error("PTX ISA {0}.{1} is newer than 9.x, the newest that is understood")]
    TooNew(u32, u32),
    /// The text breaks PTX's grammar.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What the grammar asks for here.
        expected: &'static str,
        /// What stands here, as written.
        found: String,
    },
    /// An instruction that PTX does not have.
    #[error("`{0}` is no instruction of PTX")]
    UnknownInstruction(String),
    /// An instruction, or a form of one, outside the dialect.
    #[error("unsupported instruction `{0}`")]
    UnsupportedInstruction(String),
    /// Anything else outside the dialect.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A name that is not declared where it is used.
    #[error("`{0}` is not declared here")]
    Undeclared(String),
    /// A name declared twice in one scope.
    #[error("`{0}` is declared twice")]
    Redeclared(String),
    /// An operand that does not fit the instruction.
    #[error("`{instruction}` needs {expected}, found {found}")]
    Operand {
        /// The opcode with its modifiers.
        instruction: String,
        /// What the instruction asks for.
        expected: &'static str,
        /// The operand, described.
        found: String,
    },
    /// A variable, initialiser or directive whose parts do not fit together.
    #[error("{0}")]
    Invalid(String),
    /// More of something than the decoded form can number.
    #[error("too many {0}")]
    TooMany(&'static str),
}

impl ErrorKind {
    /// True for what may well be PTX: only kernels that need it are refused.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(self, Self::UnsupportedInstruction(_) | Self::Unsupported(_))
    }

    /// This, at a line of the PTX text.
    pub(crate) fn at(self, line: u32) -> Error {
        Error {
            function: None,
            line,
            source_place: None,
            kind: self,
        }
    }

    /// A breach of the grammar.
    pub(crate) fn syntax(expected: &'static str, found: &str) -> Self {
        const LONGEST: usize = 40;
        let mut shown: String = found.chars().take(LONGEST).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        Self::Syntax {
            expected,
            found: format!("`{shown}`"),
        }
    }
}

/// ``in `reduce`, ``, or nothing.
struct FunctionPrefix<'a>(Option<&'a str>);

impl fmt::Display for FunctionPrefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "in `{name}`, "),
            None => Ok(()),
        }
    }
}

/// ` (reduce.cu:48)`, or nothing.
struct SourceSuffix<'a>(Option<&'a str>);

impl fmt::Display for SourceSuffix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}
