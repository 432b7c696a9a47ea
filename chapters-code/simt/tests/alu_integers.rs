//! Integer instructions against models in 128 bits.

mod alu_common;

use alu_common::{INTEGERS, Random, S, T, check32, check64, rows32, rows64};
use ptx::ir::{Alu, Bin32, Bin64, Count64, PrmtMode, R64, Shift, Sign, Ter32, Ter64, Un32, Un64};
use simt::registers::Lanes64;

// Models.
type Unary<T, Result> = fn(T) -> Result;
type Binary<T> = fn(T, T) -> i128;
type Ternary<T> = fn(T, T, T) -> i128;

const SIGNS: [Sign; 2] = [Sign::Unsigned, Sign::Signed];

fn s32(x: u32) -> i128 {
    (x as i32).into()
}

fn u32_(x: u32) -> i128 {
    x.into()
}

fn s16(x: u32) -> i128 {
    (x as i16).into()
}

fn u16_(x: u32) -> i128 {
    (x as u16).into()
}

fn s24(x: u32) -> i128 {
    let low = i128::from(x & 0xff_ffff);
    if low >= 1 << 23 { low - (1 << 24) } else { low }
}

fn u24(x: u32) -> i128 {
    (x & 0xff_ffff).into()
}

fn quotient(x: i128, y: i128) -> i128 {
    if y == 0 { -1 } else { x / y }
}

fn remainder(x: i128, y: i128) -> i128 {
    if y == 0 { -1 } else { x % y }
}

/// `x` shifted by `amount`, which counts as `limit` above it.
fn shifted(x: i128, amount: u32, limit: u32, left: bool) -> i128 {
    let amount = amount.min(limit);
    if left { x << amount } else { x >> amount }
}

#[test]
fn two_operands() {
    let table: &[(Bin32, Binary<u32>)] = &[
        (Bin32::Add, |x, y| u32_(x) + u32_(y)),
        (Bin32::Sub, |x, y| u32_(x) - u32_(y)),
        (Bin32::MulLo, |x, y| u32_(x) * u32_(y)),
        (Bin32::MulHiU, |x, y| (u32_(x) * u32_(y)) >> 32),
        (Bin32::MulHiS, |x, y| (s32(x) * s32(y)) >> 32),
        (Bin32::Mul24LoU, |x, y| u24(x) * u24(y)),
        (Bin32::Mul24LoS, |x, y| s24(x) * s24(y)),
        (Bin32::Mul24HiU, |x, y| (u24(x) * u24(y)) >> 16),
        (Bin32::Mul24HiS, |x, y| (s24(x) * s24(y)) >> 16),
        (Bin32::DivU, |x, y| quotient(u32_(x), u32_(y))),
        (Bin32::DivS, |x, y| quotient(s32(x), s32(y))),
        (Bin32::RemU, |x, y| remainder(u32_(x), u32_(y))),
        (Bin32::RemS, |x, y| remainder(s32(x), s32(y))),
        (Bin32::MinU, |x, y| u32_(x).min(u32_(y))),
        (Bin32::MinS, |x, y| s32(x).min(s32(y))),
        (Bin32::MaxU, |x, y| u32_(x).max(u32_(y))),
        (Bin32::MaxS, |x, y| s32(x).max(s32(y))),
        (Bin32::And, |x, y| (x & y).into()),
        (Bin32::Or, |x, y| (x | y).into()),
        (Bin32::Xor, |x, y| (x ^ y).into()),
        (Bin32::Shl, |x, y| shifted(u32_(x), y, 32, true)),
        (Bin32::ShrU, |x, y| shifted(u32_(x), y, 32, false)),
        (Bin32::ShrS, |x, y| shifted(s32(x), y, 32, false)),
        (Bin32::AddSatS, |x, y| {
            (s32(x) + s32(y)).clamp(i32::MIN.into(), i32::MAX.into())
        }),
        (Bin32::SubSatS, |x, y| {
            (s32(x) - s32(y)).clamp(i32::MIN.into(), i32::MAX.into())
        }),
    ];
    for [x, y] in rows32(INTEGERS, 200) {
        for &(op, model) in table {
            let make = |d| Alu::Bin32 {
                op,
                d,
                a: S[0],
                b: S[1],
            };
            check32(&[x, y], &[], make, |i| model(x[i], y[i]) as u32);
        }
    }
}

#[test]
fn two_operands_of_16_bits() {
    let table: &[(Bin32, Binary<u32>)] = &[
        (Bin32::Add16, |x, y| u16_(x) + u16_(y)),
        (Bin32::Sub16, |x, y| u16_(x) - u16_(y)),
        (Bin32::MulLo16, |x, y| u16_(x) * u16_(y)),
        (Bin32::MulHiU16, |x, y| (u16_(x) * u16_(y)) >> 16),
        (Bin32::MulHiS16, |x, y| (s16(x) * s16(y)) >> 16),
        (Bin32::DivU16, |x, y| quotient(u16_(x), u16_(y))),
        (Bin32::DivS16, |x, y| quotient(s16(x), s16(y))),
        (Bin32::RemU16, |x, y| remainder(u16_(x), u16_(y))),
        (Bin32::RemS16, |x, y| remainder(s16(x), s16(y))),
        (Bin32::MinU16, |x, y| u16_(x).min(u16_(y))),
        (Bin32::MinS16, |x, y| s16(x).min(s16(y))),
        (Bin32::MaxU16, |x, y| u16_(x).max(u16_(y))),
        (Bin32::MaxS16, |x, y| s16(x).max(s16(y))),
        (Bin32::Shl16, |x, y| shifted(u16_(x), y, 16, true)),
        (Bin32::ShrU16, |x, y| shifted(u16_(x), y, 16, false)),
        (Bin32::ShrS16, |x, y| shifted(s16(x), y, 16, false)),
    ];
    for [x, y] in rows32(INTEGERS, 200) {
        for &(op, model) in table {
            let make = |d| Alu::Bin32 {
                op,
                d,
                a: S[0],
                b: S[1],
            };
            check32(&[x, y], &[], make, |i| model(x[i], y[i]) as u16 as u32);
        }
        let wide_u = |d| Alu::Bin32 {
            op: Bin32::MulWideU16,
            d,
            a: S[0],
            b: S[1],
        };
        check32(&[x, y], &[], wide_u, |i| (u16_(x[i]) * u16_(y[i])) as u32);
        let wide_s = |d| Alu::Bin32 {
            op: Bin32::MulWideS16,
            d,
            a: S[0],
            b: S[1],
        };
        check32(&[x, y], &[], wide_s, |i| (s16(x[i]) * s16(y[i])) as u32);
    }
}

#[test]
fn three_operands() {
    let table: &[(Ter32, Ternary<u32>)] = &[
        (Ter32::MadLo, |x, y, z| u32_(x) * u32_(y) + u32_(z)),
        (Ter32::MadHiU, |x, y, z| {
            ((u32_(x) * u32_(y)) >> 32) + u32_(z)
        }),
        (Ter32::MadHiS, |x, y, z| ((s32(x) * s32(y)) >> 32) + u32_(z)),
        (Ter32::MadLo16, |x, y, z| {
            (u16_(x) * u16_(y) + u16_(z)) & 0xffff
        }),
        (Ter32::MadWideU16, |x, y, z| u16_(x) * u16_(y) + u32_(z)),
        (Ter32::MadWideS16, |x, y, z| s16(x) * s16(y) + u32_(z)),
        (Ter32::Mad24LoU, |x, y, z| u24(x) * u24(y) + u32_(z)),
        (Ter32::Mad24LoS, |x, y, z| s24(x) * s24(y) + u32_(z)),
        (Ter32::SadU, |x, y, z| (u32_(x) - u32_(y)).abs() + u32_(z)),
        (Ter32::SadS, |x, y, z| (s32(x) - s32(y)).abs() + u32_(z)),
        (Ter32::ShfLeftClamp, |x, y, z| {
            funnel(x, y) << z.min(32) >> 32
        }),
        (Ter32::ShfLeftWrap, |x, y, z| funnel(x, y) << (z & 31) >> 32),
        (Ter32::ShfRightClamp, |x, y, z| funnel(x, y) >> z.min(32)),
        (Ter32::ShfRightWrap, |x, y, z| funnel(x, y) >> (z & 31)),
        (Ter32::BfeU, |x, y, z| field(u32_(x), false, 31, y, z)),
        (Ter32::BfeS, |x, y, z| field(s32(x), true, 31, y, z)),
    ];
    for [x, y, z] in rows32(INTEGERS, 300) {
        for &(op, model) in table {
            let make = |d| Alu::Ter32 {
                op,
                d,
                a: S[0],
                b: S[1],
                c: S[2],
            };
            check32(&[x, y, z], &[], make, |i| model(x[i], y[i], z[i]) as u32);
        }
    }
}

fn funnel(low: u32, high: u32) -> i128 {
    u32_(high) << 32 | u32_(low)
}

fn bit(x: i128, i: u32) -> i128 {
    x >> i & 1
}

/// The position and the length of a bit field. The manual takes the low eight bits of each; of 64-bit
/// values the hardware takes all.
fn place(msb: u32, position: u32, length: u32) -> (u32, u32) {
    if msb == 31 {
        (position & 0xff, length & 0xff)
    } else {
        (position.min(1000), length.min(1000))
    }
}

/// `bfe`, as the manual writes it.
fn field(a: i128, signed: bool, msb: u32, b: u32, c: u32) -> i128 {
    let (pos, len) = place(msb, b, c);
    let sbit = if !signed || len == 0 {
        0
    } else {
        bit(a, (pos + len - 1).min(msb))
    };
    (0..=msb)
        .map(|i| {
            if i < len && pos + i <= msb {
                bit(a, pos + i) << i
            } else {
                sbit << i
            }
        })
        .sum()
}

/// `bfi`, as the manual writes it.
fn inserted(a: i128, b: i128, msb: u32, c: u32, d: u32) -> i128 {
    let (pos, len) = place(msb, c, d);
    (0..=msb)
        .map(|i| {
            if i >= pos && i < pos + len {
                bit(a, i - pos) << i
            } else {
                bit(b, i) << i
            }
        })
        .sum()
}

#[test]
fn bit_fields() {
    for seed in 0..500 {
        let mut random = Random(seed);
        let [x, y, z, w] = std::array::from_fn(|_| random.row32(INTEGERS));
        let make = |d| Alu::Bfi32 {
            d,
            a: S[0],
            b: S[1],
            c: S[2],
            len: S[3],
        };
        let model = |i: usize| inserted(u32_(x[i]), u32_(y[i]), 31, z[i], w[i]) as u32;
        check32(&[x, y, z, w], &[], make, model);

        let wide = INTEGERS
            .iter()
            .map(|&x| u64::from(x) << 16)
            .collect::<Vec<_>>();
        let [a, b]: [Lanes64; 2] = std::array::from_fn(|_| random.row64(&wide));
        let make = |d| Alu::Bfi64 {
            d,
            a: T[0],
            b: T[1],
            c: S[0],
            len: S[1],
        };
        let model = |i: usize| inserted(a[i].into(), b[i].into(), 63, x[i], y[i]) as u64;
        check64(&[x, y], &[a, b], make, model);
        for signed in SIGNS {
            let make = |d| Alu::Bfe64 {
                signed,
                d,
                a: T[0],
                b: S[0],
                c: S[1],
            };
            let model =
                |i: usize| field(a[i].into(), signed == Sign::Signed, 63, x[i], y[i]) as u64;
            check64(&[x, y], &[a], make, model);
        }
    }
}

#[test]
fn masks_and_extensions() {
    // As the manual writes them.
    fn bmsk(a: u32, b: u32, clamp: bool) -> u32 {
        let (a1, b1) = (a & 31, b & 31);
        let mut mask0 = !0 << a1;
        let mut mask1 = if a1 + b1 >= 32 { 0 } else { !0 << (a1 + b1) };
        if clamp && a >= 32 {
            mask0 = 0;
        }
        if a1 + b1 >= 32 || (clamp && (a >= 32 || b >= 32)) {
            mask1 = 0;
        } else if b1 == 0 {
            mask1 = !0;
        }
        mask0 & !mask1
    }
    fn szext(a: u32, b: u32, signed: bool) -> u32 {
        let b1 = b & 31;
        let mask = if b >= 32 { 0 } else { !0 << b1 };
        let negative = b1 != 0 && b < 32 && signed && a >> (b1.wrapping_sub(1) & 31) & 1 == 1;
        (a & !mask) | if negative { mask } else { 0 }
    }
    for [x, y] in rows32(INTEGERS, 200) {
        let make = |op| {
            move |d| Alu::Bin32 {
                op,
                d,
                a: S[0],
                b: S[1],
            }
        };
        check32(&[x, y], &[], make(Bin32::BmskClamp), |i| {
            bmsk(x[i], y[i], true)
        });
        check32(&[x, y], &[], make(Bin32::BmskWrap), |i| {
            bmsk(x[i], y[i], false)
        });
        check32(&[x, y], &[], make(Bin32::SzextClampU), |i| {
            szext(x[i], y[i], false)
        });
        check32(&[x, y], &[], make(Bin32::SzextClampS), |i| {
            szext(x[i], y[i], true)
        });
    }
}

/// `bfind` of a non-negative number.
fn highest(x: i128) -> u32 {
    (0..64).rev().find(|&i| bit(x, i) == 1).unwrap_or(!0)
}

fn magnitude(x: i128) -> i128 {
    if x < 0 { !x } else { x }
}

fn shift_amount(position: u32, msb: u32) -> u32 {
    if position == !0 { !0 } else { msb - position }
}

#[test]
fn one_operand() {
    let table: &[(Un32, Unary<u32, u32>)] = &[
        (Un32::Mov, |x| x),
        (Un32::Neg, |x| -s32(x) as u32),
        (Un32::Not, |x| x ^ !0),
        (Un32::Abs, |x| s32(x).unsigned_abs() as u32),
        (Un32::Cnot, |x| if x == 0 { 1 } else { 0 }),
        (Un32::Popc, |x| (0..32).map(|i| x >> i & 1).sum()),
        (Un32::Clz, |x| 31u32.wrapping_sub(highest(u32_(x)))),
        (Un32::Brev, |x| {
            (0..32).map(|i| (x >> i & 1) << (31 - i)).sum()
        }),
        (Un32::BfindU, |x| highest(u32_(x))),
        (Un32::BfindS, |x| highest(magnitude(s32(x)))),
        (Un32::BfindShiftU, |x| shift_amount(highest(u32_(x)), 31)),
        (Un32::BfindShiftS, |x| {
            shift_amount(highest(magnitude(s32(x))), 31)
        }),
        (Un32::Neg16, |x| -s16(x) as u16 as u32),
        (Un32::Not16, |x| !s16(x) as u16 as u32),
        (Un32::Abs16, |x| s16(x).unsigned_abs() as u32 & 0xffff),
        (Un32::Cnot16, |x| if x & 0xffff == 0 { 1 } else { 0 }),
    ];
    for [x] in rows32(INTEGERS, 100) {
        for &(op, model) in table {
            check32(&[x], &[], |d| Alu::Un32 { op, d, a: S[0] }, |i| model(x[i]));
        }
    }
}

#[test]
fn lop3() {
    let rows = rows32::<3>(&INTEGERS[..8], 2);
    for table in 0..=255u8 {
        for [x, y, z] in &rows {
            let make = |d| Alu::Lop3 {
                table,
                d,
                a: S[0],
                b: S[1],
                c: S[2],
            };
            check32(&[*x, *y, *z], &[], make, |lane| {
                (0..32)
                    .map(|i| {
                        let at = |x: u32| x >> i & 1;
                        let index = at(x[lane]) << 2 | at(y[lane]) << 1 | at(z[lane]);
                        (u32::from(table) >> index & 1) << i
                    })
                    .sum()
            });
        }
    }
}

#[test]
fn prmt() {
    // The manual's tables: bytes for the selectors 0, 1, 2 and 3, lowest byte first.
    let modes: &[(PrmtMode, [[usize; 4]; 4])] = &[
        (
            PrmtMode::F4e,
            [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
        ),
        (
            PrmtMode::B4e,
            [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
        ),
        (PrmtMode::Rc8, [[0; 4], [1; 4], [2; 4], [3; 4]]),
        (
            PrmtMode::Ecl,
            [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
        ),
        (
            PrmtMode::Ecr,
            [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
        ),
        (
            PrmtMode::Rc16,
            [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
        ),
    ];
    for seed in 0..100 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row32(INTEGERS));
        let bytes = |i: usize| {
            let ([a, b, c, d], [e, f, g, h]) = (x[i].to_le_bytes(), y[i].to_le_bytes());
            [a, b, c, d, e, f, g, h]
        };
        let make = |mode| {
            move |d| Alu::Ter32 {
                op: Ter32::Prmt(mode),
                d,
                a: S[0],
                b: S[1],
                c: S[2],
            }
        };
        for &(mode, table) in modes {
            check32(&[x, y, z], &[], make(mode), |i| {
                u32::from_le_bytes(table[z[i] as usize & 3].map(|n| bytes(i)[n]))
            });
        }
        check32(&[x, y, z], &[], make(PrmtMode::Index), |i| {
            u32::from_le_bytes(std::array::from_fn(|n| {
                let selector = z[i] >> (4 * n) & 15;
                let byte = bytes(i)[selector as usize & 7];
                match (selector & 8 != 0, byte & 0x80 != 0) {
                    (false, _) => byte,
                    (true, false) => 0,
                    (true, true) => 0xff,
                }
            }))
        });
    }
}

#[test]
fn dot_products() {
    let extended = |byte: u8, sign| match sign {
        Sign::Unsigned => i128::from(byte),
        Sign::Signed => i128::from(byte as i8),
    };
    let half = |x: u32, n: usize, sign| match sign {
        Sign::Unsigned => u16_(x >> (16 * n)),
        Sign::Signed => s16(x >> (16 * n)),
    };
    for seed in 0..100 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row32(INTEGERS));
        for (p, q) in SIGNS.iter().flat_map(|&p| SIGNS.map(|q| (p, q))) {
            let byte = |i: usize, n: usize| extended(y[i].to_le_bytes()[n], q);
            let make = |op| {
                move |d| Alu::Ter32 {
                    op,
                    d,
                    a: S[0],
                    b: S[1],
                    c: S[2],
                }
            };
            check32(&[x, y, z], &[], make(Ter32::Dp4a(p, q)), |i| {
                let products = (0..4).map(|n| extended(x[i].to_le_bytes()[n], p) * byte(i, n));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
            check32(&[x, y, z], &[], make(Ter32::Dp2aLo(p, q)), |i| {
                let products = (0..2).map(|n| half(x[i], n, p) * byte(i, n));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
            check32(&[x, y, z], &[], make(Ter32::Dp2aHi(p, q)), |i| {
                let products = (0..2).map(|n| half(x[i], n, p) * byte(i, n + 2));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
        }
    }
}

fn integers64() -> Vec<u64> {
    let small = INTEGERS.iter().map(|&x| u64::from(x));
    let large = INTEGERS.iter().step_by(3).map(|&x| !u64::from(x));
    small
        .chain(large)
        .chain([1 << 63, (1 << 63) - 1, 1 << 32, 0xffff_ffff_0000_0000])
        .collect()
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
        (Un64::Brev, |x| {
            (0..64).map(|i| bit(u(x), i) << (63 - i)).sum()
        }),
    ];
    let two: &[(Bin64, Binary<u64>)] = &[
        (Bin64::Add, |x, y| u(x) + u(y)),
        (Bin64::Sub, |x, y| u(x) - u(y)),
        (Bin64::MulLo, |x, y| s(x) * s(y)),
        (Bin64::MulHiU, |x, y| {
            ((u128::from(x) * u128::from(y)) >> 64) as i128
        }),
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
        (Ter64::MadHiU, |x, y, z| {
            ((u128::from(x) * u128::from(y)) >> 64) as i128 + u(z)
        }),
        (Ter64::MadHiS, |x, y, z| ((s(x) * s(y)) >> 64) + u(z)),
        (Ter64::SadU, |x, y, z| (u(x) - u(y)).abs() + u(z)),
        (Ter64::SadS, |x, y, z| (s(x) - s(y)).abs() + u(z)),
    ];
    for [x, y] in rows64(&integers64(), 200) {
        for &(op, model) in one {
            check64(
                &[],
                &[x],
                |d| Alu::Un64 { op, d, a: T[0] },
                |i| model(x[i]) as u64,
            );
        }
        for &(op, model) in two {
            let make = |d| Alu::Bin64 {
                op,
                d,
                a: T[0],
                b: T[1],
            };
            check64(&[], &[x, y], make, |i| model(x[i], y[i]) as u64);
        }
    }
    for seed in 0..300 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row64(&integers64()));
        for &(op, model) in three {
            let make = |d| Alu::Ter64 {
                op,
                d,
                a: T[0],
                b: T[1],
                c: T[2],
            };
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
        let shift = |op| {
            move |d| Alu::Shift64 {
                op,
                d,
                a: T[0],
                b: S[0],
            }
        };
        check64(&[x], &[z], shift(Shift::Left), |i| {
            shifted(unsigned(i), x[i], 64, true) as u64
        });
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
            let make = |d| Alu::MulWide {
                signed: sign,
                d,
                a: S[0],
                b: S[1],
            };
            check64(&[x, y], &[], make, |i| product(i) as u64);
            let make = |d: R64| Alu::MadWide {
                signed: sign,
                d,
                a: S[0],
                b: S[1],
                c: T[0],
            };
            check64(&[x, y], &[z], make, |i| (product(i) + unsigned(i)) as u64);
        }
    }
}

#[test]
fn counts_of_64_bits() {
    let table: &[(Count64, Unary<u64, u32>)] = &[
        (Count64::Popc, |x| {
            (0..64).map(|i| (x >> i & 1) as u32).sum()
        }),
        (Count64::Clz, |x| 63u32.wrapping_sub(highest(x.into()))),
        (Count64::BfindU, |x| highest(x.into())),
        (Count64::BfindS, |x| highest(magnitude((x as i64).into()))),
        (Count64::BfindShiftU, |x| {
            shift_amount(highest(x.into()), 63)
        }),
        (Count64::BfindShiftS, |x| {
            shift_amount(highest(magnitude((x as i64).into())), 63)
        }),
    ];
    for [x] in rows64(&integers64(), 100) {
        for &(op, model) in table {
            check32(
                &[],
                &[x],
                |d| Alu::Count64 { op, d, a: T[0] },
                |i| model(x[i]),
            );
        }
    }
}
