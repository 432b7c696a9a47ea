//! The value of an expression.

use super::tokens::{Dimension, Token};

/// A value in bytes and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) value: f64,
    pub(super) dimension: Dimension,
}

/// What division leaves of a whole number.
const ROUNDING: f64 = 1e-9;

/// The value of the longest expression that `tokens` begin with, and how many of them it takes.
pub(super) fn longest(tokens: &[(usize, Token)]) -> Option<(Value, usize)> {
    let mut parser = Parser { tokens, at: 0 };
    let value = parser.sum()?;
    Some((value, parser.at))
}

struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).map(|(_, token)| *token)
    }

    fn take(&mut self, signs: &[char]) -> Option<char> {
        let found = match self.peek()? {
            Token::Sign(sign) if signs.contains(&sign) => sign,
            _ => return None,
        };
        self.at += 1;
        Some(found)
    }

    fn sum(&mut self) -> Option<Value> {
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let right = self.product()?;
            left.value += if sign == '+' { right.value } else { -right.value };
            if left.dimension == [0, 0] {
                left.dimension = right.dimension;
            }
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Value> {
        let mut left = self.power()?;
        loop {
            let sign = match self.take(&['*', '/', '%']) {
                Some(sign) => sign,
                None if matches!(self.peek(), Some(Token::Open(_) | Token::Sign('f'))) => '*',
                None => return Some(left),
            };
            left = combined(left, sign, self.power()?);
        }
    }

    fn power(&mut self) -> Option<Value> {
        let base = self.operand()?;
        match self.take(&['^']) {
            None => Some(base),
            Some(_) => Some(Value { value: base.value.powf(self.operand()?.value), ..base }),
        }
    }

    fn operand(&mut self) -> Option<Value> {
        let token = self.peek()?;
        self.at += 1;
        match token {
            Token::Number(number) => {
                Some(Value { value: number.value, dimension: number.dimension })
            }
            Token::Sign('-') => self.power().map(|value| Value { value: -value.value, ..value }),
            Token::Sign('f') => Some(combined(self.operand()?, '/', self.operand()?)),
            Token::Open(kind) => {
                let inside = self.sum()?;
                let closed = self.peek()? == Token::Close;
                self.at += 1;
                closed.then(|| Value { value: rounded(inside.value, kind), ..inside })
            }
            _ => None,
        }
    }
}

fn rounded(value: f64, bracket: char) -> f64 {
    match bracket {
        '[' => (value + ROUNDING).floor(),
        '<' => (value - ROUNDING).ceil(),
        _ => value,
    }
}

fn combined(left: Value, sign: char, right: Value) -> Value {
    let power = |direction: i32| {
        [0, 1].map(|unit| left.dimension[unit] + direction * right.dimension[unit])
    };
    match sign {
        '*' => Value { value: left.value * right.value, dimension: power(1) },
        '/' => Value { value: left.value / right.value, dimension: power(-1) },
        _ => Value { value: left.value.rem_euclid(right.value), ..left },
    }
}
