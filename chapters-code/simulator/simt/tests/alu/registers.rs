//! Packing, carry chains, generic addresses: what moves bits between registers.

use super::common::{
    BEFORE32, D, INTEGERS, MASKS, P, Random, S, T, WINDOWS, check_pred, check32, check64, isas,
    registers,
};
use ptx::ir::{Alu, R32, R64, Space};
use simt::alu::Isa;
use simt::registers::{LaneMask, Lanes32, Lanes64, Registers};

fn row64(random: &mut Random) -> Lanes64 {
    std::array::from_fn(|_| random.next())
}

#[test]
fn packing() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let rows: [Lanes32; 4] = std::array::from_fn(|_| random.row32(INTEGERS));
        let [x, y, z, w] = rows;
        check64(
            &[x, y],
            &[],
            |d| Alu::Pack64 { d, lo: S[0], hi: S[1] },
            |i| u64::from(y[i]) << 32 | u64::from(x[i]),
        );
        check32(
            &[x, y],
            &[],
            |d| Alu::Pack32 { d, lo: S[0], hi: S[1] },
            |i| y[i] << 16 | x[i] & 0xffff,
        );
        check64(
            &rows,
            &[],
            |d| Alu::Pack64x4 { d, s: S },
            |i| {
                let halves = [x[i], y[i], z[i], w[i]].map(|x| u64::from(x as u16));
                halves.iter().rev().fold(0, |bits, half| bits << 16 | half)
            },
        );
    }
}

/// Executes `alu` and checks the registers of `expected`; in inactive lanes they hold [`BEFORE32`].
fn check_unpacked(alu: Alu, x: u32, v: Lanes64, expected: &[(R32, &dyn Fn(usize) -> u32)]) {
    for isa in isas() {
        for mask in MASKS {
            let mut regs = registers(&[], &[v]);
            for n in 5..16 {
                *regs.r32_mut(R32(n)) = [BEFORE32; 32];
            }
            *regs.r32_mut(S[0]) = [x; 32];
            isa.execute(&alu, &mut regs, mask, &WINDOWS);
            for n in 5..16 {
                let model = expected.iter().find(|(d, _)| *d == R32(n));
                for lane in 0..32 {
                    let wanted = match model {
                        Some((_, model)) if mask >> lane & 1 == 1 => model(lane),
                        _ => BEFORE32,
                    };
                    assert_eq!(regs.r32(R32(n))[lane], wanted, "{alu:?}, mask {mask:#x}");
                }
            }
        }
    }
}

#[test]
fn unpacking() {
    let v = row64(&mut Random(7));
    let x = 0x89ab_cdef;
    let (low, high) = (|i: usize| v[i] as u32, |i: usize| (v[i] >> 32) as u32);
    let alu = Alu::Unpack64 { lo: Some(R32(5)), hi: Some(R32(6)), a: T[0] };
    check_unpacked(alu, x, v, &[(R32(5), &low), (R32(6), &high)]);
    check_unpacked(Alu::Unpack64 { lo: None, hi: Some(R32(6)), a: T[0] }, x, v, &[(R32(6), &high)]);
    let alu = Alu::Unpack32 { lo: Some(R32(5)), hi: Some(R32(6)), a: S[0] };
    check_unpacked(alu, x, v, &[(R32(5), &|_| 0xcdef), (R32(6), &|_| 0x89ab)]);
    check_unpacked(
        Alu::Unpack32 { lo: Some(R32(5)), hi: None, a: S[0] },
        x,
        v,
        &[(R32(5), &|_| 0xcdef)],
    );
    let half = |n: usize| move |i: usize| (v[i] >> (16 * n)) as u32 & 0xffff;
    let alu = Alu::Unpack64x4 { d: [Some(R32(5)), None, Some(R32(7)), Some(R32(8))], a: T[0] };
    check_unpacked(alu, x, v, &[(R32(5), &half(0)), (R32(7), &half(2)), (R32(8), &half(3))]);
}

#[test]
fn unpacking_over_the_operand() {
    for isa in isas() {
        let mut regs = registers(&[[0x1234_5678; 32]], &[]);
        let alu = Alu::Unpack32 { lo: Some(S[0]), hi: Some(S[1]), a: S[0] };
        isa.execute(&alu, &mut regs, !0, &WINDOWS);
        assert_eq!((regs.r32(S[0])[31], regs.r32(S[1])[31]), (0x5678, 0x1234));
    }
}

const CARRY: R32 = R32(9);

/// Runs a chain in the lanes of `mask`.
fn run(regs: &mut Registers, mask: LaneMask, chain: &[Alu]) {
    for alu in chain {
        Isa::detect().execute(alu, regs, mask, &WINDOWS);
    }
}

/// 128-bit sums and differences in two 64-bit or four 32-bit steps.
#[test]
fn carry_chains() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let values: [[u128; 32]; 2] = std::array::from_fn(|_| {
            std::array::from_fn(|_| {
                let half = |random: &mut Random| random.near(&[0, !0, 1, 1 << 63], 64);
                u128::from(half(&mut random)) << 64 | u128::from(half(&mut random))
            })
        });
        let part32 = |x: u128, n: u16| (x >> (32 * n)) as u32;
        let part64 = |x: u128, n: u16| (x >> (64 * n)) as u64;
        let mask = MASKS[seed as usize % MASKS.len()];
        for subtract in [false, true] {
            let mut regs = Registers::with_sizes(16, 16, 1);
            for (operand, value) in values.iter().enumerate() {
                for n in 0..4 {
                    *regs.r32_mut(R32(4 * operand as u16 + n)) = value.map(|x| part32(x, n));
                }
                for n in 0..2 {
                    *regs.r64_mut(R64(2 * operand as u16 + n)) = value.map(|x| part64(x, n));
                }
            }
            let chain32 = (0..4).map(|n| {
                let (d, a, b, uses, sets) = (R32(10 + n), R32(n), R32(4 + n), n > 0, n < 3);
                if subtract {
                    Alu::SubBorrow32 { d, a, b, carry: CARRY, uses, sets }
                } else {
                    Alu::AddCarry32 { d, a, b, carry: CARRY, uses, sets }
                }
            });
            let chain64 = (0..2).map(|n| {
                let (d, a, b, uses, sets) = (R64(10 + n), R64(n), R64(2 + n), n > 0, n < 1);
                if subtract {
                    Alu::SubBorrow64 { d, a, b, carry: CARRY, uses, sets }
                } else {
                    Alu::AddCarry64 { d, a, b, carry: CARRY, uses, sets }
                }
            });
            run(&mut regs, mask, &chain32.chain(chain64).collect::<Vec<_>>());
            for (lane, (x, y)) in values[0].into_iter().zip(values[1]).enumerate() {
                let result = if subtract { x.wrapping_sub(y) } else { x.wrapping_add(y) };
                let active = mask >> lane & 1 == 1;
                for n in 0..4 {
                    let wanted = if active { part32(result, n) } else { 0 };
                    assert_eq!(regs.r32(R32(10 + n))[lane], wanted);
                }
                for n in 0..2 {
                    let wanted = if active { part64(result, n) } else { 0 };
                    assert_eq!(regs.r64(R64(10 + n))[lane], wanted);
                }
            }
        }
    }
}

#[test]
fn carry_flag() {
    let mut regs = registers(&[[!0; 32], [1; 32]], &[]);
    let add = |uses, sets| Alu::AddCarry32 { d: D, a: S[0], b: S[1], carry: CARRY, uses, sets };
    run(&mut regs, 0xffff, &[add(false, true)]);
    assert_eq!(regs.r32(CARRY)[15..17], [1, 0]);
    run(&mut regs, !0, &[add(true, false)]);
    assert_eq!(regs.r32(D)[15..17], [1, 0]);
    assert_eq!(regs.r32(CARRY)[15..17], [1, 0]);
}

#[test]
fn generic_addresses() {
    let offsets: Lanes64 = std::array::from_fn(|i| [0, 4, 0xffff_ffff, 0x1234][i % 4]);
    let shared = offsets.map(|x| x + WINDOWS.shared_base);
    let local = offsets.map(|x| x + WINDOWS.local_base);
    let global = offsets.map(|x| x + 0x7000_0000_0000);
    for (space, specific, generic) in [
        (Space::Shared, offsets, shared),
        (Space::Local, offsets, local),
        (Space::Global, global, global),
        (Space::Const, global, global),
        (Space::Param, global, global),
    ] {
        let make = |d| Alu::ToGeneric { space, d, a: T[0] };
        check64(&[], &[specific], make, |i| generic[i]);
        let make = |d| Alu::FromGeneric { space, d, a: T[0] };
        check64(&[], &[generic], make, |i| specific[i]);
    }
    for (row, lies_in) in [(shared, Space::Shared), (local, Space::Local), (global, Space::Global)]
    {
        for space in [Space::Shared, Space::Local, Space::Global] {
            let alu = Alu::IsSpace { space, d: P, a: T[0] };
            check_pred(&[], &[row], alu, |_| space == lies_in);
        }
    }
}
