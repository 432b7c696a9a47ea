//! Operands: the corners of each kind in all pairs, then random ones.

use clap::ValueEnum;

use super::random::Random;

/// The values at which something happens, a line `kind: values`.
const CORNERS: &str = include_str!("corners.txt");

/// What an operand is, which decides where its corners are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// An integer of 16, 32 or 64 bits.
    Int,
    /// An integer out of a handful.
    Few,
    /// A number of bits to shift by, or a position.
    Shift,
    /// Four `f16`.
    F16,
    /// Four `bf16`.
    Bf16,
    /// An `f32`.
    F32,
    /// An `f64`.
    F64,
}

/// The values of a row's operands; unused ones are random.
pub type Row = [u64; 4];

/// Rows of operands, the same on every device.
pub fn rows(kinds: &[Kind], count: usize) -> Vec<Row> {
    let mut random = Random(0x5eed);
    let corners = kinds.iter().map(|kind| kind.corners()).collect::<Vec<_>>();
    let sizes = corners.iter().map(Vec::len).collect::<Vec<_>>();
    let pairs: usize = sizes.iter().take(2).product();
    // A stride that shares no factor with the number of pairs visits them all, and the first few
    // rows see corners from everywhere.
    let stride = (617..).find(|&n| gcd(n, pairs) == 1).unwrap_or(1);
    (0..count)
        .map(|index| {
            let pair = index * stride % pairs;
            std::array::from_fn(|operand| match (corners.get(operand), operand) {
                (Some(values), 0) if index < pairs => values[pair % values.len()],
                (Some(values), 1) if index < pairs => values[pair / sizes[0]],
                (Some(values), _) if index < pairs => values[random.below(values.len())],
                (Some(values), _) => kinds[operand].near(values, &mut random),
                (None, _) => random.next(),
            })
        })
        .collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Kind {
    /// Values at which something happens.
    fn corners(self) -> Vec<u64> {
        let of_this_kind = |line: &'static str| {
            let (kind, values) = line.split_once(": ")?;
            (Self::from_str(kind, false) == Ok(self)).then(|| values.split_whitespace())
        };
        let values = CORNERS.lines().filter_map(of_this_kind).flatten();
        let values = values.map(|x| u64::from_str_radix(x, 16).expect("it is hexadecimal"));
        let values: Vec<u64> = values.collect();
        match self {
            Self::F16 | Self::Bf16 => four(&values),
            _ => values,
        }
    }

    /// A corner, something beside one, a number of ordinary size, or any bits.
    fn near(self, corners: &[u64], random: &mut Random) -> u64 {
        let corner = corners[random.below(corners.len())];
        match (self, random.below(4)) {
            (Self::Few, _) | (Self::Shift, 0 | 1) => corner,
            (_, 0) => corner ^ (random.next() % 8),
            (Self::F16, 1) => ordinary(16, 10, 15, random),
            (Self::Bf16, 1) => ordinary(16, 7, 127, random),
            (Self::F32, 1) => ordinary(32, 23, 127, random),
            (Self::F64, 1) => ordinary(64, 52, 1023, random),
            _ => random.next(),
        }
    }
}

/// As many floating-point numbers as 64 bits hold, with exponents about that of one.
fn ordinary(width: u32, fraction: u32, bias: u64, random: &mut Random) -> u64 {
    let spread = if bias > 15 { 24 } else { 8 };
    (0..64 / width).fold(0, |packed, slot| {
        let exponent = bias - spread / 2 + random.next() % spread;
        let sign = (random.next() & 1) << (width - 1);
        let bits = sign | exponent << fraction | (random.next() % (1 << fraction));
        packed | bits << (slot * width)
    })
}

/// Each value with three others above it.
fn four(values: &[u64]) -> Vec<u64> {
    let at = |index: usize| values[index % values.len()];
    (0..values.len())
        .map(|n| at(n) | at(n * 5 + 1) << 16 | at(n * 3 + 2) << 32 | at(n * 7 + 3) << 48)
        .collect()
}

impl Random {
    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}
