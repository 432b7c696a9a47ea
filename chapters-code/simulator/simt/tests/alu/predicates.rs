//! Comparisons, predicate logic and selection.

use super::common;
use super::common::{
    DOUBLES, FLOATS, INTEGERS, P, Random, S, T, check_pred, check32, check64, isas, registers,
    rows32, rows64,
};
use half::{bf16, f16};
use ptx::ir::{Alu, Cmp, CmpType32, CmpType64, Combine, FloatClass, Pred, PredOp, SlctType};
use std::cmp::Ordering;

const ORDERED: [Cmp; 6] = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge];
const UNORDERED: [Cmp; 8] =
    [Cmp::Equ, Cmp::Neu, Cmp::Ltu, Cmp::Leu, Cmp::Gtu, Cmp::Geu, Cmp::Num, Cmp::Nan];

/// Whether a comparison holds of operands in this order, `None` for a NaN among them.
fn holds(cmp: Cmp, order: Option<Ordering>) -> bool {
    let Some(order) = order else {
        return !ORDERED.contains(&cmp) && cmp != Cmp::Num;
    };
    match cmp {
        Cmp::Eq | Cmp::Equ => order.is_eq(),
        Cmp::Ne | Cmp::Neu => order.is_ne(),
        Cmp::Lt | Cmp::Ltu => order.is_lt(),
        Cmp::Le | Cmp::Leu => order.is_le(),
        Cmp::Gt | Cmp::Gtu => order.is_gt(),
        Cmp::Ge | Cmp::Geu => order.is_ge(),
        Cmp::Num => true,
        Cmp::Nan => false,
    }
}

fn setp32(cmp: Cmp, ty: CmpType32) -> Alu {
    Alu::Setp32 { cmp, ty, d: P, q: None, a: S[0], b: S[1], with: None }
}

fn setp64(cmp: Cmp, ty: CmpType64) -> Alu {
    Alu::Setp64 { cmp, ty, d: P, q: None, a: T[0], b: T[1], with: None }
}

#[test]
fn integers() {
    type Order = fn(u32, u32) -> Ordering;
    let table: [(CmpType32, Order); 4] = [
        (CmpType32::U32, |x, y| x.cmp(&y)),
        (CmpType32::S32, |x, y| (x as i32).cmp(&(y as i32))),
        (CmpType32::U16, |x, y| (x as u16).cmp(&(y as u16))),
        (CmpType32::S16, |x, y| (x as i16).cmp(&(y as i16))),
    ];
    for [x, y] in rows32(INTEGERS, 50) {
        for (ty, order) in table {
            for cmp in ORDERED {
                let model = |i: usize| holds(cmp, Some(order(x[i], y[i])));
                check_pred(&[x, y], &[], setp32(cmp, ty), model);
            }
        }
    }
    let wide = INTEGERS.iter().map(|&x| u64::from(x) << 24 | u64::from(x)).collect::<Vec<_>>();
    for [x, y] in rows64(&wide, 50) {
        for cmp in ORDERED {
            check_pred(&[], &[x, y], setp64(cmp, CmpType64::U64), |i| {
                holds(cmp, Some(x[i].cmp(&y[i])))
            });
            check_pred(&[], &[x, y], setp64(cmp, CmpType64::S64), |i| {
                holds(cmp, Some((x[i] as i64).cmp(&(y[i] as i64))))
            });
        }
    }
}

#[test]
fn floats() {
    fn flushed(x: u32, ftz: bool) -> f32 {
        let x = f32::from_bits(x);
        if ftz && x.is_subnormal() { 0.0 } else { x }
    }
    fn flushed16(x: u32, ftz: bool) -> f32 {
        let x = f16::from_bits(x as u16);
        if ftz && x.classify() == std::num::FpCategory::Subnormal { 0.0 } else { x.to_f32() }
    }
    let all = ORDERED.iter().chain(&UNORDERED).copied().collect::<Vec<_>>();
    for [x, y] in rows32(FLOATS, 30) {
        for &cmp in &all {
            for ftz in [false, true] {
                check_pred(&[x, y], &[], setp32(cmp, CmpType32::F32 { ftz }), |i| {
                    holds(cmp, flushed(x[i], ftz).partial_cmp(&flushed(y[i], ftz)))
                });
            }
        }
        // The upper halves of the same bits.
        let (x, y) = (x.map(|x| x.rotate_left(16)), y.map(|y| y.rotate_left(16)));
        for &cmp in &all {
            for ftz in [false, true] {
                check_pred(&[x, y], &[], setp32(cmp, CmpType32::F16 { ftz }), |i| {
                    holds(cmp, flushed16(x[i], ftz).partial_cmp(&flushed16(y[i], ftz)))
                });
            }
            check_pred(&[x, y], &[], setp32(cmp, CmpType32::Bf16), |i| {
                let [a, b] = [x[i], y[i]].map(|x| bf16::from_bits(x as u16));
                holds(cmp, a.partial_cmp(&b))
            });
        }
    }
    for [x, y] in rows64(DOUBLES, 30) {
        for &cmp in &all {
            check_pred(&[], &[x, y], setp64(cmp, CmpType64::F64), |i| {
                holds(cmp, f64::from_bits(x[i]).partial_cmp(&f64::from_bits(y[i])))
            });
        }
    }
}

#[test]
fn combined_comparisons() {
    let [x, y] = rows32(INTEGERS, 1).pop().unwrap();
    let less = (0..32).fold(0, |bits, i| bits | u32::from(x[i] < y[i]) << i);
    let third = 0x0ff0_5a3cu32;
    for isa in isas() {
        for mask in common::MASKS {
            for (op, negated) in [PredOp::And, PredOp::Or, PredOp::Xor]
                .iter()
                .flat_map(|&op| [(op, false), (op, true)])
            {
                // The third operand is a register of its own, or one of the destinations.
                for c in [Pred(2), Pred(0), Pred(1)] {
                    let mut regs = registers(&[x, y], &[]);
                    for p in [Pred(0), Pred(1), c] {
                        regs.set_pred(p, third, !0);
                    }
                    let alu = Alu::Setp32 {
                        cmp: Cmp::Lt,
                        ty: CmpType32::U32,
                        d: Pred(0),
                        q: Some(Pred(1)),
                        a: S[0],
                        b: S[1],
                        with: Some(Combine { op, c, negated }),
                    };
                    isa.execute(&alu, &mut regs, mask, &common::WINDOWS);
                    let operand = if negated { !third } else { third };
                    let combined = |bits| match op {
                        PredOp::And => bits & operand,
                        PredOp::Or => bits | operand,
                        _ => bits ^ operand,
                    };
                    let kept = third & !mask;
                    assert_eq!(regs.pred(Pred(0)), combined(less) & mask | kept, "{alu:?}");
                    assert_eq!(regs.pred(Pred(1)), combined(!less) & mask | kept, "{alu:?}");
                }
            }
        }
    }
}

#[test]
fn predicate_logic() {
    type Model = fn(u32, u32) -> u32;
    let table: [(PredOp, Model); 5] = [
        (PredOp::Mov, |a, _| a),
        (PredOp::Not, |a, _| !a),
        (PredOp::And, |a, b| a & b),
        (PredOp::Or, |a, b| a | b),
        (PredOp::Xor, |a, b| a ^ b),
    ];
    let (a, b, before) = (0x1234_5678, 0x0ff0_ff00, 0xc0de_cafe);
    for isa in isas() {
        for mask in common::MASKS {
            for (op, model) in table {
                let mut regs = registers(&[], &[]);
                for (n, bits) in [before, a, b].into_iter().enumerate() {
                    regs.set_pred(Pred(n as u16), bits, !0);
                }
                let alu = Alu::PredOp { op, d: Pred(0), a: Pred(1), b: Pred(2) };
                isa.execute(&alu, &mut regs, mask, &common::WINDOWS);
                assert_eq!(regs.pred(Pred(0)), model(a, b) & mask | before & !mask, "{op:?}");
            }
        }
    }
}

#[test]
fn selection() {
    const BITS: u32 = 0x5ac3_0ff1;
    let chosen = |i: usize| BITS >> i & 1 == 1;
    let mut random = Random(1);
    let (x, y) = (random.row32(INTEGERS), random.row32(INTEGERS));
    let (v, w) = (random.row64(DOUBLES), random.row64(DOUBLES));
    for isa in isas() {
        for mask in common::MASKS {
            let mut regs = registers(&[x, y], &[v, w]);
            regs.set_pred(P, BITS, !0);
            for alu in [
                Alu::Selp32 { d: common::D, a: S[0], b: S[1], p: P },
                Alu::Selp64 { d: common::E, a: T[0], b: T[1], p: P },
                Alu::SetMask { d: S[2], p: P, if_true: 0x3f80_0000 },
            ] {
                isa.execute(&alu, &mut regs, mask, &common::WINDOWS);
            }
            for i in (0..32).filter(|i| mask >> i & 1 == 1) {
                assert_eq!(regs.r32(common::D)[i], if chosen(i) { x[i] } else { y[i] });
                assert_eq!(regs.r64(common::E)[i], if chosen(i) { v[i] } else { w[i] });
                assert_eq!(regs.r32(S[2])[i], if chosen(i) { 0x3f80_0000 } else { 0 });
            }
            for i in (0..32).filter(|i| mask >> i & 1 == 0) {
                assert_eq!(regs.r32(common::D)[i], common::BEFORE32);
                assert_eq!(regs.r64(common::E)[i], common::BEFORE64);
                assert_eq!(regs.r32(S[2])[i], 0);
            }
        }
    }
}

#[test]
fn selection_by_sign() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let (x, y) = (random.row32(INTEGERS), random.row32(INTEGERS));
        let (v, w) = (random.row64(DOUBLES), random.row64(DOUBLES));
        let c = random.row32(FLOATS);
        let float = |ftz| SlctType::F32 { ftz };
        for by in [SlctType::S32, float(false), float(true)] {
            let first = |i: usize| match by {
                SlctType::S32 => c[i] as i32 >= 0,
                SlctType::F32 { ftz: false } => f32::from_bits(c[i]) >= 0.0,
                // A negative subnormal flushes to -0, which is not below zero.
                SlctType::F32 { ftz: true } => f32::from_bits(c[i]) > -f32::MIN_POSITIVE,
            };
            let make = |d| Alu::Slct32 { by, d, a: S[0], b: S[1], c: S[2] };
            check32(&[x, y, c], &[], make, |i| if first(i) { x[i] } else { y[i] });
            let make = |d| Alu::Slct64 { by, d, a: T[0], b: T[1], c: S[0] };
            check64(&[c], &[v, w], make, |i| if first(i) { v[i] } else { w[i] });
        }
    }
}

#[test]
fn classes() {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let holds = |class, category| match class {
        FloatClass::Finite => matches!(category, Zero | Subnormal | Normal),
        FloatClass::Infinite => category == Infinite,
        FloatClass::Number => category != Nan,
        FloatClass::NotANumber => category == Nan,
        FloatClass::Normal => matches!(category, Zero | Normal),
        FloatClass::Subnormal => category == Subnormal,
    };
    for class in [
        FloatClass::Finite,
        FloatClass::Infinite,
        FloatClass::Number,
        FloatClass::NotANumber,
        FloatClass::Normal,
        FloatClass::Subnormal,
    ] {
        for [x] in rows32(FLOATS, 10) {
            let alu = Alu::Testp32 { class, d: P, a: S[0] };
            check_pred(&[x], &[], alu, |i| holds(class, f32::from_bits(x[i]).classify()));
        }
        for [x] in rows64(DOUBLES, 10) {
            let alu = Alu::Testp64 { class, d: P, a: T[0] };
            check_pred(&[], &[x], alu, |i| holds(class, f64::from_bits(x[i]).classify()));
        }
    }
}
