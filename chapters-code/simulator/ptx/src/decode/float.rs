//! Arithmetic and functions of `f32` and `f64`.

use super::Decoded;
use super::inst::{Inst, ROUNDINGS};
use super::kernel::Decoder;
use crate::ir::{Alu, Bin32, Bin64, Round, Ter32, Ter64, Un32, Un64};
use crate::syntax::Type;

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes arithmetic that is not in the table: floats, and integers with carry.
    pub fn arithmetic(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        match inst.ty()? {
            Type::F32 => self.arithmetic_f32(inst),
            Type::F64 => self.arithmetic_f64(inst),
            ty @ (Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => {
                self.arithmetic_half(inst, ty)
            }
            ty @ (Type::U16x2 | Type::S16x2) => self.arithmetic_pair(inst, ty),
            ty => self.with_carry(inst, ty),
        }
    }

    fn arithmetic_f32(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let ftz = inst.flag("ftz");
        let base = inst.syntax.base;
        let op = match base {
            "neg" => return self.un32(inst, Un32::NegF32 { ftz }, Type::F32),
            "abs" => return self.un32(inst, Un32::AbsF32 { ftz }, Type::F32),
            "min" | "max" => {
                let nan = inst.flag("NaN");
                let op = match base {
                    "min" => Bin32::MinF32 { ftz, nan },
                    _ => Bin32::MaxF32 { ftz, nan },
                };
                return self.min_max(inst, op, Type::F32);
            }
            "div" if inst.flag("approx") => Bin32::DivApproxF32 { ftz },
            "div" if inst.flag("full") => Bin32::DivFullF32 { ftz },
            "div" => Bin32::DivF32 { round: inst.require(&ROUNDINGS)?, ftz },
            _ => {
                let (sat, round) = (inst.flag("sat"), inst.rounding());
                match base {
                    "add" => Bin32::AddF32 { round, ftz, sat },
                    "sub" => Bin32::SubF32 { round, ftz, sat },
                    "mul" => Bin32::MulF32 { round, ftz, sat },
                    "mad" | "fma" => {
                        return self.ter32_float(
                            inst,
                            Ter32::FmaF32 { round, ftz, sat },
                            Type::F32,
                        );
                    }
                    _ => return Err(inst.unsupported()),
                }
            }
        };
        self.bin32(inst, op, Type::F32)
    }

    fn arithmetic_f64(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let round = inst.rounding();
        let op = match inst.syntax.base {
            "add" => Bin64::AddF64(round),
            "sub" => Bin64::SubF64(round),
            "mul" => Bin64::MulF64(round),
            "div" => Bin64::DivF64(round),
            "mad" | "fma" => {
                let [d, a, b, c] = inst.operands()?;
                let ty = Type::F64;
                let (a, b, c) = (self.src64(a, ty)?, self.src64(b, ty)?, self.src64(c, ty)?);
                let d = self.dst64(d)?;
                return self.alu(Alu::Ter64 { op: Ter64::FmaF64(round), d, a, b, c });
            }
            _ => return Err(inst.unsupported()),
        };
        self.bin64(inst, op)
    }

    /// Decodes `sqrt`, `rcp`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2` and `tanh`.
    pub fn function(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        match inst.ty()? {
            Type::F32 => {
                let op = function_f32(&mut inst)?;
                self.un32(inst, op, Type::F32)
            }
            Type::F64 => {
                let op = function_f64(&mut inst)?;
                let [d, a] = inst.operands()?;
                let (a, d) = (self.src64(a, Type::F64)?, self.dst64(d)?);
                self.alu(Alu::Un64 { op, d, a })
            }
            ty => self.function_half(inst, ty),
        }
    }

    /// Decodes `copysign.f32` and `copysign.f64`.
    pub fn copysign(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        match inst.ty()? {
            Type::F32 => self.bin32(inst, Bin32::CopysignF32, Type::F32),
            Type::F64 => self.bin64(inst, Bin64::CopysignF64),
            _ => Err(inst.unsupported()),
        }
    }

    /// Decodes the operands of a 32-bit operation with one operand.
    pub fn un32(&mut self, inst: Inst<'_, 'a>, op: Un32, ty: Type) -> Decoded<()> {
        let [d, a] = inst.operands()?;
        let (a, d) = (self.src32(a, ty)?, self.dst32(d)?);
        self.alu(Alu::Un32 { op, d, a })
    }

    /// Decodes the operands of a 32-bit operation with two operands.
    pub fn bin32(&mut self, inst: Inst<'_, 'a>, op: Bin32, ty: Type) -> Decoded<()> {
        let [d, a, b] = inst.operands()?;
        let (a, b, d) = (self.src32(a, ty)?, self.src32(b, ty)?, self.dst32(d)?);
        self.alu(Alu::Bin32 { op, d, a, b })
    }

    /// Decodes the operands of an `f64` operation with two operands.
    fn bin64(&mut self, inst: Inst<'_, 'a>, op: Bin64) -> Decoded<()> {
        let [d, a, b] = inst.operands()?;
        let (a, b) = (self.src64(a, Type::F64)?, self.src64(b, Type::F64)?);
        let d = self.dst64(d)?;
        self.alu(Alu::Bin64 { op, d, a, b })
    }

    /// Decodes the operands of a 32-bit operation with three operands.
    pub fn ter32_float(&mut self, inst: Inst<'_, 'a>, op: Ter32, ty: Type) -> Decoded<()> {
        let [d, a, b, c] = inst.operands()?;
        let (a, b, c) = (self.src32(a, ty)?, self.src32(b, ty)?, self.src32(c, ty)?);
        let d = self.dst32(d)?;
        self.alu(Alu::Ter32 { op, d, a, b, c })
    }
}

fn function_f32(inst: &mut Inst<'_, '_>) -> Decoded<Un32> {
    let ftz = inst.flag("ftz");
    let base = inst.syntax.base;
    if inst.flag("approx") {
        return Ok(match base {
            "sqrt" => Un32::SqrtApproxF32 { ftz },
            "rcp" => Un32::RcpApproxF32 { ftz },
            "rsqrt" => Un32::RsqrtApproxF32 { ftz },
            "sin" => Un32::SinApproxF32 { ftz },
            "cos" => Un32::CosApproxF32 { ftz },
            "lg2" => Un32::Lg2ApproxF32 { ftz },
            "ex2" => Un32::Ex2ApproxF32 { ftz },
            "tanh" if !ftz => Un32::TanhApproxF32,
            _ => return Err(inst.unsupported()),
        });
    }
    let round: Round = inst.require(&ROUNDINGS)?;
    match base {
        "sqrt" => Ok(Un32::SqrtF32 { round, ftz }),
        "rcp" => Ok(Un32::RcpF32 { round, ftz }),
        _ => Err(inst.unsupported()),
    }
}

fn function_f64(inst: &mut Inst<'_, '_>) -> Decoded<Un64> {
    let base = inst.syntax.base;
    if inst.flag("approx") {
        return match (base, inst.flag("ftz")) {
            ("rcp", true) => Ok(Un64::RcpApproxF64),
            ("rsqrt", ftz) => Ok(Un64::RsqrtApproxF64 { ftz }),
            _ => Err(inst.unsupported()),
        };
    }
    let round = inst.require(&ROUNDINGS)?;
    match base {
        "sqrt" => Ok(Un64::SqrtF64(round)),
        "rcp" => Ok(Un64::RcpF64(round)),
        _ => Err(inst.unsupported()),
    }
}
