//! Literals and constant expressions.

use super::{Parsed, Parser};
use crate::error::ErrorKind;
use crate::lexer::Kind;
use crate::syntax::Immediate;

/// Computes a binary operator, or returns `None` for a division by zero.
type Apply = fn(i64, i64) -> Option<i64>;

/// Binary operators with their precedence; a higher one binds tighter.
const OPERATORS: [(&str, u8, Apply); 10] = [
    ("|", 1, |a, b| Some(a | b)),
    ("^", 2, |a, b| Some(a ^ b)),
    ("&", 3, |a, b| Some(a & b)),
    ("<<", 4, |a, b| Some(a.wrapping_shl(b as u32))),
    (">>", 4, |a, b| Some(a.wrapping_shr(b as u32))),
    ("+", 5, |a, b| Some(a.wrapping_add(b))),
    ("-", 5, |a, b| Some(a.wrapping_sub(b))),
    ("*", 6, |a, b| Some(a.wrapping_mul(b))),
    ("/", 6, i64::checked_div),
    ("%", 6, i64::checked_rem),
];

impl Parser<'_, '_> {
    /// Parses a constant: a floating-point literal, or an integer expression.
    pub(super) fn immediate(&mut self) -> Parsed<Immediate> {
        let negated = self.peek().kind == Kind::Symbol('-');
        let literal = if negated { self.peek_second() } else { self.peek() };
        let Some(value) = float_literal(literal.kind, literal.text) else {
            return Ok(Immediate::Integer(self.integer()? as u64));
        };
        self.at += 1 + usize::from(negated);
        Ok(match (value, negated) {
            (Immediate::F32(bits), true) => Immediate::F32(bits ^ 1 << 31),
            (Immediate::F64(bits), true) => Immediate::F64(bits ^ 1 << 63),
            (value, _) => value,
        })
    }

    /// Parses an integer expression.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        self.binary(0)
    }

    /// Parses an integer expression that must be a count.
    pub(super) fn count(&mut self, expected: &'static str) -> Parsed<u32> {
        let here = self.peek();
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| ErrorKind::syntax(expected, here.text))
    }

    fn binary(&mut self, weakest: u8) -> Parsed<i64> {
        let mut left = self.unary()?;
        while let Some((length, precedence, apply)) = self.operator() {
            if precedence <= weakest {
                break;
            }
            self.at += length;
            let right = self.nested(|parser| parser.binary(precedence))?;
            left = match apply(left, right) {
                Some(value) => value,
                None => return self.expected("a divisor other than zero before"),
            };
        }
        Ok(left)
    }

    /// Returns the operator at the cursor, with its length in tokens.
    fn operator(&self) -> Option<(usize, u8, Apply)> {
        let Kind::Symbol(first) = self.peek().kind else {
            return None;
        };
        let doubled = matches!(first, '<' | '>') && self.peek_second().kind == self.peek().kind;
        let length = 1 + usize::from(doubled);
        let found =
            OPERATORS.iter().find(|(name, ..)| name.len() == length && name.starts_with(first))?;
        Some((length, found.1, found.2))
    }

    fn unary(&mut self) -> Parsed<i64> {
        let token = self.peek();
        match token.kind {
            Kind::Symbol(sign @ ('-' | '+' | '~' | '!')) => {
                self.advance();
                let value = self.nested(Self::unary)?;
                Ok(match sign {
                    '-' => value.wrapping_neg(),
                    '~' => !value,
                    '!' => i64::from(value == 0),
                    _ => value,
                })
            }
            Kind::Symbol('(') => {
                self.advance();
                let value = self.nested(Self::integer)?;
                self.expect(')', "`)`")?;
                Ok(value)
            }
            Kind::Word if token.text == "WARP_SZ" => {
                self.advance();
                Ok(32)
            }
            Kind::Number => match integer_literal(token.text) {
                Some(value) => {
                    self.advance();
                    Ok(value as i64)
                }
                None => self.expected("an integer"),
            },
            _ => self.expected("a constant"),
        }
    }
}

/// Parses `0f3F800000`, `0d3FF0000000000000`, or a decimal fraction, which is an `f64`.
fn float_literal(kind: Kind, text: &str) -> Option<Immediate> {
    if kind != Kind::Number {
        return None;
    }
    match text.get(..2) {
        Some("0f" | "0F") if text.len() == 10 => {
            u32::from_str_radix(&text[2..], 16).ok().map(Immediate::F32)
        }
        Some("0d" | "0D") if text.len() == 18 => {
            u64::from_str_radix(&text[2..], 16).ok().map(Immediate::F64)
        }
        _ if text.contains('.') => {
            text.parse().ok().map(|value: f64| Immediate::F64(value.to_bits()))
        }
        _ => None,
    }
}

/// Parses a decimal, hexadecimal, octal or binary literal, with or without PTX's suffix `U`.
fn integer_literal(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        Some(_) if text.starts_with('0') => (8, &text[1..]),
        _ => (10, text),
    };
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_every_radix() {
        for (text, value) in [
            ("0", Some(0)),
            ("42", Some(42)),
            ("42U", Some(42)),
            ("0x2a", Some(42)),
            ("0X2AU", Some(42)),
            ("052", Some(42)),
            ("0b101010", Some(42)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("0xg", None),
            ("12a", None),
            ("08", None),
        ] {
            assert_eq!(integer_literal(text), value, "{text}");
        }
    }

    #[test]
    fn floats_by_their_bits() {
        let check = |text, value| assert_eq!(float_literal(Kind::Number, text), value, "{text}");
        check("0f3F800000", Some(Immediate::F32(0x3f80_0000)));
        check("0d3FF0000000000000", Some(Immediate::F64(1f64.to_bits())));
        check("1.5", Some(Immediate::F64(1.5f64.to_bits())));
        check("0f3F8", None);
        check("15", None);
    }
}
