//! How long a warp instruction takes: nanoseconds for typical operations, in both compilations,
//! with all lanes active and with half of them.
//!
//! `cargo run --example alu_speed`

use ptx::ir::{
    Alu, Bin32, Bin64, Cmp, CmpType32, Half, Num, Pred, R32, R64, Round, Sign, Src, Ter32,
};
use simt::alu::{Baseline, Isa, Windows};
use simt::registers::Registers;
use std::hint::black_box;
use std::time::Instant;

const WINDOWS: Windows = Windows {
    shared_base: 1 << 40,
    shared_bytes: 1 << 32,
    cluster_bytes: 1 << 32,
    local_base: 1 << 41,
    local_bytes: 1 << 32,
    constants: Vec::new(),
};

/// Executions of one instruction, which alternates between destinations.
const REPEAT: u32 = 100_000;

/// An instruction with a given destination.
type Make = fn(u16) -> Alu;

fn main() {
    let best = Isa::detect();
    println!("{:24} {:>10} {:>10} {:>10}", "", "baseline", "best", "16 lanes");
    for (name, make) in instructions() {
        let baseline = nanoseconds(Isa::Baseline(Baseline), make, !0);
        let vector = nanoseconds(best, make, !0);
        let partial = nanoseconds(best, make, 0xffff);
        println!("{name:24} {baseline:>10.2} {vector:>10.2} {partial:>10.2}");
    }
}

/// The mean over [`REPEAT`] executions, the best of fifty.
fn nanoseconds(isa: Isa, make: Make, mask: u32) -> f64 {
    let program: Vec<Alu> = (0..8).map(make).collect();
    let mut regs = registers();
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        let start = Instant::now();
        for _ in 0..REPEAT / 8 {
            for alu in &program {
                isa.execute(black_box(alu), &mut regs, mask, &WINDOWS);
            }
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    black_box(&regs);
    best * 1e9 / f64::from(REPEAT)
}

/// Registers 16 to 19 of each file hold operands: floats near 1 in both formats.
fn registers() -> Registers {
    let mut regs = Registers::with_sizes(32, 32, 16);
    for n in 16..20 {
        for lane in 0..32 {
            let value = 1.0 + f64::from(n) / 64.0 + lane as f64 / 256.0;
            regs.r32_mut(R32(n))[lane] = (value as f32).to_bits();
            regs.r64_mut(R64(n))[lane] = value.to_bits();
        }
    }
    regs.set_pred(Pred(8), 0x5555_3333, !0);
    regs
}

const A: R32 = R32(16);
const B: R32 = R32(17);
const C: R32 = R32(18);
const A64: R64 = R64(16);
const B64: R64 = R64(17);
const NEAREST: Round = Round::NearestEven;

/// Name, and the instruction with a given destination.
#[rustfmt::skip]
fn instructions() -> Vec<(&'static str, Make)> {
    vec![
        ("add.s32", |d| bin(Bin32::Add, d)),
        ("mul.lo.s32", |d| bin(Bin32::MulLo, d)),
        ("div.u32", |d| bin(Bin32::DivU, d)),
        ("rem.s32", |d| bin(Bin32::RemS, d)),
        ("shl.b32", |d| bin(Bin32::Shl, d)),
        ("min.s32", |d| bin(Bin32::MinS, d)),
        ("mad.lo.s32", |d| Alu::Ter32 { op: Ter32::MadLo, d: R32(d), a: A, b: B, c: C }),
        ("lop3.b32", |d| Alu::Lop3 { table: 0x96, d: R32(d), a: A, b: B, c: C }),
        ("bfe.u32", |d| Alu::Ter32 { op: Ter32::BfeU, d: R32(d), a: A, b: B, c: C }),
        ("add.f32", |d| bin(Bin32::AddF32 { round: NEAREST, ftz: false, sat: false }, d)),
        ("mul.ftz.f32", |d| bin(Bin32::MulF32 { round: NEAREST, ftz: true, sat: false }, d)),
        ("add.rz.f32", |d| bin(Bin32::AddF32 { round: Round::Zero, ftz: false, sat: false }, d)),
        ("div.rn.f32", |d| bin(Bin32::DivF32 { round: NEAREST, ftz: false }, d)),
        ("max.f32", |d| bin(Bin32::MaxF32 { ftz: false, nan: false }, d)),
        ("fma.rn.f32", |d| Alu::Ter32 { op: Ter32::FmaF32 { round: NEAREST, ftz: false, sat: false }, d: R32(d), a: A, b: B, c: C }),
        ("add.f16x2", |d| bin(Bin32::AddHalf(Half::F16x2 { ftz: false, sat: false }), d)),
        ("fma.rn.bf16x2", |d| Alu::Ter32 { op: Ter32::FmaHalf { half: Half::Bf16x2, relu: false }, d: R32(d), a: A, b: B, c: C }),
        ("add.s64", |d| Alu::Bin64 { op: Bin64::Add, d: R64(d), a: A64, b: B64 }),
        ("mul.lo.s64", |d| Alu::Bin64 { op: Bin64::MulLo, d: R64(d), a: A64, b: B64 }),
        ("add.f64", |d| Alu::Bin64 { op: Bin64::AddF64(NEAREST), d: R64(d), a: A64, b: B64 }),
        ("mul.wide.s32", |d| Alu::MulWide { signed: Sign::Signed, d: R64(d), a: A, b: B }),
        ("mul.wide.u32", |d| Alu::MulWide { signed: Sign::Unsigned, d: R64(d), a: A, b: B }),
        ("setp.lt.u32", |d| Alu::Setp32 { cmp: Cmp::Lt, ty: CmpType32::U32, d: Pred(d), q: None, a: A, b: B, with: None }),
        ("setp.gt.f32", |d| Alu::Setp32 { cmp: Cmp::Gt, ty: CmpType32::F32 { ftz: false }, d: Pred(d), q: None, a: A, b: B, with: None }),
        ("selp.b32", |d| Alu::Selp32 { d: R32(d), a: A, b: B, p: Pred(8) }),
        ("cvt.rn.f32.s32", |d| cvt(Num::S32, Num::F32, NEAREST, d)),
        ("cvt.rzi.s32.f32", |d| cvt(Num::F32, Num::S32, Round::Zero, d)),
        ("cvt.f32.f16", |d| cvt(Num::F16, Num::F32, Round::None, d)),
        ("cvt.rn.f16.f32", |d| cvt(Num::F32, Num::F16, NEAREST, d)),
        ("cvt.u16.u8", |d| cvt(Num::U8, Num::U16, Round::None, d)),
        ("cvt.rmi.f32.f32", |d| cvt(Num::F32, Num::F32, Round::Down, d)),
        ("cvt.s64.s32", |d| Alu::Cvt { from: Num::S32, to: Num::S64, round: Round::None, sat: false, ftz: false, d: Src::R64(R64(d)), a: Src::R32(A) }),
    ]
}

fn bin(op: Bin32, d: u16) -> Alu {
    Alu::Bin32 { op, d: R32(d), a: A, b: B }
}

fn cvt(from: Num, to: Num, round: Round, d: u16) -> Alu {
    Alu::Cvt { from, to, round, sat: false, ftz: false, d: Src::R32(R32(d)), a: Src::R32(A) }
}
