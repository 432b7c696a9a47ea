//! Atomic operations.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::memory::{SCOPES, SPACES, cache_hints};
use crate::ir::{Atom, AtomOp, AtomType, Op, Order, Scope, Space, Src};
use crate::syntax::{Operand, Type};

const OPERATIONS: [(&str, AtomOp); 10] = [
    ("add", AtomOp::Add),
    ("min", AtomOp::Min),
    ("max", AtomOp::Max),
    ("and", AtomOp::And),
    ("or", AtomOp::Or),
    ("xor", AtomOp::Xor),
    ("exch", AtomOp::Exch),
    ("cas", AtomOp::Cas),
    ("inc", AtomOp::Inc),
    ("dec", AtomOp::Dec),
];

/// An ordering that lacks its scope.
type Ordering = fn(Scope) -> Order;

const ORDERS: [(&str, Ordering); 4] = [
    ("relaxed", Order::Relaxed),
    ("acquire", Order::Acquire),
    ("release", Order::Release),
    ("acq_rel", Order::AcqRel),
];

/// Returns the type on which an operation exists.
fn atom_type(op: AtomOp, ty: Type) -> Option<AtomType> {
    use AtomOp::{Add, And, Cas, Dec, Exch, Inc, Max, Min, Or, Xor};
    Some(match (op, ty) {
        (Add, Type::U32) | (Min | Max | Inc | Dec, Type::U32) => AtomType::U32,
        (Add | Min | Max, Type::S32) => AtomType::S32,
        (Add | Min | Max, Type::U64) => AtomType::U64,
        (Min | Max, Type::S64) => AtomType::S64,
        (Add, Type::F32) => AtomType::F32,
        (Add, Type::F64) => AtomType::F64,
        (Add, Type::F16) => AtomType::F16,
        (Add, Type::F16x2) => AtomType::F16x2,
        (Add, Type::Bf16) => AtomType::Bf16,
        (Add, Type::Bf16x2) => AtomType::Bf16x2,
        (And | Or | Xor | Exch | Cas, Type::B32) => AtomType::U32,
        (And | Or | Xor | Exch | Cas, Type::B64) => AtomType::U64,
        (Exch | Cas, Type::U32 | Type::S32 | Type::F32) => AtomType::U32,
        (Exch | Cas, Type::U64 | Type::S64 | Type::F64) => AtomType::U64,
        (Cas, Type::B16) => AtomType::B16,
        _ => return None,
    })
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `atom.acq_rel.gpu.global.add.u32 d, [a], b`, and `red`, which has no `d`.
    pub fn atom(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let op = inst.require(&OPERATIONS)?;
        let order = inst.choose(&ORDERS).unwrap_or(Order::Relaxed);
        let scope = inst.choose(&SCOPES).unwrap_or(Scope::Device);
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        let (named, policy) = (inst.ty()?, cache_hints(&mut inst));
        let Some(ty) = atom_type(op, named) else {
            return Err(inst.unsupported());
        };
        // f16 and bf16 exist only in this form, which f32 and f64 do not have.
        if matches!(ty, AtomType::F16 | AtomType::F16x2 | AtomType::Bf16 | AtomType::Bf16x2) {
            inst.flag("noftz");
        }
        inst.finish()?;
        let mut operands = inst.syntax.operands.as_slice();
        if policy {
            operands = &operands[..operands.len().saturating_sub(1)];
        }
        let (d, addr, b, c) = match (inst.syntax.base, op, operands) {
            ("atom", AtomOp::Cas, [d, addr, b, c]) => (Some(d), addr, b, Some(c)),
            ("atom", AtomOp::Cas, _) => return Err(inst.operand_count(operands.len())),
            ("atom", _, [d, addr, b]) => (Some(d), addr, b, None),
            ("red", AtomOp::Exch | AtomOp::Cas, _) => return Err(inst.unsupported()),
            ("red", _, [addr, b]) => (None, addr, b, None),
            _ => return Err(inst.operand_count(operands.len())),
        };
        let (space, addr) = self.address(addr, space)?;
        let b = self.atom_operand(b, named)?;
        let c = c.map(|c| self.atom_operand(c, named)).transpose()?;
        let d = match d {
            None | Some(Operand::Name("_")) => None,
            Some(d) if named.bytes() == 8 => Some(Src::R64(self.dst64(d)?)),
            Some(d) => Some(Src::R32(self.dst32(d)?)),
        };
        self.emit(Op::Atom(Atom {
            space,
            op,
            ty,
            d,
            addr,
            b,
            c,
            order: order(scope),
            counts: false,
        }));
        Ok(())
    }

    fn atom_operand(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<Src> {
        match ty.bytes() {
            8 => self.src64(operand, ty).map(Src::R64),
            _ => self.src32(operand, ty).map(Src::R32),
        }
    }
}
