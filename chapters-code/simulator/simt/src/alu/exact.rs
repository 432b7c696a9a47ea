//! Floating-point arithmetic in integers, for every rounding and every format.
//!
//! This module computes the forms for which a CPU has no instruction: directed roundings, which
//! would need a change of the CPU's rounding mode, and conversions between formats. An operation
//! computes its result exactly, or to more bits than any format holds with the lowest bit set if
//! anything lies below it ("sticky"). [`Format::encode`] then rounds once.

use ptx::ir::Round;

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
    /// The NaN that operations in this format produce.
    pub nan: u64,
}

/// IEEE 754 binary16.
pub const F16: Format = Format { fraction_bits: 10, exponent_bits: 5, nan: 0x7fff };
/// The upper half of a binary32.
pub const BF16: Format = Format { fraction_bits: 7, exponent_bits: 8, nan: 0x7fff };
/// IEEE 754 binary32.
pub const F32: Format = Format { fraction_bits: 23, exponent_bits: 8, nan: 0x7fff_ffff };
/// IEEE 754 binary64.
pub const F64: Format = Format { fraction_bits: 52, exponent_bits: 11, nan: 0xfff8_0000_0000_0000 };

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Any NaN.
    Nan,
    /// An infinity.
    Infinite {
        /// Minus infinity.
        negative: bool,
    },
    /// A finite number, including zeros.
    Finite(Finite),
}

/// `(-1)^negative × significand × 2^exponent`.
///
/// Invariant: the significand is below 2^127.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finite {
    /// The sign, which zeros have too.
    pub negative: bool,
    /// The weight of the significand's lowest bit.
    pub exponent: i32,
    /// The significand, which is zero for a zero.
    pub significand: u128,
}

impl Finite {
    /// Whether the magnitude is above `2^exponent`.
    pub fn is_above(self, exponent: i32) -> bool {
        let top = 127 - self.significand.leading_zeros() as i32;
        let order = (self.exponent + top).cmp(&exponent);
        self.significand != 0
            && (order.is_gt() || order.is_eq() && !self.significand.is_power_of_two())
    }
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns the exponent of the lowest bit of a subnormal.
    fn min_exponent(self) -> i32 {
        1 - self.bias() - self.fraction_bits as i32
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.fraction_bits + self.exponent_bits)
    }

    /// Returns the NaN with the sign and the upper bits of an `f64` NaN, quieted.
    pub fn narrow_nan(self, bits: u64) -> u64 {
        let quiet = bits | 1 << 51;
        self.sign(bits >> 63 != 0) | self.infinity() | (quiet << 12) >> (64 - self.fraction_bits)
    }

    /// Returns the number that `bits` encode.
    pub fn decode(self, bits: u64) -> Value {
        let negative = bits & self.sign(true) != 0;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let biased = (bits & self.infinity()) >> self.fraction_bits;
        if bits & self.infinity() == self.infinity() {
            return if fraction == 0 { Value::Infinite { negative } } else { Value::Nan };
        }
        let hidden = u64::from(biased != 0) << self.fraction_bits;
        Value::Finite(Finite {
            negative,
            exponent: self.min_exponent() + (biased.max(1) - 1) as i32,
            significand: u128::from(fraction | hidden),
        })
    }

    /// Rounds to the nearest number in the direction of `round`.
    pub fn encode(self, value: Value, round: Round) -> u64 {
        match value {
            Value::Nan => self.nan,
            Value::Infinite { negative } => self.sign(negative) | self.infinity(),
            Value::Finite(x) => self.sign(x.negative) | self.encode_magnitude(x, round),
        }
    }

    /// Rounds like [`Self::encode`], but flushes a result below the smallest normal number to a
    /// zero of its sign. The comparison uses the result rounded to the format's precision with an
    /// unbounded exponent.
    pub fn encode_flushing(self, value: Value, round: Round) -> u64 {
        match value {
            Value::Finite(x) if self.is_tiny(x, round) => self.sign(x.negative),
            _ => self.encode(value, round),
        }
    }

    fn is_tiny(self, x: Finite, round: Round) -> bool {
        let top = 127 - x.significand.leading_zeros() as i32;
        let lowest = x.exponent + top - self.fraction_bits as i32;
        let rounded = round_shift(x.significand, lowest - x.exponent, round, x.negative);
        let carried = rounded >> (self.fraction_bits + 1) != 0;
        x.significand != 0 && lowest + i32::from(carried) < self.min_exponent()
    }

    fn encode_magnitude(self, x: Finite, round: Round) -> u64 {
        if x.significand == 0 {
            return 0;
        }
        let top = 127 - x.significand.leading_zeros() as i32;
        let lowest = (x.exponent + top - self.fraction_bits as i32).max(self.min_exponent());
        let rounded = round_shift(x.significand, lowest - x.exponent, round, x.negative) as u64;
        let above = lowest - self.min_exponent();
        // The hidden bit, if there is one, and a carry out of the fraction both add to the
        // exponent.
        if above < 1 << self.exponent_bits {
            let magnitude = ((above as u64) << self.fraction_bits).saturating_add(rounded);
            if magnitude < self.infinity() {
                return magnitude;
            }
        }
        self.infinity() - u64::from(!away_from_zero(round, x.negative))
    }
}

/// Whether `round` rounds a value beyond the largest number to infinity.
fn away_from_zero(round: Round, negative: bool) -> bool {
    match round {
        Round::NearestEven | Round::None => true,
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
    }
}

/// Computes `significand / 2^shift` (or times `2^-shift`, for a negative `shift`), rounded to an
/// integer.
fn round_shift(significand: u128, shift: i32, round: Round, negative: bool) -> u128 {
    if shift <= 0 {
        return significand << -shift;
    }
    let (significand, shift) = if shift < 128 { (significand, shift) } else { (1, 2) };
    let rounded = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = match round {
        Round::NearestEven | Round::None => rest > half || (rest == half && rounded & 1 == 1),
        Round::Zero => false,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
    };
    rounded + u128::from(up)
}

/// An operation on `N` operands. It uses the rounding only for the sign of a zero;
/// [`Format::encode`] does the rest.
pub type Exactly<const N: usize> = fn([Value; N], Round) -> Value;

/// Computes `a + b`.
pub fn add([a, b]: [Value; 2], round: Round) -> Value {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite { negative: x }, Value::Infinite { negative: y }) if x != y => Value::Nan,
        (Value::Infinite { .. }, _) => a,
        (_, Value::Infinite { .. }) => b,
        (Value::Finite(x), Value::Finite(y)) => Value::Finite(add_finite(x, y, round)),
    }
}

/// Computes `a - b`.
pub fn sub([a, b]: [Value; 2], round: Round) -> Value {
    let minus_b = match b {
        Value::Nan => b,
        Value::Infinite { negative } => Value::Infinite { negative: !negative },
        Value::Finite(x) => Value::Finite(Finite { negative: !x.negative, ..x }),
    };
    add([a, minus_b], round)
}

fn add_finite(x: Finite, y: Finite, round: Round) -> Finite {
    let zero = Finite { negative: round == Round::Down, exponent: 0, significand: 0 };
    match (x.significand, y.significand) {
        (0, 0) if x.negative == y.negative => return x,
        (0, 0) => return zero,
        (0, _) => return y,
        (_, 0) => return x,
        _ => {}
    }
    let (x, y) = (normalize(x), normalize(y));
    let (large, small) =
        if (x.exponent, x.significand) >= (y.exponent, y.significand) { (x, y) } else { (y, x) };
    let addend = shift_sticky(small.significand, large.exponent - small.exponent);
    if x.negative == y.negative {
        return Finite { significand: large.significand + addend, ..large };
    }
    match large.significand - addend {
        0 => zero,
        significand => Finite { significand, ..large },
    }
}

/// Returns the same number with its highest bit at 125. That leaves room for a carry above it and,
/// as an operand has at most 106 bits, for guard bits below.
fn normalize(x: Finite) -> Finite {
    let shift = x.significand.leading_zeros() as i32 - 2;
    Finite { exponent: x.exponent - shift, significand: x.significand << shift, ..x }
}

fn shift_sticky(significand: u128, shift: i32) -> u128 {
    if shift > 127 {
        return 1;
    }
    let lost = significand & ((1 << shift) - 1);
    (significand >> shift) | u128::from(lost != 0)
}

/// Computes `a × b`.
pub fn mul([a, b]: [Value; 2], _: Round) -> Value {
    let (Some(x), Some(y)) = (sign_and_size(a), sign_and_size(b)) else {
        return Value::Nan;
    };
    let negative = x.0 != y.0;
    match (x.1, y.1) {
        (Size::Infinite, Size::Zero) | (Size::Zero, Size::Infinite) => Value::Nan,
        (Size::Infinite, _) | (_, Size::Infinite) => Value::Infinite { negative },
        (Size::Zero | Size::Other(..), Size::Zero | Size::Other(..)) => {
            let ((m, e), (n, f)) = (x.1.parts(), y.1.parts());
            Value::Finite(Finite { negative, exponent: e + f, significand: m * n })
        }
    }
}

/// Computes `a × b + c`.
pub fn fma([a, b, c]: [Value; 3], round: Round) -> Value {
    add([mul([a, b], round), c], round)
}

/// Computes `a / b`.
pub fn div([a, b]: [Value; 2], _: Round) -> Value {
    let (Some(x), Some(y)) = (sign_and_size(a), sign_and_size(b)) else {
        return Value::Nan;
    };
    let negative = x.0 != y.0;
    match (x.1, y.1) {
        (Size::Infinite, Size::Infinite) | (Size::Zero, Size::Zero) => Value::Nan,
        (Size::Infinite, _) | (_, Size::Zero) => Value::Infinite { negative },
        (Size::Zero, _) | (_, Size::Infinite) => {
            Value::Finite(Finite { negative, exponent: 0, significand: 0 })
        }
        (Size::Other(m, e), Size::Other(n, f)) => {
            let dividend = normalize(Finite { negative, exponent: e, significand: m });
            let sticky = u128::from(!dividend.significand.is_multiple_of(n));
            let significand = (dividend.significand / n) | sticky;
            Value::Finite(Finite { negative, exponent: dividend.exponent - f, significand })
        }
    }
}

/// Computes `1 / a`.
pub fn rcp([a]: [Value; 1], round: Round) -> Value {
    div([integer(false, 1), a], round)
}

/// Computes the square root of `a`.
pub fn sqrt([a]: [Value; 1], _: Round) -> Value {
    let Value::Finite(x) = a else {
        return if a == (Value::Infinite { negative: false }) { a } else { Value::Nan };
    };
    if x.significand == 0 {
        return a;
    }
    if x.negative {
        return Value::Nan;
    }
    let mut x = normalize(x);
    if x.exponent % 2 != 0 {
        x = Finite { exponent: x.exponent + 1, significand: x.significand >> 1, ..x };
    }
    let root = x.significand.isqrt();
    let sticky = u128::from(root * root != x.significand);
    Value::Finite(Finite { negative: false, exponent: x.exponent / 2, significand: root | sticky })
}

/// Returns an integer as a value.
pub fn integer(negative: bool, magnitude: u64) -> Value {
    Value::Finite(Finite { negative, exponent: 0, significand: u128::from(magnitude) })
}

#[derive(Clone, Copy)]
enum Size {
    Zero,
    Infinite,
    /// Any other finite number: its significand and exponent.
    Other(u128, i32),
}

impl Size {
    fn parts(&self) -> (u128, i32) {
        match *self {
            Size::Zero | Size::Infinite => (0, 0),
            Size::Other(significand, exponent) => (significand, exponent),
        }
    }
}

/// Returns the sign and the magnitude, or `None` for a NaN.
fn sign_and_size(a: Value) -> Option<(bool, Size)> {
    match a {
        Value::Nan => None,
        Value::Infinite { negative } => Some((negative, Size::Infinite)),
        Value::Finite(x) if x.significand == 0 => Some((x.negative, Size::Zero)),
        Value::Finite(x) => Some((x.negative, Size::Other(x.significand, x.exponent))),
    }
}
