//! A launch as the driver takes it: a function, its arguments, a grid.

use std::{cell::RefCell, collections::BTreeMap};

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use harness::{Dtype, Error, Output};

use crate::{
    course::{Launch, Parameter, launch::Dimensions},
    operation::Instance,
};

/// A launch whose kernel is loaded.
pub struct Ready {
    pub(super) launch: Launch,
    pub(super) parameters: Vec<Parameter>,
    pub(super) function: RefCell<CudaFunction>,
    /// The function of a module that stays loaded from run to run.
    pub(super) lasting: CudaFunction,
}

/// Memory of one run.
pub struct Memory {
    pub(super) inputs: Vec<CudaSlice<u8>>,
    pub(super) outputs: Vec<Output<u8>>,
    pub(super) scratch: Vec<CudaSlice<u8>>,
    pub(super) addresses: BTreeMap<String, u64>,
    pub(super) dimensions: Dimensions,
}

impl Memory {
    /// The address of an array.
    pub fn address(&self, name: &str) -> u64 {
        self.addresses[name]
    }
}

/// An argument of a kernel.
pub enum Argument {
    Wide(u64),
    Narrow(u32),
    Float(f32),
}

impl Ready {
    /// The arguments, in their order.
    pub fn arguments(&self, memory: &Memory) -> Result<Vec<Argument>, Error> {
        let unknown = |name: &str| {
            Error::Usage(format!(
                "the exercise passes `{name}`, which is no buffer and no dimension of it"
            ))
        };
        let argument = |parameter: &Parameter| {
            let name = &parameter.name;
            if parameter.is_pointer {
                let address = memory.addresses.get(name).ok_or_else(|| unknown(name))?;
                return Ok(Argument::Wide(*address));
            }
            let value = *memory.dimensions.get(name).ok_or_else(|| unknown(name))?;
            Ok(match parameter.dtype {
                Dtype::I64 => Argument::Wide(value),
                Dtype::F32 => Argument::Float(value as f32),
                _ => Argument::Narrow(value as u32),
            })
        };
        self.parameters.iter().map(argument).collect()
    }

    /// The grid and the block.
    pub fn config(&self, dimensions: &Dimensions) -> Result<LaunchConfig, Error> {
        let usage = |error: anyhow::Error| Error::Usage(format!("{error:#}"));
        Ok(LaunchConfig {
            grid_dim: self.launch.grid(dimensions).map_err(usage)?,
            block_dim: self.launch.block().map_err(usage)?,
            shared_mem_bytes: self.launch.shared_bytes,
        })
    }
}

/// An array without elements. One byte is allocated for it.
pub struct Empty {
    pub(super) name: String,
    pub(super) address: u64,
}

/// The arrays of a run that have no elements.
pub fn empty(memory: &Memory, instance: &Instance) -> Vec<Empty> {
    let inputs = instance.inputs.iter().filter(|array| array.bytes.is_empty()).map(|a| a.name);
    let outputs = instance.outputs.iter().filter(|output| output.capacity == 0).map(|o| o.name);
    let empty = |name: &str| Empty { name: name.to_owned(), address: memory.addresses[name] };
    inputs.chain(outputs).map(empty).collect()
}
