//! `f32` and `f64` arithmetic in every rounding, against the CPU's own.

use super::common::{DOUBLES, FLOATS, Random, S, T, check32, check64, rows32, rows64};
use ptx::ir::{Alu, Bin32, Bin64, Round, Ter32, Ter64, Un32, Un64};
use simt::registers::Lanes32;

const ROUNDS: [Round; 4] = [Round::NearestEven, Round::Zero, Round::Down, Round::Up];
const SWITCH: [bool; 2] = [false, true];

/// What the manual says of NaN results, `.ftz` and `.sat`.
fn finished(x: f32, ftz: bool, sat: bool) -> u32 {
    let x = if ftz && x.is_subnormal() { 0f32.copysign(x) } else { x };
    if sat {
        return if x.is_nan() || x <= 0.0 { 0 } else { x.min(1.0).to_bits() };
    }
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

fn operand(bits: u32, ftz: bool) -> f32 {
    let x = f32::from_bits(bits);
    if ftz && x.is_subnormal() { 0f32.copysign(x) } else { x }
}

type Cpu32 = fn((Round, bool), f32, f32) -> f32;

fn check_binary32(rows: &[[Lanes32; 2]], make: impl Fn(Round, bool, bool) -> Bin32, model: Cpu32) {
    for [x, y] in rows {
        for round in ROUNDS {
            for (ftz, sat) in SWITCH.iter().flat_map(|&ftz| SWITCH.map(|sat| (ftz, sat))) {
                let alu = |d| Alu::Bin32 { op: make(round, ftz, sat), d, a: S[0], b: S[1] };
                check32(&[*x, *y], &[], alu, |i| {
                    finished(model((round, ftz), operand(x[i], ftz), operand(y[i], ftz)), ftz, sat)
                });
            }
        }
    }
}

#[test]
fn f32_sums_and_products() {
    let rows = rows32(FLOATS, 60);
    check_binary32(&rows, |round, ftz, sat| Bin32::AddF32 { round, ftz, sat }, super::cpu::add32);
    check_binary32(&rows, |round, ftz, sat| Bin32::SubF32 { round, ftz, sat }, super::cpu::sub32);
    check_binary32(&rows, |round, ftz, sat| Bin32::MulF32 { round, ftz, sat }, super::cpu::mul32);
}

#[test]
fn f32_quotients() {
    for [x, y] in rows32(FLOATS, 60) {
        for (round, ftz) in ROUNDS.iter().flat_map(|&round| SWITCH.map(|ftz| (round, ftz))) {
            let model = |i: usize| {
                finished(
                    super::cpu::div32((round, ftz), operand(x[i], ftz), operand(y[i], ftz)),
                    ftz,
                    false,
                )
            };
            let op = Bin32::DivF32 { round, ftz };
            check32(&[x, y], &[], |d| Alu::Bin32 { op, d, a: S[0], b: S[1] }, model);
            if round == Round::NearestEven {
                let op = Bin32::DivFullF32 { ftz };
                check32(&[x, y], &[], |d| Alu::Bin32 { op, d, a: S[0], b: S[1] }, model);
            }
        }
    }
}

#[test]
fn f32_roots_and_reciprocals() {
    for [x] in rows32(FLOATS, 60) {
        for (round, ftz) in ROUNDS.iter().flat_map(|&round| SWITCH.map(|ftz| (round, ftz))) {
            let make = |op| move |d| Alu::Un32 { op, d, a: S[0] };
            check32(&[x], &[], make(Un32::SqrtF32 { round, ftz }), |i| {
                finished(super::cpu::sqrt32((round, ftz), operand(x[i], ftz)), ftz, false)
            });
            check32(&[x], &[], make(Un32::RcpF32 { round, ftz }), |i| {
                finished(super::cpu::div32((round, ftz), 1.0, operand(x[i], ftz)), ftz, false)
            });
        }
    }
}

#[test]
fn f32_fma() {
    if !super::cpu::has_fma() {
        return;
    }
    let mut rows = rows32::<3>(&FLOATS.iter().copied().step_by(2).collect::<Vec<_>>(), 60);
    rows.extend((0..60).map(|seed| cancelling(&mut Random(seed))));
    for [x, y, z] in rows {
        for round in ROUNDS {
            for (ftz, sat) in SWITCH.iter().flat_map(|&ftz| SWITCH.map(|sat| (ftz, sat))) {
                let op = Ter32::FmaF32 { round, ftz, sat };
                let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
                check32(&[x, y, z], &[], make, |i| {
                    let [a, b, c] = [x[i], y[i], z[i]].map(|x| operand(x, ftz));
                    finished(super::cpu::fma32((round, ftz), a, b, c), ftz, sat)
                });
            }
        }
    }
}

/// Addends that nearly cancel the product.
fn cancelling(random: &mut Random) -> [Lanes32; 3] {
    let [x, y]: [Lanes32; 2] = std::array::from_fn(|_| random.row32(FLOATS));
    let z = std::array::from_fn(|i| {
        let product = -(f32::from_bits(x[i]) * f32::from_bits(y[i]));
        product.to_bits().wrapping_add((random.next() % 5) as u32).wrapping_sub(2)
    });
    [x, y, z]
}

#[test]
fn f32_minimum_and_maximum() {
    // As the manual writes them.
    fn min(a: f32, b: f32, nan: bool) -> u32 {
        match (a.is_nan(), b.is_nan()) {
            (true, true) => 0x7fff_ffff,
            (true, false) | (false, true) if nan => 0x7fff_ffff,
            (true, false) => b.to_bits(),
            (false, true) => a.to_bits(),
            (false, false) if a < b || a == b && a.is_sign_negative() => a.to_bits(),
            (false, false) => b.to_bits(),
        }
    }
    fn max(a: f32, b: f32, nan: bool) -> u32 {
        let result = min(-a, -b, nan);
        if result == 0x7fff_ffff { result } else { result ^ 0x8000_0000 }
    }
    for [x, y] in rows32(FLOATS, 60) {
        for (ftz, nan) in SWITCH.iter().flat_map(|&ftz| SWITCH.map(|nan| (ftz, nan))) {
            let make = |op| move |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
            check32(&[x, y], &[], make(Bin32::MinF32 { ftz, nan }), |i| {
                min(operand(x[i], ftz), operand(y[i], ftz), nan)
            });
            check32(&[x, y], &[], make(Bin32::MaxF32 { ftz, nan }), |i| {
                max(operand(x[i], ftz), operand(y[i], ftz), nan)
            });
        }
    }
}

#[test]
fn signs() {
    for [x, y] in rows32(FLOATS, 10) {
        let make = |d| Alu::Bin32 { op: Bin32::CopysignF32, d, a: S[0], b: S[1] };
        check32(&[x, y], &[], make, |i| {
            f32::from_bits(y[i]).copysign(f32::from_bits(x[i])).to_bits()
        });
        for ftz in SWITCH {
            let make = |op| move |d| Alu::Un32 { op, d, a: S[0] };
            check32(&[x], &[], make(Un32::NegF32 { ftz }), |i| {
                finished(-operand(x[i], ftz), ftz, false)
            });
            check32(&[x], &[], make(Un32::AbsF32 { ftz }), |i| {
                finished(operand(x[i], ftz).abs(), ftz, false)
            });
        }
    }
    for [x, y] in rows64(DOUBLES, 10) {
        let make = |d| Alu::Bin64 { op: Bin64::CopysignF64, d, a: T[0], b: T[1] };
        check64(&[], &[x, y], make, |i| {
            f64::from_bits(y[i]).copysign(f64::from_bits(x[i])).to_bits()
        });
        let make = |op| move |d| Alu::Un64 { op, d, a: T[0] };
        check64(&[], &[x], make(Un64::NegF64), |i| finished64(-f64::from_bits(x[i]), &[x[i]]));
        check64(&[], &[x], make(Un64::AbsF64), |i| finished64(f64::from_bits(x[i]).abs(), &[x[i]]));
    }
}

/// A NaN result: of the operands, in the order in which a NaN of theirs is passed on, the first that
/// is one, quieted; or the one that is made.
fn finished64(x: f64, operands: &[u64]) -> u64 {
    if !x.is_nan() {
        return x.to_bits();
    }
    let nan = operands.iter().find(|&&x| f64::from_bits(x).is_nan());
    nan.map_or(0xfff8_0000_0000_0000, |nan| nan | 1 << 51)
}

#[test]
fn f64_arithmetic() {
    type Model = fn(Round, f64, f64) -> f64;
    type Make = fn(Round) -> Bin64;
    let table: &[(Make, Model)] = &[
        (Bin64::AddF64, super::cpu::add64),
        (Bin64::SubF64, super::cpu::sub64),
        (Bin64::MulF64, super::cpu::mul64),
        (Bin64::DivF64, super::cpu::div64),
    ];
    for [x, y] in rows64(DOUBLES, 100) {
        for round in ROUNDS {
            for (op, model) in table {
                let make = |d| Alu::Bin64 { op: op(round), d, a: T[0], b: T[1] };
                check64(&[], &[x, y], make, |i| {
                    let result = model(round, f64::from_bits(x[i]), f64::from_bits(y[i]));
                    // The dividend comes first; otherwise the second operand does.
                    match op(round) {
                        Bin64::DivF64(_) => finished64(result, &[x[i], y[i]]),
                        _ => finished64(result, &[y[i], x[i]]),
                    }
                });
            }
        }
    }
}

#[test]
fn f64_roots_and_reciprocals() {
    for [x] in rows64(DOUBLES, 100) {
        for round in ROUNDS {
            let make = |op| move |d| Alu::Un64 { op, d, a: T[0] };
            check64(&[], &[x], make(Un64::SqrtF64(round)), |i| {
                finished64(super::cpu::sqrt64(round, f64::from_bits(x[i])), &[x[i]])
            });
            check64(&[], &[x], make(Un64::RcpF64(round)), |i| {
                finished64(super::cpu::div64(round, 1.0, f64::from_bits(x[i])), &[x[i]])
            });
        }
    }
}

#[test]
fn f64_fma() {
    if !super::cpu::has_fma() {
        return;
    }
    let few = DOUBLES.iter().copied().step_by(2).collect::<Vec<_>>();
    let mut rows = rows64::<3>(&few, 100);
    rows.extend((0..100).map(|seed| {
        let mut random = Random(seed);
        let [x, y, _] = std::array::from_fn(|_| random.row64(DOUBLES));
        let z = std::array::from_fn(|i: usize| {
            let product = -(f64::from_bits(x[i]) * f64::from_bits(y[i]));
            product.to_bits().wrapping_add(random.next() % 5).wrapping_sub(2)
        });
        [x, y, z]
    }));
    for [x, y, z] in rows {
        for round in ROUNDS {
            let make = |d| Alu::Ter64 { op: Ter64::FmaF64(round), d, a: T[0], b: T[1], c: T[2] };
            check64(&[], &[x, y, z], make, |i| {
                let [a, b, c] = [x[i], y[i], z[i]].map(f64::from_bits);
                finished64(super::cpu::fma64(round, a, b, c), &[y[i], z[i], x[i]])
            });
        }
    }
}

#[test]
fn f64_minimum_and_maximum() {
    fn min(a: u64, b: u64) -> u64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        match (x.is_nan(), y.is_nan()) {
            (true, true) => b | 1 << 51,
            (true, false) => b,
            (false, true) => a,
            (false, false) if x < y || x == y && x.is_sign_negative() => a,
            (false, false) => b,
        }
    }
    const SIGN: u64 = 1 << 63;
    for [x, y] in rows64(DOUBLES, 60) {
        let make = |op| move |d| Alu::Bin64 { op, d, a: T[0], b: T[1] };
        check64(&[], &[x, y], make(Bin64::MinF64), |i| min(x[i], y[i]));
        check64(&[], &[x, y], make(Bin64::MaxF64), |i| min(x[i] ^ SIGN, y[i] ^ SIGN) ^ SIGN);
    }
}
