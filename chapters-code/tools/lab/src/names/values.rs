//! Values of an expression on samples: what it comes to for many choices of thread, block, parameters and loaded values.
//!
//! Two expressions that agree on all samples are taken for equal, however a compiler has rewritten the one into the
//! other. The samples of what a program may have in memory have all magnitudes, and both signs: a quotient by
//! such a number may be 0, and need not be. Operations that
//! choose, such as a minimum, are not followed: two of them could agree on all samples and differ elsewhere.

/// The bits of the numbers by which a program divides or shifts, and of a thread's index.
const SMALL: u32 = 10;

/// The number of samples.
pub const SAMPLES: usize = 64;

/// The value on each sample, without bits above those of its type.
pub type Values = [u64; SAMPLES];

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// The bits, 64 at most.
    pub bits: u32,
    /// Whether it is signed.
    pub is_signed: bool,
}

impl Type {
    /// `int`
    pub const INT: Self = Self { bits: 32, is_signed: true };
    /// `unsigned`
    pub const UNSIGNED: Self = Self { bits: 32, is_signed: false };
    /// `size_t`
    #[cfg(test)]
    pub const SIZE: Self = Self { bits: 64, is_signed: false };

    /// The low bits of a number.
    pub fn masked(self, number: u64) -> u64 {
        if self.bits >= 64 { number } else { number & ((1 << self.bits) - 1) }
    }

    /// The number that these bits stand for, in 64 bits.
    pub fn extended(self, bits: u64) -> u64 {
        let shift = 64 - self.bits.min(64);
        match self.is_signed {
            true => (((bits << shift) as i64) >> shift) as u64,
            false => self.masked(bits),
        }
    }

    /// Values of this type as those of another one.
    pub fn converted(self, values: &Values, to: Self) -> Values {
        values.map(|bits| to.masked(self.extended(bits)))
    }
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
}

/// The same number on all samples.
pub fn constant(number: u64) -> Values {
    [number; SAMPLES]
}

/// The number that is the value on all samples, if one is.
pub fn as_constant(values: &Values) -> Option<u64> {
    values.iter().all(|value| *value == values[0]).then_some(values[0])
}

/// The values of something without a known origin: those of another name differ. A thread's and a block's indices are
/// below their extents.
pub fn unknown(name: &str, bits: u32) -> Values {
    std::array::from_fn(|sample| {
        special(name, sample).unwrap_or_else(|| {
            let value = below_power(name, sample, bits.min(64));
            // A quarter as negative numbers, for what is signed.
            let is_negative = random(&format!("{name} sign"), sample).is_multiple_of(4);
            let value = if is_negative { !value } else { value };
            Type { bits, is_signed: false }.masked(value)
        })
    })
}

/// A number below 2 to the power of `most`: each power of 2 is as likely to bound it, and those up to [`SMALL`] more.
fn below_power(name: &str, sample: usize, most: u32) -> u64 {
    let random = |of: &str| self::random(&format!("{name} {of}"), sample);
    let most = if random("is small").is_multiple_of(2) { most.min(SMALL) } else { most };
    let power = 1 + random("power") % u64::from(most.max(1));
    random("bits") >> (64 - power)
}

/// What a special register holds.
fn special(name: &str, sample: usize) -> Option<u64> {
    let (register, axis) = name.strip_prefix('%')?.split_once('.')?;
    let extent = |register: &str| special(&format!("%{register}.{axis}"), sample);
    match register {
        "ntid" => Some(1 + random(name, sample) % 1024),
        "nctaid" => Some(1 + below_power(name, sample, 31)),
        "tid" => Some(random(name, sample) % extent("ntid")?),
        "ctaid" => Some(random(name, sample) % extent("nctaid")?),
        _ => None,
    }
}

/// 64 bits that depend on a name and a sample: FNV-1a (Fowler, Noll and Vo 1991), and the last steps of SplitMix64.
fn random(name: &str, sample: usize) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let mut z = hash.wrapping_add((sample as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An operation on values of one type. What C++ leaves undefined is what a compiler's usual
/// way of computing it gives.
pub fn apply(operator: Operator, of: Type, a: &Values, b: &Values) -> Values {
    std::array::from_fn(|sample| scalar(operator, of, a[sample], b[sample]))
}

fn scalar(operator: Operator, of: Type, a: u64, b: u64) -> u64 {
    let (x, y) = (of.extended(a), of.extended(b));
    let (signed_x, signed_y) = (x as i64, y as i64);
    let shift = of.masked(b);
    let is_shift = shift < u64::from(of.bits);
    of.masked(match operator {
        Operator::Add => x.wrapping_add(y),
        Operator::Sub => x.wrapping_sub(y),
        Operator::Mul => x.wrapping_mul(y),
        // A compiler may compute x % y as x - x / y * y.
        Operator::Div if y == 0 => 0,
        Operator::Rem if y == 0 => x,
        Operator::Div if of.is_signed => signed_x.wrapping_div(signed_y) as u64,
        Operator::Div => x / y,
        Operator::Rem if of.is_signed => signed_x.wrapping_rem(signed_y) as u64,
        Operator::Rem => x % y,
        Operator::And => x & y,
        Operator::Or => x | y,
        Operator::Xor => x ^ y,
        Operator::Shl if is_shift => x << shift,
        Operator::Shr if is_shift && of.is_signed => (signed_x >> shift) as u64,
        Operator::Shr if is_shift => x >> shift,
        Operator::Shl | Operator::Shr => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_their_types() {
        let long = Type { bits: 64, is_signed: true };
        for (operator, of, a, b, expected) in [
            (Operator::Add, Type::UNSIGNED, u64::from(u32::MAX), 1, 0),
            (Operator::Div, Type::INT, u64::from(-8i32 as u32), 2, u64::from(-4i32 as u32)),
            (Operator::Shr, Type::INT, u64::from(-8i32 as u32), 1, u64::from(-4i32 as u32)),
            (Operator::Shr, Type::UNSIGNED, 8, 1, 4),
            (Operator::Sub, long, 3, 4, u64::MAX),
            (Operator::Rem, Type::SIZE, 7, 0, 7),
        ] {
            assert_eq!(scalar(operator, of, a, b), expected, "{operator:?} of {a} and {b}");
        }
        let minus_one = constant(u64::from(u32::MAX));
        assert_eq!(as_constant(&Type::INT.converted(&minus_one, long)), Some(u64::MAX));
        assert_eq!(
            as_constant(&Type::UNSIGNED.converted(&minus_one, long)),
            Some(u64::from(u32::MAX))
        );
    }

    /// What is equal for most numbers, but not for all, must differ on a sample, whatever the numbers are called.
    #[test]
    fn samples_have_all_magnitudes() {
        let int = Type::INT;
        let tid = unknown("%tid.x", 32);
        for n in 0..500 {
            let n = unknown(&format!("%r{n}"), 32);
            let of = |operator, a: &Values, b: &Values| apply(operator, Type::UNSIGNED, a, b);
            assert_ne!(of(Operator::Rem, &tid, &n), tid, "{n:?}");
            assert_eq!(as_constant(&of(Operator::Div, &tid, &n)), None, "{n:?}");
            assert_eq!(as_constant(&of(Operator::Shl, &constant(1), &n)), None, "{n:?}");
            assert_eq!(as_constant(&of(Operator::Shr, &n, &constant(20))), None, "{n:?}");
            let half = apply(Operator::Div, int, &n, &constant(2));
            assert_ne!(half, apply(Operator::Shr, int, &n, &constant(1)), "{n:?}");
            let wide = unknown("%rd1", 64);
            assert_ne!(int.converted(&n, Type::SIZE), Type::UNSIGNED.converted(&n, Type::SIZE));
            assert_ne!(Type::SIZE.converted(&wide, int), wide);
        }
        let ctaid = unknown("%ctaid.x", 32);
        let of = |operator, number| apply(operator, Type::UNSIGNED, &ctaid, &constant(number));
        assert_eq!(as_constant(&of(Operator::Shr, 20)), None);
        assert_ne!(of(Operator::Rem, 65536), ctaid);
    }

    #[test]
    fn what_differs_has_other_values() {
        assert_ne!(unknown("%r1", 32), unknown("%r2", 32));
        assert_eq!(unknown("%tid.x", 32), unknown("%tid.x", 32));
        let [tid, ntid] = ["%tid.y", "%ntid.y"].map(|name| unknown(name, 32));
        assert!(tid.iter().zip(ntid).all(|(tid, ntid)| *tid < ntid));
        assert_eq!(as_constant(&unknown("%p1", 1)), None);
    }
}
