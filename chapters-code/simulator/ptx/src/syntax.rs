//! The syntax tree of a PTX module. It borrows every name from the text and resolves none.

use crate::error::ErrorKind;

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    pub version: (u32, u32),
    pub target: u32,
    /// `.file` directives: number and path.
    pub files: Vec<(u32, &'a str)>,
    /// Variables at module level, in every state space.
    pub variables: Vec<Variable<'a>>,
    pub functions: Vec<Function<'a>>,
}

/// The state space in which a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// A fundamental type, by its name in PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Pred,
    B8,
    U8,
    S8,
    B16,
    U16,
    S16,
    B32,
    U32,
    S32,
    B64,
    U64,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    U16x2,
    S16x2,
    F32,
    F64,
}

impl Type {
    /// Returns the type that a modifier such as `u32` names.
    pub fn named(name: &str) -> Option<Self> {
        const NAMES: [(&str, Type); 21] = [
            ("pred", Type::Pred),
            ("b8", Type::B8),
            ("u8", Type::U8),
            ("s8", Type::S8),
            ("b16", Type::B16),
            ("u16", Type::U16),
            ("s16", Type::S16),
            ("b32", Type::B32),
            ("u32", Type::U32),
            ("s32", Type::S32),
            ("b64", Type::B64),
            ("u64", Type::U64),
            ("s64", Type::S64),
            ("f16", Type::F16),
            ("f16x2", Type::F16x2),
            ("bf16", Type::Bf16),
            ("bf16x2", Type::Bf16x2),
            ("u16x2", Type::U16x2),
            ("s16x2", Type::S16x2),
            ("f32", Type::F32),
            ("f64", Type::F64),
        ];
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, ty)| ty)
    }

    /// Returns the bytes of a value; 0 for a predicate.
    pub fn bytes(self) -> u32 {
        match self {
            Type::Pred => 0,
            Type::B8 | Type::U8 | Type::S8 => 1,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 2,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 => 4,
            Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 => 4,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => 8,
        }
    }

    /// Whether it is a `.sN` type.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S16x2 | Type::S32 | Type::S64)
    }
}

/// A variable, or a parameter.
#[derive(Debug)]
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    pub space: VariableSpace,
    pub ty: Type,
    /// The size in bytes; `None` for `[]`, whose size is defined elsewhere.
    pub bytes: Option<u64>,
    pub align: u32,
    pub init: Vec<Initialiser<'a>>,
    /// `.extern`: declared here, defined elsewhere.
    pub is_extern: bool,
    /// Why it is outside the dialect, if it is. Its type and contents are then undefined.
    pub unsupported: Option<ErrorKind>,
    pub line: u32,
}

/// One element of an initialiser.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Initialiser<'a> {
    Value(Immediate),
    /// The address `name+addend` or `generic(name)+addend`.
    Address {
        name: &'a str,
        addend: i64,
        generic: bool,
    },
}

/// An `.entry` or `.func`.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub is_entry: bool,
    pub returns: Vec<Variable<'a>>,
    pub params: Vec<Variable<'a>>,
    /// The body; `None` for a declaration.
    pub body: Option<Block<'a>>,
    pub max_threads: Option<u32>,
    pub min_blocks: Option<u32>,
    /// The directives about clusters.
    pub clusters: crate::ir::Clusters,
    pub line: u32,
}

/// A scope between braces.
#[derive(Debug, Default)]
pub(crate) struct Block<'a> {
    pub statements: Vec<Statement<'a>>,
}

/// A statement of a function's body.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label {
        name: &'a str,
        line: u32,
    },
    Registers(Registers<'a>),
    Variable(Variable<'a>),
    Location(Location),
    /// The table `name: .branchtargets a, b;`.
    BranchTargets {
        name: &'a str,
        targets: Vec<&'a str>,
    },
    Instruction(Instruction<'a>),
    Block(Block<'a>),
    /// A statement or directive outside the dialect: a function that contains it is refused.
    Unsupported {
        kind: ErrorKind,
        line: u32,
    },
}

/// `.reg`: `%r<8>`, or a single register.
#[derive(Debug)]
pub(crate) struct Registers<'a> {
    pub ty: Type,
    pub name: &'a str,
    /// The count of `<N>`, which declares `name0` to `nameN-1`.
    pub count: Option<u32>,
    pub line: u32,
}

/// `.loc`: the source location of the instructions that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub place: Place,
    /// `inlined_at`: the location of the call of the inlined function that contains `place`.
    pub inlined_at: Option<Place>,
}

/// A location in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Number of a `.file`.
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// An instruction.
#[derive(Debug)]
pub(crate) struct Instruction<'a> {
    /// The guard's predicate, and whether it is negated (`@!p`).
    pub guard: Option<(&'a str, bool)>,
    /// Opcode with its modifiers, as written.
    pub opcode: &'a str,
    /// Opcode without its modifiers.
    pub base: &'a str,
    /// The modifiers, without their dots.
    pub modifiers: Vec<&'a str>,
    pub operands: Vec<Operand<'a>>,
    pub line: u32,
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) enum Operand<'a> {
    /// A register, a variable, a label, or `_`.
    Name(&'a str),
    /// `!p`
    Not(&'a str),
    /// `name.x`, usually of a special register.
    Component(&'a str, &'a str),
    Immediate(Immediate),
    /// `name+addend`
    Offset(&'a str, i64),
    /// `d|p`
    Pair(&'a str, &'a str),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `[base+offset]`
    Address {
        base: Option<&'a str>,
        offset: i64,
    },
    /// `(a, b)`, the parameters of a call.
    List(Vec<&'a str>),
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Immediate {
    /// An integer in two's complement.
    Integer(u64),
    /// The bits of `0f…`.
    F32(u32),
    /// The bits of `0d…`, or of a decimal fraction.
    F64(u64),
}
