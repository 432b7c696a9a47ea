//! A module on a device: its variables have addresses, and its kernels' constants have values.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ptx::ir::{self, Const, R32, R64, Symbol};

use crate::memory::{Memory, MemoryError, count};

/// The generic address at which the shared window begins. The window has the size of a 32-bit
/// offset.
pub const SHARED_WINDOW: u64 = 0x0100_0000_0000;
/// The generic address at which the local window begins.
pub const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
/// The bytes of the shared window that a block has for itself, at the window's start. Behind them are
/// those of the blocks of its cluster, in the order of their ranks. A thread's own block has no second
/// address there, so that two addresses are equal if they name one byte.
pub const BLOCK_WINDOW: u64 = 1 << 24;
/// The name of shared memory that is in no array.
const UNNAMED: &str = "shared memory";
/// The size of either window in bytes.
pub const WINDOW_BYTES: u64 = 1 << 32;

/// Why a module could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There was no memory for a variable.
    #[error("module variable `{name}`: {source}")]
    Variable {
        /// The variable's name.
        name: String,
        /// The error of the allocation.
        source: MemoryError,
    },
}

/// A module whose variables are in device memory.
pub struct LoadedModule {
    module: Arc<ir::Module>,
    variables: HashMap<String, (u64, u64)>,
    /// Each kernel is resolved on its first use: a module may have a hundred, of which one is used.
    kernels: Vec<OnceLock<Arc<LoadedKernel>>>,
    addresses: Vec<Option<u64>>,
    constant_memory: Arc<[Range<u64>]>,
    files: Arc<[String]>,
}

/// A kernel with the values of its constants.
pub struct LoadedKernel {
    ir: ir::Kernel,
    files: Arc<[String]>,
    constants32: Vec<(R32, u32)>,
    constants64: Vec<(R64, u64)>,
    constant_memory: Arc<[Range<u64>]>,
}

impl LoadedModule {
    /// Allocates and initialises the module's variables in device memory, and resolves their
    /// addresses. On an error it frees what it has allocated.
    pub fn load(module: impl Into<Arc<ir::Module>>, memory: &Memory) -> Result<Self, LoadError> {
        let module = module.into();
        let mut addresses = Vec::with_capacity(module.variables.len());
        let allocated = allocate_variables(&module, memory, &mut addresses)
            .and_then(|()| initialize(&module, memory, &addresses));
        if let Err(error) = allocated {
            for &at in addresses.iter().flatten() {
                // The variable was allocated above, so it can be freed.
                let _ = memory.free(at);
            }
            return Err(error);
        }
        let variables = module
            .variables
            .iter()
            .zip(&addresses)
            .filter_map(|(v, at)| at.map(|at| (v.name.clone(), (at, v.init.len() as u64))));
        Ok(Self {
            variables: variables.collect(),
            kernels: module.kernels.iter().map(|_| OnceLock::new()).collect(),
            constant_memory: constant_memory(&module, &addresses),
            files: module.files.clone().into(),
            addresses,
            module,
        })
    }

    /// Frees the module's variables.
    pub fn unload(&self, memory: &Memory) -> Result<(), MemoryError> {
        self.addresses.iter().flatten().try_for_each(|&at| memory.free(at))
    }

    /// Returns the device address and the bytes of a variable in global or constant space.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.get(name).copied()
    }

    /// Returns the kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<Arc<LoadedKernel>> {
        let index = self.module.kernels.iter().position(|k| k.name == name)?;
        Some(self.resolved(index).clone())
    }

    /// Returns all kernels in the order of their declaration.
    pub fn kernels(&self) -> impl Iterator<Item = &Arc<LoadedKernel>> {
        (0..self.kernels.len()).map(|index| self.resolved(index))
    }

    /// The names of all kernels, in order of declaration.
    pub fn kernel_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.module.kernels.iter().map(|kernel| &*kernel.name)
    }

    fn resolved(&self, index: usize) -> &Arc<LoadedKernel> {
        self.kernels[index].get_or_init(|| {
            let mut kernel = self.module.kernels[index].clone();
            kernel.share_registers();
            let address = |s: Symbol| self.addresses[s.0 as usize].unwrap_or(0);
            let mut kernel = LoadedKernel::resolve(kernel, &self.files, address);
            kernel.constant_memory = self.constant_memory.clone();
            Arc::new(kernel)
        })
    }
}

/// Allocates every variable and appends its address. A variable of zero bytes has none.
fn allocate_variables(
    module: &ir::Module,
    memory: &Memory,
    addresses: &mut Vec<Option<u64>>,
) -> Result<(), LoadError> {
    for variable in &module.variables {
        let bytes = variable.init.len() as u64;
        let address = match bytes {
            0 => None,
            _ => Some(memory.allocate(bytes).map_err(wrong_with(variable))?),
        };
        addresses.push(address);
    }
    Ok(())
}

/// Returns the address ranges of the variables in constant space.
fn constant_memory(module: &ir::Module, addresses: &[Option<u64>]) -> Arc<[Range<u64>]> {
    let allocated = module.variables.iter().zip(addresses);
    let constants = allocated.filter(|(variable, _)| variable.space == ir::Space::Const);
    let range = |(variable, at): (&ir::Variable, &Option<u64>)| {
        at.map(|at| at..at + variable.init.len() as u64)
    };
    constants.filter_map(range).collect()
}

/// Writes the variables' contents, including the addresses of other variables.
fn initialize(
    module: &ir::Module,
    memory: &Memory,
    addresses: &[Option<u64>],
) -> Result<(), LoadError> {
    for (variable, at) in module.variables.iter().zip(addresses) {
        let Some(at) = *at else { continue };
        let mut bytes = variable.init.clone();
        for &(offset, symbol, addend) in &variable.relocations {
            let base = addresses[symbol.0 as usize].unwrap_or(0);
            let value = base.wrapping_add_signed(addend).to_le_bytes();
            let offset = offset as usize;
            if let Some(slot) = bytes.get_mut(offset..offset + 8) {
                slot.copy_from_slice(&value);
            }
        }
        memory.write(at, &bytes).map_err(wrong_with(variable))?;
    }
    Ok(())
}

fn wrong_with(variable: &ir::Variable) -> impl FnOnce(MemoryError) -> LoadError {
    |source| LoadError::Variable { name: variable.name.clone(), source }
}

impl LoadedKernel {
    fn resolve(ir: ir::Kernel, files: &Arc<[String]>, address: impl Fn(Symbol) -> u64) -> Self {
        let dynamic = ir.static_shared_bytes.next_multiple_of(ir.dynamic_shared_align.max(1));
        // Global and constant variables have the same address in their own space and in generic
        // space, because both are in device memory.
        let value = |c: Const| match c {
            Const::Bits(bits) => bits,
            Const::Shared { offset, .. } => offset as u64,
            Const::Address(s, addend) | Const::GenericAddress(s, addend) => {
                address(s).wrapping_add_signed(addend)
            }
            Const::DynamicShared(addend) => u64::from(dynamic).wrapping_add_signed(addend),
        };
        let constants32 = ir.constants32.iter().map(|&(r, c)| (r, value(c) as u32)).collect();
        let constants64 = ir.constants64.iter().map(|&(r, c)| (r, value(c))).collect();
        Self { ir, files: files.clone(), constants32, constants64, constant_memory: Arc::default() }
    }

    /// Returns the decoded kernel: name, parameters, static shared memory, registers.
    pub fn ir(&self) -> &ir::Kernel {
        &self.ir
    }

    /// Returns the slots of the 32-bit file with a fixed value.
    pub(crate) fn constants32(&self) -> &[(R32, u32)] {
        &self.constants32
    }

    /// Returns the slots of the 64-bit file with a fixed value.
    pub(crate) fn constants64(&self) -> &[(R64, u64)] {
        &self.constants64
    }

    /// Returns the address ranges of the module's variables in constant space.
    pub(crate) fn constant_memory(&self) -> &[Range<u64>] {
        &self.constant_memory
    }

    /// Returns the bytes of shared memory per block, static and dynamic.
    pub fn shared_bytes(&self, dynamic: u32) -> u32 {
        let align = self.ir.dynamic_shared_align.max(1);
        if dynamic == 0 {
            return self.ir.static_shared_bytes;
        }
        self.ir.static_shared_bytes.next_multiple_of(align).saturating_add(dynamic)
    }

    /// Returns the source line of an instruction, as `file.cu:12`.
    pub fn source(&self, pc: u32) -> String {
        let Some(instruction) = self.ir.code.get(pc as usize) else {
            return "the end".into();
        };
        let line = instruction.source.line;
        match instruction.source.file.and_then(|f| self.files.get(usize::from(f))) {
            Some(file) => format!("{file}:{line}"),
            None => format!("PTX line {}", instruction.ptx_line),
        }
    }

    /// Describes a byte of a block's shared memory.
    pub(crate) fn shared_location(&self, offset: u32) -> String {
        let (array, offset) = self.shared_variable(offset);
        format!("byte {offset} of shared array `{array}`")
    }

    /// Describes where an access to shared memory is that leaves its array: the address and the size of
    /// both, in bytes.
    pub(crate) fn describe_beyond(
        &self,
        (address, size): (u64, u32),
        (first, bytes): (u32, u32),
    ) -> String {
        let name = self.shared_variable(first).0;
        let (offset, bytes) = (address as i64 - i64::from(first), i64::from(bytes));
        let array = format!("array `{name}` of {}", count(bytes as u64));
        if (0..bytes).contains(&offset) {
            let beyond = count((offset + i64::from(size) - bytes) as u64);
            return format!("it begins in {array} and ends {beyond} past its end");
        }
        let place = match offset {
            ..0 => format!("{} before", count(offset.unsigned_abs())),
            _ => format!("{} past the end of", count((offset - bytes + 1) as u64)),
        };
        match u32::try_from(address).map(|at| self.shared_variable(at)) {
            Ok((other, offset)) if other != name && other != UNNAMED => {
                format!("it is {place} {array}, at byte {offset} of array `{other}`")
            }
            _ => format!("it is {place} {array}"),
        }
    }

    /// Returns the name of the shared variable at an offset of the block's shared memory, and the
    /// byte's offset within it.
    pub fn shared_variable(&self, offset: u32) -> (&str, u32) {
        let dynamic =
            self.ir.static_shared_bytes.next_multiple_of(self.ir.dynamic_shared_align.max(1));
        let fixed = self.ir.shared_variables.iter().filter(|v| v.2 > 0);
        for (name, at, bytes) in fixed {
            if (*at..at.saturating_add(*bytes)).contains(&offset) {
                return (source_name(name), offset - at);
            }
        }
        let external = self.ir.shared_variables.iter().find(|v| v.2 == 0);
        match external {
            Some((name, ..)) if offset >= dynamic => (source_name(name), offset - dynamic),
            _ => (UNNAMED, offset),
        }
    }
}

/// Returns a variable's name in the source. A function's own array has the mangled name `_ZZ`
/// function `E` length name.
pub fn source_name(name: &str) -> &str {
    if !name.starts_with("_ZZ") {
        return name;
    }
    let after = |at: usize| {
        let rest = &name[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        rest.get(digits..digits + length)
    };
    let mut ends = name.rmatch_indices('E').map(|(at, _)| at);
    ends.find_map(after).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_functions_have_their_own_names() {
        for (mangled, name) in [
            ("_ZZ18tree_first_barrierE1s", "s"),
            ("_ZZ3sumILb0EEvPKiPiE7EE5tota", "EE5tota"),
            ("_ZZ1kvE4bins_0", "bins"),
            ("shared_memory", "shared_memory"),
            ("_ZZE", "_ZZE"),
            ("_ZZE9x", "_ZZE9x"),
        ] {
            assert_eq!(source_name(mangled), name);
        }
    }

    fn variable(name: &str, bytes: usize) -> ir::Variable {
        ir::Variable {
            name: name.into(),
            space: ir::Space::Global,
            align: 8,
            init: vec![1; bytes],
            relocations: Vec::new(),
        }
    }

    #[test]
    fn a_module_that_does_not_fit_leaves_nothing() {
        let memory = Memory::new(1 << 16);
        let module = |last| ir::Module {
            variables: vec![variable("a", 100), variable("none", 0), variable("b", last)],
            ..ir::Module::default()
        };
        let Err(LoadError::Variable { name, .. }) = LoadedModule::load(module(1 << 17), &memory)
        else {
            panic!("there is no room for it");
        };
        assert_eq!((name.as_str(), memory.used()), ("b", 0));
        let loaded = LoadedModule::load(module(100), &memory).unwrap();
        assert!(memory.used() > 0 && loaded.variable("b").is_some());
        loaded.unload(&memory).unwrap();
        assert_eq!(memory.used(), 0);
    }
}
