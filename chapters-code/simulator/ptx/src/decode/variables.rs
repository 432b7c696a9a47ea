//! Variables in global and constant space, with their contents.

use super::Decoded;
use super::context::{Context, Global};
use crate::error::{Error, ErrorKind};
use crate::ir::{self, Space, Symbol};
use crate::syntax::{Immediate, Initialiser, Type, Variable, VariableSpace};

/// The largest total size of all variables in bytes. Their contents are held in memory.
const LARGEST: u64 = if usize::BITS == 32 { 1 << 30 } else { 1 << 32 };

/// Decodes the variables of a module, in order of declaration.
///
/// A variable whose contents are outside the dialect is included, but kernels that name it are
/// refused.
pub(super) fn all(context: &mut Context<'_, '_>) -> Result<Vec<ir::Variable>, Error> {
    let mut left = LARGEST;
    let mut decoded = Vec::with_capacity(context.variables.len());
    for index in 0..context.variables.len() {
        let variable = context.variables[index];
        let at_line = |kind: ErrorKind| kind.at(variable.line);
        let mut contents = empty(variable, &mut left).map_err(at_line)?;
        match initialise(context, variable, &mut contents) {
            Err(kind) if kind.is_unsupported() => context.refuse(variable.name, kind),
            result => result.map_err(at_line)?,
        }
        decoded.push(contents);
    }
    Ok(decoded)
}

fn element_bytes(variable: &Variable<'_>) -> usize {
    variable.ty.bytes().max(1) as usize
}

/// Creates a variable of zeros. `left` is the number of bytes that variables may still have.
fn empty(variable: &Variable<'_>, left: &mut u64) -> Decoded<ir::Variable> {
    let element = element_bytes(variable);
    let bytes = variable.bytes.unwrap_or((variable.init.len() * element) as u64);
    *left = left.checked_sub(bytes).ok_or(ErrorKind::TooMany("bytes of variables"))?;
    Ok(ir::Variable {
        name: variable.name.into(),
        space: match variable.space {
            VariableSpace::Const => Space::Const,
            _ => Space::Global,
        },
        align: variable.align,
        init: vec![0; bytes as usize],
        relocations: Vec::new(),
    })
}

/// Fills in a variable's contents.
fn initialise(
    context: &Context<'_, '_>,
    variable: &Variable<'_>,
    decoded: &mut ir::Variable,
) -> Decoded<()> {
    let element = element_bytes(variable);
    for (index, &initialiser) in variable.init.iter().enumerate() {
        let offset = index * element;
        let Some(place) = decoded.init.get_mut(offset..offset + element) else {
            let message = format!("`{}` has more initialisers than elements", variable.name);
            return Err(ErrorKind::Invalid(message));
        };
        match initialiser {
            Initialiser::Value(value) => {
                place.copy_from_slice(&element_bits(value, variable.ty).to_le_bytes()[..element]);
            }
            Initialiser::Address { name, addend, generic } => {
                let symbol = addressed(context, name, generic, variable.ty)?;
                decoded.relocations.push((offset as u32, symbol, addend));
            }
        }
    }
    Ok(())
}

/// Returns the bits of a value as an element of a type.
fn element_bits(value: Immediate, ty: Type) -> u64 {
    match (value, ty) {
        (Immediate::Integer(bits), _) => bits,
        (Immediate::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits), Type::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F64(bits), _) => bits,
    }
}

/// Returns the variable whose address initialises an element. Addresses in global and constant
/// space are generic addresses, so both ways to write one give the same result.
fn addressed(context: &Context<'_, '_>, name: &str, generic: bool, ty: Type) -> Decoded<Symbol> {
    if ty.bytes() != 8 {
        let message = format!("the address of `{name}` in an element of less than 64 bits");
        return Err(ErrorKind::Unsupported(message));
    }
    match context.get(name) {
        Some(Global::Variable(symbol, Space::Global)) => Ok(symbol),
        Some(Global::Variable(symbol, _)) if generic => Ok(symbol),
        Some(_) => Err(ErrorKind::Unsupported(format!("the address of `{name}` as initialiser"))),
        None => Err(ErrorKind::Undeclared(name.into())),
    }
}
