//! The undefined bits of registers, and which bits of a result are undefined.
//!
//! Copies, shifts, conversions and logic are followed bit by bit, after Memcheck (Seward and Nethercote
//! 2005). A sum is undefined from the lowest undefined bit on. Of any other operation with an undefined
//! operand, the whole result is.

use ptx::ir::{Alu, Bin32, Bin64, Combine, Num, Pred, PredOp, R32, R64, Register, Shift, SlctType};
use ptx::ir::{Ter32, Un32, Un64};

use crate::alu::prmt;
use crate::counters::lanes;
use crate::registers::{LANES, LaneMask, Registers};

/// All bits of any register.
pub(super) const ALL_BITS: u64 = u64::MAX;

/// Where an undefined value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// The shuffle.
    pub pc: u32,
    /// The lane that read.
    pub lane: u8,
    /// The lane that it read from.
    pub absent: u8,
}

impl Source {
    pub fn new(pc: u32, lane: u32, absent: u32) -> Self {
        Self { pc, lane: lane as u8, absent: absent as u8 }
    }
}

/// The undefined bits of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shade {
    bits: u64,
    /// Where they come from, if there are any.
    pub source: Source,
}

impl Shade {
    /// A value of which nothing is defined.
    pub fn absent(source: Source) -> Self {
        Self { bits: ALL_BITS, source }
    }

    pub fn is_some(self) -> bool {
        self.bits != 0
    }

    /// Returns these bits as the undefined ones, if any bit of this value is undefined.
    pub fn all(self, bits: u64) -> Self {
        if self.is_some() { self.with(bits) } else { self }
    }

    /// Returns the undefined bits among these.
    pub fn within(self, bits: u64) -> Self {
        self.with(self.bits & bits)
    }

    /// Returns the undefined bits of both.
    pub fn or(self, other: Self) -> Self {
        let source = if self.is_some() { self.source } else { other.source };
        Self { bits: self.bits | other.bits, source }
    }

    fn with(self, bits: u64) -> Self {
        Self { bits, ..self }
    }

    /// Returns the bits that a carry may change.
    fn carried(self) -> Self {
        self.with(self.bits | self.bits.wrapping_neg())
    }
}

/// The registers of a warp that have undefined bits. There are few of them.
#[derive(Clone, Default)]
pub(super) struct Shades(Vec<(Register, Box<Row>)>);

/// The undefined bits of a register, by lane.
pub(super) type Row = [Shade; LANES];

impl Shades {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has_any(&self, registers: &[Register]) -> bool {
        registers.iter().any(|register| self.row(*register).is_some())
    }

    /// Returns the undefined bits of a register in a lane.
    pub fn get(&self, register: Register, lane: u32) -> Shade {
        self.row(register).map_or_else(Shade::default, |row| row[lane as usize & 31])
    }

    /// Sets the undefined bits of a register in these lanes.
    pub fn set(&mut self, register: Register, mask: LaneMask, mut shade: impl FnMut(u32) -> Shade) {
        let width = match register {
            Register::R32(_) => u32::MAX.into(),
            Register::R64(_) => ALL_BITS,
            Register::Pred(_) => 1,
        };
        let at = self.0.iter().position(|(known, _)| *known == register);
        let mut row = at.map_or_else(Row::default, |at| *self.0[at].1);
        lanes(mask).for_each(|lane| row[lane as usize & 31] = shade(lane).within(width));
        match (at, row.iter().any(|shade| shade.is_some())) {
            (Some(at), true) => *self.0[at].1 = row,
            (Some(at), false) => {
                self.0.swap_remove(at);
            }
            (None, true) => self.0.push((register, Box::new(row))),
            (None, false) => {}
        }
    }

    #[inline(always)]
    fn row(&self, register: Register) -> Option<&Row> {
        self.0.iter().find(|(known, _)| *known == register).map(|(_, row)| &**row)
    }
}

/// The operands of an operation in one lane.
#[derive(Clone, Copy)]
struct Operands<'a> {
    shades: &'a Shades,
    registers: &'a Registers,
    lane: u32,
}

/// A value, and which of its bits are undefined.
type Value = (u64, Shade);

impl Operands<'_> {
    fn shade(&self, register: impl Into<Register>) -> Shade {
        self.shades.get(register.into(), self.lane)
    }

    fn r32(&self, r: R32) -> Value {
        (self.registers.r32(r)[self.lane as usize & 31].into(), self.shade(r))
    }

    fn r64(&self, r: R64) -> Value {
        (self.registers.r64(r)[self.lane as usize & 31], self.shade(r))
    }

    fn pred(&self, p: Pred) -> Value {
        (u64::from(self.registers.pred(p) >> self.lane & 1), self.shade(p))
    }

    /// Returns one of two values, as a defined third one decides.
    fn select(&self, (first, decides): (bool, Shade), a: Value, b: Value) -> Shade {
        let are_equal = a.0 == b.0 && !a.1.is_some() && !b.1.is_some();
        match decides.is_some() {
            true if are_equal => Shade::default(),
            true => decides.all(ALL_BITS),
            false => {
                if first {
                    a.1
                } else {
                    b.1
                }
            }
        }
    }

    /// Returns the undefined bits of a comparison that is combined with another predicate.
    fn comparison(&self, compared: Shade, with: Option<Combine>) -> Shade {
        let compared = compared.all(1);
        let Some(Combine { op, c, negated }) = with else {
            return compared;
        };
        let (value, shade) = self.pred(c);
        let third = (value ^ u64::from(negated), shade);
        match compared.is_some() {
            true => predicates(op, (0, compared), third),
            false => shade,
        }
    }
}

/// Returns the undefined bits that an operation gives a register that it writes, in one lane. `reads`
/// are all operands.
pub(super) fn of_alu(
    alu: &Alu,
    written: Register,
    reads: &[Register],
    (shades, registers, lane): (&Shades, &Registers, u32),
) -> Shade {
    let of = Operands { shades, registers, lane };
    let any = || reads.iter().map(|r| of.shade(*r)).fold(Shade::default(), Shade::or);
    match *alu {
        Alu::Un32 { op: Un32::Mov | Un32::Not, a, .. } => of.shade(a),
        Alu::Un64 { op: Un64::Mov | Un64::Not, a, .. } => of.shade(a),
        Alu::Bin32 { op, a, b, .. } => binary32(op, of.r32(a), of.r32(b)),
        Alu::Bin64 { op, a, b, .. } => binary64(op, of.r64(a), of.r64(b)),
        Alu::Lop3 { table, a, b, c, .. } => logic(table, [of.r32(a), of.r32(b), of.r32(c)]),
        Alu::Ter32 { op: Ter32::Prmt(mode), a, b, c, .. } if !of.shade(c).is_some() => {
            let (a, b) = (of.shade(a), of.shade(b));
            let bits = prmt(mode, a.bits as u32, b.bits as u32, of.r32(c).0 as u32);
            a.or(b).with(bits.into())
        }
        Alu::Shift64 { op, a, b, .. } => shift(op, 64, of.shade(a), of.r32(b)),
        Alu::Selp32 { a, b, p, .. } => selected(&of, p, of.r32(a), of.r32(b)),
        Alu::Selp64 { a, b, p, .. } => selected(&of, p, of.r64(a), of.r64(b)),
        Alu::Slct32 { by, a, b, c, .. } => {
            of.select(is_positive(by, of.r32(c)), of.r32(a), of.r32(b))
        }
        Alu::Slct64 { by, a, b, c, .. } => {
            of.select(is_positive(by, of.r32(c)), of.r64(a), of.r64(b))
        }
        Alu::PredOp { op, a, b, .. } => predicates(op, of.pred(a), of.pred(b)),
        Alu::SetMask { p, if_true, .. } => of.shade(p).all(if_true.into()),
        Alu::Setp32 { a, b, with, .. } => of.comparison(of.shade(a).or(of.shade(b)), with),
        Alu::Setp64 { a, b, with, .. } => of.comparison(of.shade(a).or(of.shade(b)), with),
        Alu::Pack64 { lo, hi, .. } => packed(32, [lo, hi].map(|r| of.shade(r))),
        Alu::Pack32 { lo, hi, .. } => packed(16, [lo, hi].map(|r| of.shade(r))),
        Alu::Pack64x4 { s, .. } => packed(16, s.map(|r| of.shade(r))),
        Alu::Unpack64 { lo, hi, a } => unpacked(32, of.shade(a), [lo, hi], written),
        Alu::Unpack32 { lo, hi, a } => unpacked(16, of.shade(a), [lo, hi], written),
        Alu::Unpack64x4 { d, a } => unpacked(16, of.shade(a), d, written),
        Alu::Cvt { from, to, sat: false, a, .. } => converted(from, to, of.shade(a)),
        _ => any().all(ALL_BITS),
    }
}

fn selected(of: &Operands<'_>, p: Pred, a: Value, b: Value) -> Shade {
    let (first, decides) = of.pred(p);
    of.select((first == 1, decides), a, b)
}

/// Whether `slct` takes its first operand.
fn is_positive(by: SlctType, (value, shade): Value) -> (bool, Shade) {
    let is_positive = match by {
        SlctType::S32 => value as i32 >= 0,
        SlctType::F32 { .. } => f32::from_bits(value as u32) >= 0.0,
    };
    (is_positive, shade)
}

fn binary32(op: Bin32, a: Value, b: Value) -> Shade {
    match op {
        Bin32::And => logic(AND, [a, b, b]),
        Bin32::Or => logic(OR, [a, b, b]),
        Bin32::Xor => a.1.or(b.1),
        Bin32::Add | Bin32::Sub => a.1.or(b.1).carried(),
        Bin32::MulLo => product(a, b),
        Bin32::Shl => shift(Shift::Left, 32, a.1, b),
        Bin32::ShrU => shift(Shift::RightUnsigned, 32, a.1, b),
        Bin32::ShrS => shift(Shift::RightSigned, 32, a.1, b),
        _ => a.1.or(b.1).all(ALL_BITS),
    }
}

fn binary64(op: Bin64, a: Value, b: Value) -> Shade {
    match op {
        Bin64::And => logic(AND, [a, b, b]),
        Bin64::Or => logic(OR, [a, b, b]),
        Bin64::Xor => a.1.or(b.1),
        Bin64::Add | Bin64::Sub => a.1.or(b.1).carried(),
        Bin64::MulLo => product(a, b),
        _ => a.1.or(b.1).all(ALL_BITS),
    }
}

/// Returns the undefined bits of a product, which is zero if a factor is.
fn product(a: Value, b: Value) -> Shade {
    let is_zero = |(value, shade): Value| value == 0 && !shade.is_some();
    if is_zero(a) || is_zero(b) { Shade::default() } else { a.1.or(b.1).carried() }
}

/// The tables, as those of `lop3`, of operations of `a` and `b`.
const AND: u8 = 0xc0;
const OR: u8 = 0xfc;

/// Returns the undefined bits of an operation that is given by a table, as that of `lop3`: those that
/// undefined operands can make 0 and 1.
fn logic(table: u8, operands: [Value; 3]) -> Shade {
    let (mut ones, mut zeros) = (0, 0);
    for index in 0..8 {
        let can_be =
            operands.iter().zip([4, 2, 1]).fold(ALL_BITS, |all, (&(value, shade), bit)| {
                let wanted = if index & bit == 0 { 0 } else { ALL_BITS };
                all & (shade.bits | !(value ^ wanted))
            });
        match table >> index & 1 {
            0 => zeros |= can_be,
            _ => ones |= can_be,
        }
    }
    let any = operands.iter().fold(Shade::default(), |any, (_, shade)| any.or(*shade));
    any.with(ones & zeros)
}

fn predicates(op: PredOp, a: Value, b: Value) -> Shade {
    match op {
        PredOp::Mov | PredOp::Not => a.1,
        PredOp::And => logic(AND, [a, b, b]),
        PredOp::Or => logic(OR, [a, b, b]),
        PredOp::Xor => a.1.or(b.1),
    }
}

/// Returns the undefined bits of a value that is shifted.
fn shift(op: Shift, width: u32, value: Shade, (by, decides): Value) -> Shade {
    if decides.is_some() {
        return decides.all(ALL_BITS);
    }
    let by = by.min(width.into()) as u32;
    value.with(match op {
        Shift::Left => value.bits.checked_shl(by).unwrap_or(0),
        Shift::RightUnsigned => value.bits.checked_shr(by).unwrap_or(0),
        Shift::RightSigned => (extended(value.bits, width) as i64 >> by.min(63)) as u64,
    })
}

/// Copies the highest bit of a number of some width to all bits above it.
fn extended(bits: u64, width: u32) -> u64 {
    ((bits << (64 - width)) as i64 >> (64 - width)) as u64
}

/// Returns the undefined bits of parts that are joined.
fn packed<const N: usize>(width: usize, parts: [Shade; N]) -> Shade {
    let low = u64::MAX >> (64 - width);
    let placed =
        parts.iter().enumerate().map(|(i, part)| part.with((part.bits & low) << (i * width)));
    placed.fold(Shade::default(), Shade::or)
}

/// Returns the undefined bits of the part that goes to `written`.
fn unpacked<const N: usize>(
    width: usize,
    whole: Shade,
    parts: [Option<R32>; N],
    written: Register,
) -> Shade {
    let part = parts.iter().position(|part| part.is_some_and(|part| written == part.into()));
    let bits = whole.bits >> (part.unwrap_or(0) * width);
    whole.with(bits & (u64::MAX >> (64 - width)))
}

/// Returns the undefined bits of a number in another format.
fn converted(from: Num, to: Num, value: Shade) -> Shade {
    let (Some((width, is_signed)), Some(_)) = (integer(from), integer(to)) else {
        return value.all(ALL_BITS);
    };
    let low = value.bits & (u64::MAX >> (64 - width));
    value.with(if is_signed { extended(low, width) } else { low })
}

/// Returns the bits of an integer format, and whether it is signed.
fn integer(ty: Num) -> Option<(u32, bool)> {
    Some(match ty {
        Num::U8 => (8, false),
        Num::S8 => (8, true),
        Num::U16 => (16, false),
        Num::S16 => (16, true),
        Num::U32 => (32, false),
        Num::S32 => (32, true),
        Num::U64 => (64, false),
        Num::S64 => (64, true),
        Num::F16 | Num::Bf16 | Num::F32 | Num::F64 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: u64, undefined: u64) -> Value {
        (value, Shade { bits: undefined, source: Source::default() })
    }

    #[test]
    fn logic_keeps_what_one_operand_decides() {
        let (a, b) = (value(0b0011, 0b1111), value(0b0101, 0));
        assert_eq!(logic(AND, [a, b, b]).bits, 0b0101);
        assert_eq!(logic(OR, [a, b, b]).bits, 0b1010);
        // `a ? b : c` with b equal to c in some bits.
        let (b, c) = (value(0b0101, 0), value(0b0110, 0));
        assert_eq!(logic(0xca, [a, b, c]).bits, 0b0011);
    }

    #[test]
    fn moved_bits() {
        let shade = value(0, 0x80).1;
        assert_eq!(shift(Shift::Left, 32, shade, value(4, 0)).bits, 0x800);
        assert_eq!(shift(Shift::RightUnsigned, 32, shade, value(99, 0)).bits, 0);
        assert_eq!(shift(Shift::Left, 32, shade, value(4, 1)).bits, ALL_BITS);
        assert_eq!(converted(Num::S8, Num::S32, shade).bits, !0x7f);
        assert_eq!(converted(Num::U8, Num::U32, shade).bits, 0x80);
        assert_eq!(converted(Num::U32, Num::F32, shade).bits, ALL_BITS);
        assert_eq!(packed(16, [shade, shade]).bits, 0x80_0080);
        let to = [Some(R32(1)), Some(R32(2))];
        assert_eq!(unpacked(16, value(0, 0x8_0000).1, to, R32(2).into()).bits, 8);
    }

    #[test]
    fn sums_and_products() {
        assert_eq!(binary32(Bin32::Add, value(1, 8), value(1, 0)).bits, !7);
        assert!(!binary32(Bin32::MulLo, value(1, 8), value(0, 0)).is_some());
        assert_eq!(binary32(Bin32::MaxU, value(1, 8), value(0, 0)).bits, ALL_BITS);
    }
}
