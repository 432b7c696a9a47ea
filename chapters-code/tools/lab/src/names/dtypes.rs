//! The types of PTX, and those of registers.

use std::collections::BTreeMap;

use super::values::Type;

/// The declared types of registers, by the name that those of a declaration begin with.
#[derive(Clone, Debug, Default)]
pub struct Declared<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Declared<'a> {
    /// Reads a line such as `.reg .b32 %r<12>;`; returns whether it is one.
    pub fn add(&mut self, line: &'a str) -> bool {
        let Some(declaration) = line.trim().strip_prefix(".reg .") else { return false };
        if let Some((dtype, names)) = declaration.split_once(' ') {
            let name = names.split(['<', ';']).next().unwrap_or_default();
            self.0.insert(name.trim(), dtype);
        }
        true
    }

    /// The type of a register.
    pub fn of(&self, register: &str) -> Option<&'a str> {
        let prefix = register.trim_end_matches(|letter: char| letter.is_ascii_digit());
        self.0.get(register).or_else(|| self.0.get(prefix)).copied()
    }
}

/// The bits of a type of PTX; none for what is no type.
pub fn bits(dtype: &str) -> Option<u32> {
    Some(match dtype {
        "pred" => 1,
        "b8" | "s8" | "u8" => 8,
        "b16" | "s16" | "u16" | "f16" | "bf16" => 16,
        "b32" | "s32" | "u32" | "f32" | "f16x2" | "bf16x2" => 32,
        "b64" | "s64" | "u64" | "f64" => 64,
        _ => return None,
    })
}

/// Whether a type of PTX is one of floats.
pub fn is_float(dtype: &str) -> bool {
    matches!(dtype, "f16" | "bf16" | "f16x2" | "bf16x2" | "f32" | "f64")
}

/// An integer type of PTX.
pub fn integer(dtype: &str) -> Option<Type> {
    let is_signed = dtype.starts_with('s');
    let is_integer = dtype == "pred" || dtype.starts_with(['b', 's', 'u']) && !is_float(dtype);
    bits(dtype).filter(|_| is_integer).map(|bits| Type { bits, is_signed })
}
