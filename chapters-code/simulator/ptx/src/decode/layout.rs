//! The layout of a kernel's variables in shared and local memory, and of its parameters.

use super::Decoded;
use crate::error::ErrorKind;
use crate::ir::{Const, Limits, Param};
use crate::syntax::Variable;
use std::collections::HashMap;

/// The variables laid out so far.
#[derive(Default)]
pub(super) struct Layout {
    pub shared_bytes: u32,
    /// The alignment of dynamic shared memory; 1 if there is none.
    pub dynamic_align: u32,
    pub local_bytes: u32,
    /// Name, offset and bytes. Dynamic variables have 0 bytes, and their offset is set at the end.
    shared: Vec<(String, u32, u32)>,
    /// Shared variables by their declaration. A variable of a device function is the same in each
    /// inlined copy.
    placed: HashMap<usize, Const>,
}

impl Layout {
    pub fn new() -> Self {
        Self { dynamic_align: 1, ..Self::default() }
    }

    /// Returns the address of a shared variable.
    pub fn shared(&mut self, variable: &Variable<'_>) -> Decoded<Const> {
        let declaration = std::ptr::from_ref(variable).addr();
        if let Some(&known) = self.placed.get(&declaration) {
            return Ok(known);
        }
        let (address, offset) = match variable.bytes {
            Some(bytes) => {
                let offset = place(&mut self.shared_bytes, bytes, variable.align)?;
                let variable = self.shared.len() as u32;
                (Const::Shared { variable, offset: offset.into() }, offset)
            }
            None => {
                self.dynamic_align = self.dynamic_align.max(variable.align);
                (Const::DynamicShared(0), 0)
            }
        };
        let bytes = variable.bytes.unwrap_or(0) as u32;
        self.shared.push((variable.name.into(), offset, bytes));
        self.placed.insert(declaration, address);
        Ok(address)
    }

    /// Returns where a static shared variable lies.
    pub fn limits(&self, variable: u32) -> Limits {
        limits(&self.shared[variable as usize])
    }

    /// Returns the offset of a local variable.
    pub fn local(&mut self, variable: &Variable<'_>) -> Decoded<u32> {
        let Some(bytes) = variable.bytes else {
            return Err(ErrorKind::Invalid(format!("`{}` has no size", variable.name)));
        };
        place(&mut self.local_bytes, bytes, variable.align)
    }

    /// Returns the shared variables, once the start of dynamic memory is known.
    pub fn shared_variables(self) -> Vec<(String, u32, u32)> {
        let dynamic = self.shared_bytes.next_multiple_of(self.dynamic_align);
        let located = |(name, offset, bytes)| match bytes {
            0 => (name, dynamic, 0),
            _ => (name, offset, bytes),
        };
        self.shared.into_iter().map(located).collect()
    }
}

/// Returns where a shared variable lies. A dynamic one ends where the memory does.
pub(super) fn limits(&(_, first, bytes): &(String, u32, u32)) -> Limits {
    Limits { first, end: if bytes == 0 { u32::MAX } else { first + bytes } }
}

/// Returns an entry's parameters and their bytes.
pub(super) fn params(variables: &[Variable<'_>]) -> Decoded<(Vec<Param>, u32)> {
    let mut end = 0;
    let mut params = Vec::with_capacity(variables.len());
    for variable in variables {
        let bytes = variable.bytes.unwrap_or(0);
        let offset = place(&mut end, bytes, variable.align)?;
        params.push(Param { offset, size: bytes as u32, align: variable.align });
    }
    Ok((params, end))
}

/// Appends `bytes` bytes to an area, aligned. Returns their offset.
fn place(end: &mut u32, bytes: u64, align: u32) -> Decoded<u32> {
    const LARGEST: u64 = 1 << 31;
    let offset = u64::from(*end).next_multiple_of(u64::from(align.max(1)));
    match offset.checked_add(bytes) {
        Some(past) if past <= LARGEST => {
            *end = past as u32;
            Ok(offset as u32)
        }
        _ => Err(ErrorKind::TooMany("bytes of variables")),
    }
}
