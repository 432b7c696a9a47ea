//! Integer instructions with 64-bit registers.

use super::bits::*;
use super::common::*;
use super::integers::*;
use ptx::ir::*;

fn integers64() -> Vec<u64> {
    let small = INTEGERS.iter().map(|&x| u64::from(x));
    let large = INTEGERS.iter().step_by(3).map(|&x| !u64::from(x));
    small.chain(large).chain([1 << 63, (1 << 63) - 1, 1 << 32, 0xffff_ffff_0000_0000]).collect()
}

#[test]
fn wide() {
    fn s(x: u64) -> i128 {
        (x as i64).into()
    }
    fn u(x: u64) -> i128 {
        x.into()
    }
    let one: &[(Un64, Unary<u64, i128>)] = &[
        (Un64::Mov, u),
        (Un64::Neg, |x| -s(x)),
        (Un64::Not, |x| !u(x)),
        (Un64::Abs, |x| s(x).abs()),
        (Un64::Cnot, |x| if x == 0 { 1 } else { 0 }),
        (Un64::Brev, |x| (0..64).map(|i| bit(u(x), i) << (63 - i)).sum()),
    ];
    let two: &[(Bin64, Binary<u64>)] = &[
        (Bin64::Add, |x, y| u(x) + u(y)),
        (Bin64::Sub, |x, y| u(x) - u(y)),
        (Bin64::MulLo, |x, y| s(x) * s(y)),
        (Bin64::MulHiU, |x, y| ((u128::from(x) * u128::from(y)) >> 64) as i128),
        (Bin64::MulHiS, |x, y| (s(x) * s(y)) >> 64),
        (Bin64::DivU, |x, y| quotient(u(x), u(y))),
        (Bin64::DivS, |x, y| quotient(s(x), s(y))),
        (Bin64::RemU, |x, y| remainder(u(x), u(y))),
        (Bin64::RemS, |x, y| remainder(s(x), s(y))),
        (Bin64::MinU, |x, y| u(x).min(u(y))),
        (Bin64::MinS, |x, y| s(x).min(s(y))),
        (Bin64::MaxU, |x, y| u(x).max(u(y))),
        (Bin64::MaxS, |x, y| s(x).max(s(y))),
        (Bin64::And, |x, y| u(x & y)),
        (Bin64::Or, |x, y| u(x | y)),
        (Bin64::Xor, |x, y| u(x ^ y)),
    ];
    let three: &[(Ter64, Ternary<u64>)] = &[
        (Ter64::MadLo, |x, y, z| s(x.wrapping_mul(y)) + s(z)),
        (Ter64::MadHiU, |x, y, z| ((u128::from(x) * u128::from(y)) >> 64) as i128 + u(z)),
        (Ter64::MadHiS, |x, y, z| ((s(x) * s(y)) >> 64) + u(z)),
        (Ter64::SadU, |x, y, z| (u(x) - u(y)).abs() + u(z)),
        (Ter64::SadS, |x, y, z| (s(x) - s(y)).abs() + u(z)),
    ];
    for [x, y] in rows64(&integers64(), 200) {
        for &(op, model) in one {
            check64(&[], &[x], |d| Alu::Un64 { op, d, a: T[0] }, |i| model(x[i]) as u64);
        }
        for &(op, model) in two {
            let make = |d| Alu::Bin64 { op, d, a: T[0], b: T[1] };
            check64(&[], &[x, y], make, |i| model(x[i], y[i]) as u64);
        }
    }
    for seed in 0..300 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row64(&integers64()));
        for &(op, model) in three {
            let make = |d| Alu::Ter64 { op, d, a: T[0], b: T[1], c: T[2] };
            check64(&[], &[x, y, z], make, |i| model(x[i], y[i], z[i]) as u64);
        }
    }
}

#[test]
fn mixed_widths() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let [x, y] = std::array::from_fn(|_| random.row32(INTEGERS));
        let z = random.row64(&integers64());
        let signed = |i: usize| i128::from(z[i] as i64);
        let unsigned = |i: usize| i128::from(z[i]);
        let shift = |op| move |d| Alu::Shift64 { op, d, a: T[0], b: S[0] };
        check64(&[x], &[z], shift(Shift::Left), |i| shifted(unsigned(i), x[i], 64, true) as u64);
        check64(&[x], &[z], shift(Shift::RightUnsigned), |i| {
            shifted(unsigned(i), x[i], 64, false) as u64
        });
        check64(&[x], &[z], shift(Shift::RightSigned), |i| {
            shifted(signed(i), x[i], 64, false) as u64
        });
        for sign in SIGNS {
            let product = |i: usize| match sign {
                Sign::Unsigned => u32_(x[i]) * u32_(y[i]),
                Sign::Signed => s32(x[i]) * s32(y[i]),
            };
            let make = |d| Alu::MulWide { signed: sign, d, a: S[0], b: S[1] };
            check64(&[x, y], &[], make, |i| product(i) as u64);
            let make = |d: R64| Alu::MadWide { signed: sign, d, a: S[0], b: S[1], c: T[0] };
            check64(&[x, y], &[z], make, |i| (product(i) + unsigned(i)) as u64);
        }
    }
}

#[test]
fn counts_of_64_bits() {
    let table: &[(Count64, Unary<u64, u32>)] = &[
        (Count64::Popc, |x| (0..64).map(|i| (x >> i & 1) as u32).sum()),
        (Count64::Clz, |x| 63u32.wrapping_sub(highest(x.into()))),
        (Count64::BfindU, |x| highest(x.into())),
        (Count64::BfindS, |x| highest(magnitude((x as i64).into()))),
        (Count64::BfindShiftU, |x| shift_amount(highest(x.into()), 63)),
        (Count64::BfindShiftS, |x| shift_amount(highest(magnitude((x as i64).into())), 63)),
    ];
    for [x] in rows64(&integers64(), 100) {
        for &(op, model) in table {
            check32(&[], &[x], |d| Alu::Count64 { op, d, a: T[0] }, |i| model(x[i]));
        }
    }
}
