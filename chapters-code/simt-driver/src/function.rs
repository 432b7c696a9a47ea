//! What can be asked of a function, and set: `CU_FUNC_ATTRIBUTE_…`.

use crate::error::{CUresult, Result};
use crate::module::Function;
use crate::occupancy::Block;
use crate::profile;
use crate::state::lock;

/// Registers that a function is said to use, at most. The simulator allocates none, and PTX
/// declares a register for every value, so its own number is far too high for the hardware; a
/// function of at most this many has the occupancy that its threads and shared memory give it.
const REGISTERS: u32 = 32;

impl Function {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.kernel.ir().name
    }

    /// Threads of a block, at most.
    pub fn max_threads(&self) -> u32 {
        let declared = self
            .kernel
            .ir()
            .max_threads
            .unwrap_or(profile::BLOCK_THREADS);
        declared.min(profile::BLOCK_THREADS)
    }

    /// Registers a thread: what the PTX declares, within what small kernels use.
    pub fn registers(&self) -> u32 {
        self.kernel.ir().declared_registers.clamp(16, REGISTERS)
    }

    /// Bytes of dynamic shared memory, at most.
    pub fn dynamic_shared(&self) -> u32 {
        lock(&self.settings).dynamic_shared
    }

    /// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that a
    /// multiprocessor holds; none if the function may not have so many.
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic: usize) -> u32 {
        if threads > self.max_threads() || dynamic > self.dynamic_shared() as usize {
            return 0;
        }
        let shared = self
            .kernel
            .shared_bytes(u32::try_from(dynamic).unwrap_or(u32::MAX));
        Block {
            threads,
            registers: self.registers(),
            shared,
        }
        .per_multiprocessor()
    }

    /// The value of a `CUfunction_attribute`.
    pub fn attribute(&self, number: u32) -> Result<i32> {
        let ir = self.kernel.ir();
        let settings = *lock(&self.settings);
        let (major, minor) = profile::COMPUTE_CAPABILITY;
        let value = match number {
            0 => self.max_threads(),
            1 => ir.static_shared_bytes,
            2 => self.constant_bytes,
            3 => ir.local_bytes,
            4 => self.registers(),
            5 => self.target,
            6 => major * 10 + minor,
            7 => 0,
            8 => settings.dynamic_shared,
            9 => return Ok(settings.carveout),
            10..=13 | 15 => 0,
            14 => u32::from(settings.large_clusters),
            _ => return Err(unknown(number)),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    /// Sets a `CUfunction_attribute` that can be set.
    pub fn set_attribute(&self, number: u32, value: i32) -> Result {
        let mut settings = lock(&self.settings);
        match number {
            8 => settings.dynamic_shared = self.checked_dynamic_shared(value)?,
            9 if (-1..=100).contains(&value) => settings.carveout = value,
            14 => settings.large_clusters = value != 0,
            9 => return Err(CUresult::INVALID_VALUE.because(format!("a carveout of {value}"))),
            _ => return Err(unknown(number)),
        }
        Ok(())
    }

    fn checked_dynamic_shared(&self, value: i32) -> Result<u32> {
        let fixed = self.kernel.ir().static_shared_bytes;
        let most = profile::SHARED_BLOCK_OPT_IN.saturating_sub(fixed);
        u32::try_from(value)
            .ok()
            .filter(|&bytes| bytes <= most)
            .ok_or_else(|| {
                CUresult::INVALID_VALUE.because(format!(
                    "{value} bytes of dynamic shared memory for `{}`: at most {most} beside its \
                 {fixed} static ones",
                    self.name()
                ))
            })
    }
}

fn unknown(number: u32) -> crate::error::Failure {
    CUresult::INVALID_VALUE.because(format!("no function attribute {number} to read or set"))
}
