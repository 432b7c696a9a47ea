//! Integer expressions of C++, evaluated on samples.

use std::ops::Range;

use super::cpp::Source;
use super::tokens::{integer_word, is_name};
use super::values::{Operator, Type, Values, apply, constant, unknown};

/// Functions that are followed into one another.
const DEEPEST: usize = 4;

/// A typed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The type.
    pub dtype: Type,
    /// The values on the samples.
    pub values: Values,
}

impl Value {
    /// The value in another type.
    pub fn converted(self, dtype: Type) -> Self {
        Self { dtype, values: self.dtype.converted(&self.values, dtype) }
    }

    /// The value as an operator takes it.
    fn promoted(self) -> Self {
        if self.dtype.bits < 32 { self.converted(Type::INT) } else { self }
    }
}

/// What gives names their values.
pub trait Lookup {
    /// The value of a name that stands at an index.
    fn name(&self, name: &str, at: usize) -> Option<Value>;
    /// The value of a function without arguments.
    fn call(&self, name: &str, depth: usize) -> Option<Value>;
}

/// Evaluates tokens of a source; none if they are no integer expression that is understood.
pub fn evaluate(
    source: &Source<'_>,
    range: Range<usize>,
    lookup: &dyn Lookup,
    depth: usize,
) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let mut parser = Parser { source, at: range.start, end: range.end, lookup, depth };
    let value = parser.binary(0)?;
    (parser.at == range.end).then_some(value)
}

struct Parser<'p, 'a> {
    source: &'p Source<'a>,
    at: usize,
    end: usize,
    lookup: &'p dyn Lookup,
    depth: usize,
}

impl<'a> Parser<'_, 'a> {
    fn text(&self, offset: usize) -> &'a str {
        let at = self.at + offset;
        if at < self.end { self.source.text(at) } else { "" }
    }

    /// Takes a token if it is this one.
    fn takes(&mut self, text: &str) -> bool {
        let is_it = self.text(0) == text;
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.takes(text).then_some(())
    }

    fn binary(&mut self, least: u32) -> Option<Value> {
        let mut left = self.unary()?;
        while let Some((precedence, operator)) = operator(self.text(0)).filter(|one| one.0 >= least)
        {
            self.at += 1;
            left = combined(operator, left, self.binary(precedence + 1)?);
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        if self.takes("-") {
            let value = self.unary()?.promoted();
            let values = apply(Operator::Sub, value.dtype, &constant(0), &value.values);
            return Some(Value { values, ..value });
        }
        if self.takes("~") {
            let value = self.unary()?.promoted();
            return Some(Value {
                values: value.values.map(|bits| value.dtype.masked(!bits)),
                ..value
            });
        }
        let (dtype, behind) = self.source.dtype(self.at + 1);
        if self.text(0) == "(" && behind > self.at + 1 && self.source.text(behind) == ")" {
            self.at = behind + 1;
            return Some(self.unary()?.converted(dtype?));
        }
        let value = self.primary()?;
        (!matches!(self.text(0), "[" | "." | "->" | "(" | "++" | "--")).then_some(value)
    }

    fn primary(&mut self) -> Option<Value> {
        if self.takes("(") {
            let value = self.binary(0)?;
            return self.expect(")").map(|()| value);
        }
        let (text, at) = (self.text(0), self.at);
        if text.starts_with(|letter: char| letter.is_ascii_digit()) {
            self.at += 1;
            return literal(text);
        }
        if integer_word(text) {
            let (dtype, behind) = self.source.dtype(self.at);
            self.at = behind;
            return self.bracketed().map(|value| value.converted(dtype.unwrap_or(Type::INT)));
        }
        if !is_name(text) {
            return None;
        }
        self.at += 1;
        if let Some(register) = special(text) {
            self.expect(".")?;
            let axis = self.text(0);
            self.at += 1;
            let name = format!("%{register}.{axis}");
            return matches!(axis, "x" | "y" | "z")
                .then(|| Value { dtype: Type::UNSIGNED, values: unknown(&name, 32) });
        }
        match text {
            "__popc" | "__popcll" => self.counted(u64::count_ones),
            "__clz" => self.counted(|bits| (bits as u32).leading_zeros()),
            _ => self.named(text, at),
        }
    }

    fn named(&mut self, name: &str, at: usize) -> Option<Value> {
        let arguments = match self.text(0) {
            "<" => self.source.angle_end(self.at).filter(|&end| self.source.text(end) == "("),
            _ => Some(self.at),
        };
        let is_call = arguments.is_some_and(|at| self.source.text(at) == "(" && at < self.end);
        if !is_call {
            return self.lookup.name(name, at);
        }
        self.at = arguments?;
        self.expect("(")?;
        self.expect(")")?;
        self.lookup.call(name, self.depth + 1)
    }

    fn bracketed(&mut self) -> Option<Value> {
        self.expect("(")?;
        let value = self.binary(0)?;
        self.expect(")").map(|()| value)
    }

    fn counted(&mut self, count: fn(u64) -> u32) -> Option<Value> {
        let value = self.bracketed()?;
        Some(Value { dtype: Type::INT, values: value.values.map(|bits| count(bits).into()) })
    }
}

fn special(name: &str) -> Option<&'static str> {
    Some(match name {
        "threadIdx" => "tid",
        "blockIdx" => "ctaid",
        "blockDim" => "ntid",
        "gridDim" => "nctaid",
        _ => return None,
    })
}

/// Both in the type in which C++ combines them.
fn common(a: Value, b: Value) -> (Value, Value) {
    let (a, b) = (a.promoted(), b.promoted());
    let bits = a.dtype.bits.max(b.dtype.bits);
    let is_unsigned = |value: &Value| value.dtype.bits == bits && !value.dtype.is_signed;
    let dtype = Type { bits, is_signed: !(is_unsigned(&a) || is_unsigned(&b)) };
    (a.converted(dtype), b.converted(dtype))
}

/// An operation as C++ does it.
pub fn combined(operator: Operator, a: Value, b: Value) -> Value {
    if matches!(operator, Operator::Shl | Operator::Shr) {
        let (a, b) = (a.promoted(), b.promoted());
        let by = b.converted(Type { is_signed: false, ..a.dtype });
        return Value { values: apply(operator, a.dtype, &a.values, &by.values), ..a };
    }
    let (a, b) = common(a, b);
    let values = apply(operator, a.dtype, &a.values, &b.values);
    Value { values, ..a }
}

/// The operator that a token is, with its precedence, higher where it binds more tightly.
fn operator(token: &str) -> Option<(u32, Operator)> {
    assigning(token).map(|operator| (precedence(operator), operator))
}

/// The operator that stands before `=` in an assignment.
pub fn assigning(token: &str) -> Option<Operator> {
    Some(match token {
        "+" | "++" => Operator::Add,
        "-" | "--" => Operator::Sub,
        "*" => Operator::Mul,
        "/" => Operator::Div,
        "%" => Operator::Rem,
        "&" => Operator::And,
        "|" => Operator::Or,
        "^" => Operator::Xor,
        "<<" => Operator::Shl,
        ">>" => Operator::Shr,
        _ => return None,
    })
}

fn precedence(operator: Operator) -> u32 {
    match operator {
        Operator::Or => 0,
        Operator::Xor => 1,
        Operator::And => 2,
        Operator::Shl | Operator::Shr => 3,
        Operator::Add | Operator::Sub => 4,
        Operator::Mul | Operator::Div | Operator::Rem => 5,
    }
}

/// The value of a number as a source writes it; none for an octal one.
fn literal(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse().ok()?,
    };
    let fits =
        number <= i32::MAX as u64 || digits.starts_with("0x") && number <= u64::from(u32::MAX);
    let bits = if suffix.contains('l') || !fits { 64 } else { 32 };
    let is_signed = !suffix.contains('u') && number >> (bits - 1) == 0;
    Some(Value { dtype: Type { bits, is_signed }, values: constant(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Lookup for Known {
        fn name(&self, name: &str, _: usize) -> Option<Value> {
            (name == "ROWS").then(|| Value { dtype: Type::UNSIGNED, values: constant(8) })
        }

        fn call(&self, name: &str, _: usize) -> Option<Value> {
            (name == "lane_id").then(|| Value { dtype: Type::UNSIGNED, values: constant(5) })
        }
    }

    fn of(text: &str) -> Option<Value> {
        let source = Source::of(text);
        evaluate(&source, 0..source.tokens.len(), &Known, 0)
    }

    #[test]
    fn expressions_are_those_of_cpp() {
        for (text, number) in [
            ("2 + 3 * ROWS", 26),
            ("(2 + 3) * ROWS % 7", 5),
            ("1 << 2 + 1", 8),
            ("-1 / 2", 0),
            ("-1 / 2u", u64::from(u32::MAX) / 2),
            ("size_t(ROWS) * 0x10", 128),
            ("(long long)ROWS - 9", u64::MAX),
            ("ROWS - 9", u64::from(u32::MAX)),
            ("lane_id() ^ 1", 4),
            ("~0u >> 31", 1),
            ("__popc(255)", 8),
            ("__clz(1u)", 31),
        ] {
            assert_eq!(of(text).map(|value| value.values), Some(constant(number)), "{text}");
        }
        assert_eq!(of("threadIdx.x / 32").map(|value| value.dtype), Some(Type::UNSIGNED));
    }

    #[test]
    fn what_is_not_understood_has_no_value() {
        for text in [
            "",
            "ROWS < 9",
            "ROWS == 8 ? 3 : 4",
            "first<u32>() + 1",
            "x",
            "in[3]",
            "a.b",
            "1 +",
            "f(2)",
            "1.5f",
            "threadIdx.w",
            "(1",
            "ROWS[2]",
            "1 2",
            "010",
            "0b10",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
