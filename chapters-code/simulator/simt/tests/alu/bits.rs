//! Bit fields, masks, `lop3` and `prmt`.

use super::common::{INTEGERS, Random, S, T, check32, check64, rows32};
use super::integers::*;
use ptx::ir::*;
use simt::registers::Lanes64;

pub fn bit(x: i128, i: u32) -> i128 {
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
pub fn field(a: i128, signed: bool, msb: u32, b: u32, c: u32) -> i128 {
    let (pos, len) = place(msb, b, c);
    let sbit = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
    (0..=msb)
        .map(|i| if i < len && pos + i <= msb { bit(a, pos + i) << i } else { sbit << i })
        .sum()
}

/// `bfi`, as the manual writes it.
fn inserted(a: i128, b: i128, msb: u32, c: u32, d: u32) -> i128 {
    let (pos, len) = place(msb, c, d);
    (0..=msb)
        .map(|i| if i >= pos && i < pos + len { bit(a, i - pos) << i } else { bit(b, i) << i })
        .sum()
}

#[test]
fn bit_fields() {
    for seed in 0..500 {
        let mut random = Random(seed);
        let [x, y, z, w] = std::array::from_fn(|_| random.row32(INTEGERS));
        let make = |d| Alu::Bfi32 { d, a: S[0], b: S[1], c: S[2], len: S[3] };
        let model = |i: usize| inserted(u32_(x[i]), u32_(y[i]), 31, z[i], w[i]) as u32;
        check32(&[x, y, z, w], &[], make, model);

        let wide = INTEGERS.iter().map(|&x| u64::from(x) << 16).collect::<Vec<_>>();
        let [a, b]: [Lanes64; 2] = std::array::from_fn(|_| random.row64(&wide));
        let make = |d| Alu::Bfi64 { d, a: T[0], b: T[1], c: S[0], len: S[1] };
        let model = |i: usize| inserted(a[i].into(), b[i].into(), 63, x[i], y[i]) as u64;
        check64(&[x, y], &[a, b], make, model);
        for signed in SIGNS {
            let make = |d| Alu::Bfe64 { signed, d, a: T[0], b: S[0], c: S[1] };
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
        let make = |op| move |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
        check32(&[x, y], &[], make(Bin32::BmskClamp), |i| bmsk(x[i], y[i], true));
        check32(&[x, y], &[], make(Bin32::BmskWrap), |i| bmsk(x[i], y[i], false));
        check32(&[x, y], &[], make(Bin32::SzextClampU), |i| szext(x[i], y[i], false));
        check32(&[x, y], &[], make(Bin32::SzextClampS), |i| szext(x[i], y[i], true));
    }
}

#[test]
fn lop3() {
    let rows = rows32::<3>(&INTEGERS[..8], 2);
    for table in 0..=255u8 {
        for [x, y, z] in &rows {
            let make = |d| Alu::Lop3 { table, d, a: S[0], b: S[1], c: S[2] };
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
        (PrmtMode::F4e, [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]),
        (PrmtMode::B4e, [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]]),
        (PrmtMode::Rc8, [[0; 4], [1; 4], [2; 4], [3; 4]]),
        (PrmtMode::Ecl, [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]]),
        (PrmtMode::Ecr, [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]]),
        (PrmtMode::Rc16, [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]]),
    ];
    for seed in 0..100 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row32(INTEGERS));
        let bytes = |i: usize| {
            let ([a, b, c, d], [e, f, g, h]) = (x[i].to_le_bytes(), y[i].to_le_bytes());
            [a, b, c, d, e, f, g, h]
        };
        let make =
            |mode| move |d| Alu::Ter32 { op: Ter32::Prmt(mode), d, a: S[0], b: S[1], c: S[2] };
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
