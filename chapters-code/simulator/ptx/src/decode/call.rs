//! Calls: the runtime's `vprintf` and `__assertfail`, and device functions, which are inlined.
//!
//! A call's parameters are variables in local memory. The caller's `st.param` writes them, and
//! within the callee the formal parameters are other names of the same variables. Nothing is
//! copied, and structs and arrays need no special treatment.

use super::Decoded;
use super::context::Global;
use super::inst::Inst;
use super::kernel::{Decoder, check_supported};
use super::scope::Entity;
use crate::error::ErrorKind;
use crate::ir::{Address, Branch, Guard, Load, MemType, Op, Order, R32, R64, Space, Src, Store};
use crate::syntax::{Function, Operand, Variable};

/// A parameter in local memory: offset and bytes.
type Place = (u32, u32);

impl<'m, 'a> Decoder<'_, 'm, 'a> {
    /// Decodes `call.uni (ret), function, (params)`.
    pub fn call(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        inst.flag("uni");
        inst.finish()?;
        const NONE: &[&str] = &[];
        let (returns, name, params) = match inst.syntax.operands.as_slice() {
            [Operand::Name(name)] => (NONE, name, NONE),
            [Operand::Name(name), Operand::List(params)] => (NONE, name, params.as_slice()),
            [Operand::List(returns), Operand::Name(name)] => (returns.as_slice(), name, NONE),
            [Operand::List(returns), Operand::Name(name), Operand::List(params)] => {
                (returns.as_slice(), name, params.as_slice())
            }
            _ => return Err(ErrorKind::Unsupported("an indirect call".into())),
        };
        let returns = self.call_places(returns)?;
        let params = self.call_places(params)?;
        match self.context.get(name) {
            Some(Global::Function(function)) => match &function.body {
                Some(_) => self.inline(function, &returns, &params),
                None => self.call_runtime(function.name, &returns, &params),
            },
            Some(_) => Err(ErrorKind::Unsupported("an indirect call".into())),
            None if self.scopes.get(name, &mut self.registers)?.is_some() => {
                Err(ErrorKind::Unsupported("an indirect call".into()))
            }
            None => Err(ErrorKind::Undeclared((*name).into())),
        }
    }

    /// Returns the local memory of a call's parameters.
    fn call_places(&mut self, names: &[&'a str]) -> Decoded<Vec<Place>> {
        let mut places = Vec::with_capacity(names.len());
        for &name in names {
            match self.scopes.get(name, &mut self.registers)? {
                Some(Entity::Variable { space: Space::Local, offset, bytes }) => {
                    places.push((offset, bytes));
                }
                Some(_) => {
                    let what = format!("the parameter `{name}` of a call, which is no `.param`");
                    return Err(ErrorKind::Unsupported(what));
                }
                None => return Err(ErrorKind::Undeclared(name.into())),
            }
        }
        Ok(places)
    }

    /// Inlines a function's body, with a scope of its own.
    fn inline(
        &mut self,
        function: &'m Function<'a>,
        returns: &[Place],
        params: &[Place],
    ) -> Decoded<()> {
        if self.calls.iter().any(|&(name, _)| name == function.name) {
            let message = format!("recursive call of `{}`", function.name);
            return Err(ErrorKind::Unsupported(message));
        }
        let Some(body) = &function.body else {
            return Err(ErrorKind::Undeclared(function.name.into()));
        };
        self.context.copies(body.statements.len().max(1))?;
        let behind = self.new_label();
        if let Some(Guard { pred, negated }) = self.guard {
            let guard = Some(Guard { pred, negated: !negated });
            self.branch(Branch { guard, target: behind.0, reconverge: None, uniform: false });
        }
        let caller = self.locations.enter();
        let outer = self.scopes.enter_function();
        self.declare_formals(function, &function.returns, returns)?;
        self.declare_formals(function, &function.params, params)?;
        self.calls.push((function.name, behind));
        self.block(body)?;
        self.calls.pop();
        self.scopes.leave_function(outer);
        self.locations.leave(caller);
        self.drop_jump_to_next(behind);
        self.place_label(behind);
        Ok(())
    }

    fn declare_formals(
        &mut self,
        function: &Function<'a>,
        formals: &'m [Variable<'a>],
        places: &[Place],
    ) -> Decoded<()> {
        let fits = |(formal, &(_, bytes)): (&Variable<'_>, &Place)| {
            formal.bytes.is_some_and(|wanted| wanted <= u64::from(bytes))
        };
        if formals.len() != places.len() || !formals.iter().zip(places).all(fits) {
            let message = format!("the call of `{}` does not fit its parameters", function.name);
            return Err(ErrorKind::Invalid(message));
        }
        for (formal, &(offset, bytes)) in formals.iter().zip(places) {
            check_supported(formal)?;
            let entity = Entity::Variable { space: Space::Local, offset, bytes };
            self.scopes.declare(formal.name, entity)?;
        }
        Ok(())
    }

    /// Decodes a call of a function that the CUDA runtime provides.
    fn call_runtime(&mut self, name: &str, returns: &[Place], params: &[Place]) -> Decoded<()> {
        match (name, params) {
            ("vprintf", &[(format, 8), (args, 8)]) => {
                let (format, args) = (self.load_param64(format)?, self.load_param64(args)?);
                let d = match returns {
                    [] => None,
                    _ => Some(self.registers.scratch32()?),
                };
                self.emit(Op::Vprintf { d, format, args });
                match (d, returns) {
                    (Some(d), &[(offset, 4)]) => self.store_return(d, offset),
                    (None, _) => Ok(()),
                    _ => Err(ErrorKind::Invalid("`vprintf` returns 32 bits".into())),
                }
            }
            ("__assertfail", &[(message, 8), (file, 8), (line, 4), (function, 8), _]) => {
                let (message, file) = (self.load_param64(message)?, self.load_param64(file)?);
                let line = self.load_param32(line)?;
                let function = self.load_param64(function)?;
                self.emit(Op::AssertFail { message, file, line, function });
                Ok(())
            }
            ("malloc" | "free", _) => Err(ErrorKind::Unsupported(format!(
                "a call of `{name}`: memory allocated in a kernel"
            ))),
            _ => Err(ErrorKind::Invalid(format!("a call of `{name}`, which is not defined"))),
        }
    }

    fn load_param32(&mut self, offset: u32) -> Decoded<R32> {
        let d = self.registers.scratch32()?;
        self.load_local(MemType::B32, Src::R32(d), offset)?;
        Ok(d)
    }

    fn load_param64(&mut self, offset: u32) -> Decoded<R64> {
        let d = self.registers.scratch64()?;
        self.load_local(MemType::B64, Src::R64(d), offset)?;
        Ok(d)
    }

    fn load_local(&mut self, ty: MemType, d: Src, offset: u32) -> Decoded<()> {
        let load = Load {
            space: Space::Local,
            ty,
            d: [Some(d), None, None, None],
            len: 1,
            addr: self.local_address(offset)?,
            order: Order::Weak,
            non_coherent: false,
            sign_to: 32,
        };
        self.emit(Op::Ld(load));
        Ok(())
    }

    fn store_return(&mut self, value: R32, offset: u32) -> Decoded<()> {
        let store = Store {
            space: Space::Local,
            ty: MemType::B32,
            s: [Src::R32(value); 4],
            len: 1,
            addr: self.local_address(offset)?,
            order: Order::Weak,
        };
        self.emit(Op::St(store));
        Ok(())
    }

    fn local_address(&mut self, offset: u32) -> Decoded<Address> {
        Ok(Address::new(Src::R32(self.bits32(0)?), i64::from(offset)))
    }
}
