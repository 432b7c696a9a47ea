//! Loads and stores.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::operands::Named;
use super::registers::Slot;
use crate::error::ErrorKind;
use crate::ir::{Address, Const, Load, MemType, Op, Order, R32, Scope, Space, Src, Store};
use crate::syntax::{Operand, Type};

/// The state spaces, as modifiers.
pub(super) const SPACES: [(&str, Space); 9] = [
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("shared::cluster", Space::Cluster),
    ("local", Space::Local),
    ("const", Space::Const),
    ("param", Space::Param),
    ("param::entry", Space::Param),
    ("param::func", Space::Param),
];

/// The scopes. That of a cluster counts as the device's.
pub(super) const SCOPES: [(&str, Scope); 4] = [
    ("cta", Scope::Block),
    ("cluster", Scope::Device),
    ("gpu", Scope::Device),
    ("sys", Scope::System),
];

/// The vector lengths.
const LANES: [(&str, u8); 2] = [("v2", 2), ("v4", 4)];

/// The cache operators, which change no value.
const CACHE_OPERATORS: [(&str, ()); 7] =
    [("ca", ()), ("cg", ()), ("cs", ()), ("lu", ()), ("cv", ()), ("wb", ()), ("wt", ())];

/// Accounts for cache operators and hints. Returns true if a cache policy follows as the last
/// operand.
pub(super) fn cache_hints(inst: &mut Inst<'_, '_>) -> bool {
    inst.choose(&CACHE_OPERATORS);
    let policy = inst.flag("L2::cache_hint");
    let hint = |name: &str| (name.starts_with("L1::") || name.starts_with("L2::")).then_some(());
    while inst.take(hint).is_some() {}
    policy
}

/// The common parts of loads and stores, without their operands.
struct Access {
    space: Space,
    order: Order,
    lanes: u8,
    ty: Type,
    /// Whether a cache policy follows as the last operand.
    policy: bool,
}

impl Access {
    /// Accounts for an access's modifiers. `strong` is the ordering that it can have besides
    /// `.volatile` and `.relaxed`.
    fn of(inst: &mut Inst<'_, '_>, strong: (&str, fn(Scope) -> Order)) -> Decoded<Self> {
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        let order = if inst.flag("volatile") {
            Order::Volatile
        } else if inst.flag("relaxed") {
            Order::Relaxed(inst.require(&SCOPES)?)
        } else if inst.flag(strong.0) {
            strong.1(inst.require(&SCOPES)?)
        } else {
            inst.flag("weak");
            Order::Weak
        };
        let policy = cache_hints(inst);
        let (lanes, ty) = (inst.choose(&LANES).unwrap_or(1), inst.ty()?);
        if ty == Type::Pred {
            return Err(inst.unsupported());
        }
        Ok(Self { space, order, lanes, ty, policy })
    }
}

fn mem_type(ty: Type) -> MemType {
    match (ty, ty.bytes()) {
        (Type::S8, _) => MemType::S8,
        (Type::S16, _) => MemType::S16,
        (Type::S32, _) => MemType::S32,
        (_, 1) => MemType::U8,
        (_, 2) => MemType::U16,
        (_, 4) => MemType::B32,
        _ => MemType::B64,
    }
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `ld.global.v4.f32 {…}, [a]`.
    pub fn load(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let non_coherent = inst.syntax.base == "ldu" || inst.flag("nc");
        let Access { space, order, lanes, ty, policy } =
            Access::of(&mut inst, ("acquire", Order::Acquire))?;
        let [d, addr] = self.access_operands(&inst, policy)?;
        let (space, addr) = self.address(addr, space)?;
        let mut load = Load {
            space,
            ty: mem_type(ty),
            d: [None; 4],
            len: lanes,
            addr,
            order,
            non_coherent,
            sign_to: 32,
        };
        for (slot, operand) in load.d.iter_mut().zip(self.elements(d, lanes)?) {
            let Some((declared, register)) = self.destination(operand)? else {
                continue;
            };
            if declared.bytes().max(2) < ty.bytes() {
                return Err(self.mismatch("a wider register", operand));
            }
            load.sign_to = (declared.bytes() * 8).max(16) as u8;
            *slot = Some(self.number(register, operand)?);
        }
        self.emit(Op::Ld(load));
        Ok(())
    }

    /// Decodes `st.global.v4.f32 [a], {…}`.
    pub fn store(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let Access { space, order, lanes, ty, policy } =
            Access::of(&mut inst, ("release", Order::Release))?;
        let [addr, s] = self.access_operands(&inst, policy)?;
        let (space, addr) = self.address(addr, space)?;
        let mut store =
            Store { space, ty: mem_type(ty), s: [Src::R32(R32(0)); 4], len: lanes, addr, order };
        for (slot, operand) in store.s.iter_mut().zip(self.elements(s, lanes)?) {
            *slot = self.src(operand, ty)?;
            if ty.bytes() == 8 && matches!(slot, Src::R32(_)) {
                return Err(self.mismatch("a 64-bit operand", operand));
            }
        }
        self.emit(Op::St(store));
        Ok(())
    }

    /// Returns the two operands of an access, without a cache policy.
    fn access_operands<'i>(
        &self,
        inst: &Inst<'i, 'a>,
        policy: bool,
    ) -> Decoded<[&'i Operand<'a>; 2]> {
        if policy {
            let [first, second, _] = inst.operands()?;
            return Ok([first, second]);
        }
        Ok(inst.operands()?.each_ref())
    }

    /// Returns the elements of an operand that must have `lanes` of them.
    fn elements<'i>(&self, operand: &'i Operand<'a>, lanes: u8) -> Decoded<&'i [Operand<'a>]> {
        let elements = match operand {
            Operand::Vector(elements) => elements.as_slice(),
            _ => std::slice::from_ref(operand),
        };
        if elements.len() == usize::from(lanes) {
            Ok(elements)
        } else {
            Err(self.mismatch("as many elements as it says", operand))
        }
    }

    fn number(&self, slot: Slot, operand: &Operand<'a>) -> Decoded<Src> {
        match slot {
            Slot::R32(register) => Ok(Src::R32(register)),
            Slot::R64(register) => Ok(Src::R64(register)),
            Slot::Pred(_) => Err(self.mismatch("a number", operand)),
        }
    }

    /// Returns an address and its space, which is the one that the instruction names. Only a call's
    /// parameters are in local memory instead.
    pub fn address(&mut self, operand: &Operand<'a>, space: Space) -> Decoded<(Space, Address)> {
        let &Operand::Address { base, offset } = operand else {
            return Err(self.mismatch("an address", operand));
        };
        let Some(name) = base else {
            let base = Src::R32(self.bits32(0)?);
            return Ok((space, Address::new(base, offset)));
        };
        match self.resolve(name)? {
            Named::Register(_, slot) => {
                let base = self.number(slot, operand)?;
                Ok((self.actual_space(space), Address::new(base, offset)))
            }
            Named::Address(actual, address) => {
                let same = match (space, actual) {
                    (Space::Param, Space::Local) => true,
                    (Space::Generic, Space::Global | Space::Const) => true,
                    (Space::Cluster, Space::Shared) => true,
                    _ => space == actual,
                };
                if !same {
                    return Err(ErrorKind::Operand {
                        instruction: self.opcode.into(),
                        expected: "a variable in its own state space",
                        found: format!("`{name}`"),
                    });
                }
                Ok((actual, self.variable_address(address, offset)?))
            }
        }
    }

    /// Returns the address of a variable. The instruction holds offsets that are known.
    fn variable_address(&mut self, address: Const, offset: i64) -> Decoded<Address> {
        Ok(match address {
            Const::Bits(bits) => {
                Address::new(Src::R32(self.bits32(0)?), offset.wrapping_add_unsigned(bits))
            }
            Const::Shared { variable, offset: start } => Address {
                base: Src::R32(self.bits32(0)?),
                offset: offset.wrapping_add(start),
                limits: self.layout.limits(variable),
            },
            _ => Address::new(Src::R64(self.registers.constant64(address)?), offset),
        })
    }
}
