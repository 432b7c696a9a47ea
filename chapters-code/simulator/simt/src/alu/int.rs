//! Scalar integer operations beyond Rust's operators, after the pseudocode of the PTX manual.
//!
//! For a division by zero the manual defines "an unspecified, machine-specific value". Here
//! quotient and remainder are all ones, as in the code that ptxas emits for compute capability 9.0.

use ptx::ir::{PrmtMode, Sign};

/// Sign-extends the low 16 bits.
#[inline(always)]
pub fn sext16(x: u32) -> u32 {
    ((x << 16) as i32 >> 16) as u32
}

/// Computes `x / y`, or all ones for a zero `y`.
///
/// It computes in `f64`, which has vector instructions for division. A quotient of 32-bit integers
/// that is not whole is further below the next integer than the rounding error of `f64`.
#[inline(always)]
pub fn div_u32(x: u32, y: u32) -> u32 {
    /// Adding this number leaves no bits for a fraction.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let quotient = f64::from(x) / f64::from(y);
    let nearest = (quotient + WHOLE) - WHOLE;
    let floor = if nearest > quotient { nearest - 1.0 } else { nearest };
    if y == 0 { !0 } else { (floor + WHOLE).to_bits() as u32 }
}

/// Computes `x % y`, or all ones for a zero `y`.
#[inline(always)]
pub fn rem_u32(x: u32, y: u32) -> u32 {
    let product = div_u32(x, y).wrapping_mul(y);
    if y == 0 { !0 } else { x.wrapping_sub(product) }
}

/// Computes the signed [`div_u32`], which truncates. -2^31 / -1 wraps to itself.
#[inline(always)]
pub fn div_s32(x: u32, y: u32) -> u32 {
    let (a, b) = (x as i32, y as i32);
    let quotient = div_u32(a.unsigned_abs(), b.unsigned_abs());
    let negate = ((a ^ b) >> 31) as u32;
    let signed = (quotient ^ negate).wrapping_sub(negate);
    if y == 0 { !0 } else { signed }
}

/// Computes the signed [`rem_u32`], which has the sign of `x`.
#[inline(always)]
pub fn rem_s32(x: u32, y: u32) -> u32 {
    let product = div_s32(x, y).wrapping_mul(y);
    if y == 0 { !0 } else { x.wrapping_sub(product) }
}

/// Computes [`div_u32`] in 64 bits.
pub fn div_u64(x: u64, y: u64) -> u64 {
    x.checked_div(y).unwrap_or(!0)
}

/// Computes [`rem_u32`] in 64 bits.
pub fn rem_u64(x: u64, y: u64) -> u64 {
    x.checked_rem(y).unwrap_or(!0)
}

/// Computes [`div_s32`] in 64 bits.
pub fn div_s64(x: u64, y: u64) -> u64 {
    if y == 0 { !0 } else { (x as i64).wrapping_div(y as i64) as u64 }
}

/// Computes [`rem_s32`] in 64 bits.
pub fn rem_s64(x: u64, y: u64) -> u64 {
    if y == 0 { !0 } else { (x as i64).wrapping_rem(y as i64) as u64 }
}

/// Returns the upper half of a product.
#[inline(always)]
pub fn mul_hi_u32(x: u32, y: u32) -> u32 {
    ((u64::from(x) * u64::from(y)) >> 32) as u32
}

/// Returns the upper half of a signed product.
#[inline(always)]
pub fn mul_hi_s32(x: u32, y: u32) -> u32 {
    ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32
}

/// Returns the product of the low 16 bits.
#[inline(always)]
pub fn mul_wide_u16(x: u32, y: u32) -> u32 {
    (x & 0xffff) * (y & 0xffff)
}

/// Returns the signed product of the low 16 bits.
#[inline(always)]
pub fn mul_wide_s16(x: u32, y: u32) -> u32 {
    sext16(x).wrapping_mul(sext16(y))
}

/// Returns the upper half of a product.
pub fn mul_hi_u64(x: u64, y: u64) -> u64 {
    ((u128::from(x) * u128::from(y)) >> 64) as u64
}

/// Returns the upper half of a signed product.
pub fn mul_hi_s64(x: u64, y: u64) -> u64 {
    ((i128::from(x as i64) * i128::from(y as i64)) >> 64) as u64
}

/// Computes `mul24.lo.u32`: the low 32 bits of the product of the low 24 bits.
pub fn mul24_lo_u(x: u32, y: u32) -> u32 {
    low24(x).wrapping_mul(low24(y))
}

/// Computes `mul24.lo.s32`.
pub fn mul24_lo_s(x: u32, y: u32) -> u32 {
    (sext24(x) * sext24(y)) as u32
}

/// Computes `mul24.hi.u32`: bits 16 to 47 of the product.
pub fn mul24_hi_u(x: u32, y: u32) -> u32 {
    ((u64::from(low24(x)) * u64::from(low24(y))) >> 16) as u32
}

/// Computes `mul24.hi.s32`.
pub fn mul24_hi_s(x: u32, y: u32) -> u32 {
    ((sext24(x) * sext24(y)) >> 16) as u32
}

fn low24(x: u32) -> u32 {
    x & 0x00ff_ffff
}

fn sext24(x: u32) -> i64 {
    i64::from((x << 8) as i32 >> 8)
}

/// Computes `min.s32`.
#[inline(always)]
pub fn min_s32(x: u32, y: u32) -> u32 {
    (x as i32).min(y as i32) as u32
}

/// Computes `max.s32`.
#[inline(always)]
pub fn max_s32(x: u32, y: u32) -> u32 {
    (x as i32).max(y as i32) as u32
}

/// Computes `add.sat.s32`.
pub fn add_sat(x: u32, y: u32) -> u32 {
    (x as i32).saturating_add(y as i32) as u32
}

/// Computes `sub.sat.s32`.
pub fn sub_sat(x: u32, y: u32) -> u32 {
    (x as i32).saturating_sub(y as i32) as u32
}

/// Computes `x << y`, which is zero for `y >= 32`.
#[inline(always)]
pub fn shl(x: u32, y: u32) -> u32 {
    if y < 32 { x << y } else { 0 }
}

/// Computes `x >> y`, which is zero for `y >= 32`.
#[inline(always)]
pub fn shr(x: u32, y: u32) -> u32 {
    if y < 32 { x >> y } else { 0 }
}

/// Computes the arithmetic `x >> y`, which is the sign for `y >= 31`.
#[inline(always)]
pub fn sar(x: u32, y: u32) -> u32 {
    (x as i32 >> y.min(31)) as u32
}

/// Computes `bmsk.clamp`: `b` ones, starting at bit `a`.
pub fn bmsk_clamp(a: u32, b: u32) -> u32 {
    shl(low_ones(b), a)
}

/// Computes `bmsk.wrap`.
pub fn bmsk_wrap(a: u32, b: u32) -> u32 {
    shl(low_ones(b & 31), a & 31)
}

/// Computes `szext.clamp.u32`.
pub fn szext_clamp_u(a: u32, b: u32) -> u32 {
    a & low_ones(b)
}

/// Computes `szext.clamp.s32`.
pub fn szext_clamp_s(a: u32, b: u32) -> u32 {
    match b {
        0 => 0,
        1..32 => ((a << (32 - b)) as i32 >> (32 - b)) as u32,
        _ => a,
    }
}

/// Returns the position of the highest set bit, or all ones if there is none.
#[inline(always)]
pub fn bfind_u32(a: u32) -> u32 {
    31u32.wrapping_sub(a.leading_zeros())
}

/// Returns the position of the highest bit that differs from the sign.
#[inline(always)]
pub fn bfind_s32(a: u32) -> u32 {
    bfind_u32(a ^ ((a as i32) >> 31) as u32)
}

/// Computes [`bfind_u32`] in 64 bits.
#[inline(always)]
pub fn bfind_u64(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

/// Computes [`bfind_s32`] in 64 bits.
#[inline(always)]
pub fn bfind_s64(a: u64) -> u32 {
    bfind_u64(a ^ ((a as i64) >> 63) as u64)
}

/// Computes `bfind.shiftamt` for a position among `bits` bits.
pub fn shift_amount(position: u32, bits: u32) -> u32 {
    if position == !0 { !0 } else { bits - 1 - position }
}

/// Computes `bfe.u32`.
#[inline(always)]
pub fn bfe_u32(a: u32, position: u32, length: u32) -> u32 {
    shr(a, position & 0xff) & low_ones(length & 0xff)
}

/// Computes `bfe.s32`. Beyond the highest bit, the field is filled with the sign.
#[inline(always)]
pub fn bfe_s32(a: u32, position: u32, length: u32) -> u32 {
    let length = length & 0xff;
    let unused = 32 - length.clamp(1, 32);
    let field = sar(a, position & 0xff) << unused;
    if length == 0 { 0 } else { (field as i32 >> unused) as u32 }
}

/// Computes `bfi.b32`: inserts the low `length` bits of `a` into `b` at bit `position`.
#[inline(always)]
pub fn bfi_b32(a: u32, b: u32, position: u32, length: u32) -> u32 {
    let position = position & 0xff;
    let field = shl(low_ones(length & 0xff), position);
    (b & !field) | (shl(a, position) & field)
}

/// Computes `bfe.u64`. For 64-bit values the hardware uses the whole position and length; for
/// 32-bit values it uses their low eight bits.
pub fn bfe_u64(a: u64, position: u32, length: u32) -> u64 {
    a.checked_shr(position).unwrap_or(0) & low_ones64(length)
}

/// Computes `bfe.s64`, with the whole position and length.
pub fn bfe_s64(a: u64, position: u32, length: u32) -> u64 {
    let unused = 64 - length.clamp(1, 64);
    let field = ((a as i64) >> position.min(63)) << unused;
    if length == 0 { 0 } else { (field >> unused) as u64 }
}

/// Computes `bfi.b64`, with the whole position and length.
pub fn bfi_b64(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let field = low_ones64(length).checked_shl(position).unwrap_or(0);
    (b & !field) | (a.checked_shl(position).unwrap_or(0) & field)
}

/// Returns a number with the low `n` bits set, or all of them for `n >= 32`.
#[inline(always)]
fn low_ones(n: u32) -> u32 {
    shl(1, n).wrapping_sub(1)
}

fn low_ones64(n: u32) -> u64 {
    1u64.checked_shl(n).unwrap_or(0).wrapping_sub(1)
}

/// Computes `lop3`: for each bit, the entry of `table` that the bits of `a`, `b` and `c` index; `a`
/// gives the highest index bit.
#[inline(always)]
pub fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let entry = |index: u32| u32::from(table >> index & 1).wrapping_neg();
    let choose = |bits: u32, one: u32, zero: u32| zero ^ ((one ^ zero) & bits);
    let by_c = |index: u32| choose(c, entry(index + 1), entry(index));
    choose(a, choose(b, by_c(6), by_c(4)), choose(b, by_c(2), by_c(0)))
}

/// Computes `prmt`.
pub fn prmt(mode: PrmtMode, a: u32, b: u32, c: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let n = c as usize & 3;
    let selected = match mode {
        PrmtMode::Index => std::array::from_fn(|i| (c >> (4 * i)) as usize & 15),
        PrmtMode::F4e => std::array::from_fn(|i| n + i),
        PrmtMode::B4e => std::array::from_fn(|i| (n + 8 - i) & 7),
        PrmtMode::Rc8 => [n; 4],
        PrmtMode::Ecl => std::array::from_fn(|i| n.max(i)),
        PrmtMode::Ecr => std::array::from_fn(|i| n.min(i)),
        PrmtMode::Rc16 => std::array::from_fn(|i| 2 * (n & 1) + (i & 1)),
    };
    // Bit 3, which only the index mode sets, replicates the byte's sign.
    u32::from_le_bytes(selected.map(|i: usize| {
        let byte = bytes[i & 7];
        if i & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 }
    }))
}

/// Returns the 32 bits of `high:low` that start `32 - n` bits above the lowest: `shf.l` by `n <=
/// 32`.
#[inline(always)]
pub fn funnel_left(low: u32, high: u32, n: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both >> (32 - n)) as u32
}

/// Returns the 32 bits of `high:low` that start at bit `n <= 32`: `shf.r`.
#[inline(always)]
pub fn funnel_right(low: u32, high: u32, n: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both >> n) as u32
}

/// Returns byte `i` of `x`, extended.
fn byte(x: u32, i: u32, sign: Sign) -> u32 {
    let byte = (x >> (8 * i)) as u8;
    match sign {
        Sign::Unsigned => byte.into(),
        Sign::Signed => byte as i8 as u32,
    }
}

/// Computes `dp4a`.
pub fn dp4a(signs: [Sign; 2], a: u32, b: u32, c: u32) -> u32 {
    (0..4)
        .fold(c, |sum, i| sum.wrapping_add(byte(a, i, signs[0]).wrapping_mul(byte(b, i, signs[1]))))
}

/// Computes `dp2a`: the two halves of `a` times bytes `first` and `first + 1` of `b`.
pub fn dp2a(signs: [Sign; 2], first: u32, a: u32, b: u32, c: u32) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) & 0xffff;
        let half = match signs[0] {
            Sign::Unsigned => half,
            Sign::Signed => sext16(half),
        };
        sum.wrapping_add(half.wrapping_mul(byte(b, first + i, signs[1])))
    })
}

/// Computes `fns`: the position of the `nth` set bit of `a` from bit `base` on, counted from one. A
/// negative `nth` searches downwards, and zero asks for `base` itself. The result is 0xffffffff if
/// there is no such bit. For 0x80000000, which has no magnitude, the hardware returns 0.
/// `nth` without a magnitude, 0x80000000, the hardware gives 0.
pub fn fns(a: u32, base: u32, nth: u32) -> u32 {
    let base = base & 31;
    let is_set = |position: &u32| a >> position & 1 == 1;
    let skipped = (nth as i32).unsigned_abs().saturating_sub(1) as usize;
    let found = match nth as i32 {
        0 => Some(base).filter(is_set),
        i32::MIN => Some(0),
        1.. => (base..32).filter(is_set).nth(skipped),
        _ => (0..=base).rev().filter(is_set).nth(skipped),
    };
    found.unwrap_or(!0)
}
