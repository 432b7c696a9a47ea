//! Operands: the corners of each kind in all pairs, then random ones.

use anyhow::{Result, bail};

use super::random::Random;

/// What an operand is, which decides where its corners are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The kind of this name.
    pub(super) fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "int" => Self::Int,
            "few" => Self::Few,
            "shift" => Self::Shift,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => bail!("no kind of operand is called `{name}`"),
        })
    }

    /// Values at which something happens.
    fn corners(self) -> Vec<u64> {
        match self {
            Self::Int => INTEGERS.to_vec(),
            Self::Few => vec![0, 1, 2, 1 << 32, 1 << 32 | 1],
            Self::Shift => (0..=70).chain(SHIFTS).collect(),
            Self::F16 => four(&HALVES),
            Self::Bf16 => four(&BRAINS),
            Self::F32 => FLOATS.iter().map(|&x| x.into()).collect(),
            Self::F64 => DOUBLES.to_vec(),
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
fn four(values: &[u16]) -> Vec<u64> {
    let at = |index: usize| u64::from(values[index % values.len()]);
    (0..values.len())
        .map(|n| at(n) | at(n * 5 + 1) << 16 | at(n * 3 + 2) << 32 | at(n * 7 + 3) << 48)
        .collect()
}

impl Random {
    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}

/// Extremes of every width, sign-extended and not.
const INTEGERS: [u64; 40] = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7f_ffff,
    0x80_0000,
    0xff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_8000,
    0xffff_ffff_ffff_ff80,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
    0xaaaa_5555_aaaa_5555,
    0x0123_4567_89ab_cdef,
];

const SHIFTS: [u64; 11] =
    [127, 128, 255, 256, 0x100, 0x0804, 0x2010, 0x4020, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// Zeros, subnormals, the smallest normal, about one, halves, the largest, infinities, NaNs.
const HALVES: [u16; 36] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x1000, 0x1400,
    0x3555, 0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00, 0x4000, 0x4100, 0xc248, 0x57f8,
    0x5bf8, 0x63ff, 0x6400, 0x77ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x7fff,
];

const BRAINS: [u16; 34] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x2f80, 0x3eaa,
    0x3f00, 0xbf00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0, 0x4000, 0x4020, 0xc2f6, 0x437f, 0x4b00,
    0x4f00, 0xcf00, 0x5f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xff81, 0x7fff,
];

/// Likewise; and the bounds of the integer types and of `f16` and `bf16`, and pairs whose product
/// lies within half a unit below the smallest normal number.
const FLOATS: [u32; 62] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x0080_0400,
    0x8080_0400,
    0x3f7f_f800,
    0x0080_0800,
    0x3f7f_f000,
    0x0100_0000,
    0x3300_0000,
    0x3300_0001,
    0x3380_0000,
    0x387f_f000,
    0x3880_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0xbf80_0000,
    0x3fc0_0000,
    0x4000_0000,
    0x4020_0000,
    0x4040_0000,
    0x4049_0fdb,
    0xc2f6_e979,
    0x42fd_0000,
    0x437f_0000,
    0x437f_8000,
    0xc300_8000,
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0x477f_ff00,
    0x4b00_0001,
    0x4b7f_ffff,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5eff_ffff,
    0x5f00_0000,
    0xdf00_0000,
    0x5f80_0000,
    0x7f7f_7fff,
    0x7f7f_8000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
];

/// Likewise; and the bounds of the integer types and of the narrower formats.
const DOUBLES: [u64; 48] = [
    0,
    1 << 63,
    1,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0001,
    0x3690_0000_0000_0000,
    0x3690_0000_0000_0001,
    0x36a0_0000_0000_0000,
    0x3800_0000_0000_0000,
    0x380f_ffff_f000_0000,
    0x3810_0000_0000_0000,
    0x3ca0_0000_0000_0000,
    0x3e60_0000_0000_0000,
    0x3e70_0000_0000_0000,
    0x3f10_0000_0000_0000,
    0x3fd5_5555_5555_5555,
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0xbff0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x4009_21fb_5444_2d18,
    0xc05e_dd2f_1a9f_be77,
    0x406f_f000_0000_0000,
    0x40ef_fe00_0000_0000,
    0x41df_ffff_ffc0_0000,
    0xc1e0_0000_0000_0000,
    0x41ef_ffff_ffe0_0000,
    0x4330_0000_0000_0001,
    0x43e0_0000_0000_0000,
    0xc3e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0123,
    0x7ff8_1234_5678_9abc,
    0x7ff0_0000_0000_0001,
    0xffff_ffff_ffff_ffff,
];
