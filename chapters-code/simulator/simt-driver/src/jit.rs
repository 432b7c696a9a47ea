//! Images of modules as they come from C, and the options that come with them.

use std::ffi::c_uint;
use std::time::Instant;

use crate::context;
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::module;
use crate::types::{HostBytes, In, Out, Text};

/// The options of `cuModuleLoadDataEx` that have an effect here.
#[derive(Clone, Copy)]
pub struct JitOptions {
    info: Log,
    error: Log,
    /// Where the milliseconds of decoding go.
    wall_time: Option<HostBytes>,
}

/// A buffer for messages.
#[derive(Clone, Copy)]
struct Log {
    buffer: HostBytes,
    size: usize,
    /// Where the number of bytes written goes: the option's own value.
    written: HostBytes,
}

const EMPTY: Log = Log {
    buffer: HostBytes(std::ptr::null_mut()),
    size: 0,
    written: HostBytes(std::ptr::null_mut()),
};

impl JitOptions {
    /// No options.
    pub fn none() -> Self {
        Self { info: EMPTY, error: EMPTY, wall_time: None }
    }

    /// Reads the array of options and that of their values.
    pub fn read(count: c_uint, options: &In<c_uint>, values: *mut HostBytes) -> Result<Self> {
        let mut read = Self::none();
        for index in 0..count as usize {
            let value = In(values.cast_const()).at(index)?;
            let slot = HostBytes(values.wrapping_add(index).cast());
            match options.at(index)? {
                2 => read.wall_time = Some(slot),
                3 => read.info.buffer = value,
                4 => read.info.sized(value, slot),
                5 => read.error.buffer = value,
                6 => read.error.sized(value, slot),
                // How to optimise, and for what: there is nothing to choose.
                0..=36 => {}
                other => {
                    let cause = format!("there is no JIT option {other}");
                    return Err(CUresult::INVALID_VALUE.because(cause));
                }
            }
        }
        Ok(read)
    }
}

impl Log {
    fn sized(&mut self, value: HostBytes, slot: HostBytes) {
        // The size is an unsigned int that is passed as a pointer.
        self.size = value.0 as usize & c_uint::MAX as usize;
        self.written = slot;
    }

    /// Writes as much of a message as fits, and a NUL.
    fn write(&self, message: &str) -> Result {
        if self.buffer.0.is_null() || self.size == 0 {
            return Ok(());
        }
        let kept = message.len().min(self.size - 1);
        let buffer = self.buffer.as_slice_mut(kept + 1)?;
        buffer[..kept].copy_from_slice(&message.as_bytes()[..kept]);
        buffer[kept] = 0;
        let length = if kept == 0 { 0 } else { kept + 1 };
        Out(self.written.0.cast()).set(length as c_uint)
    }
}

/// Loads an image into the current context.
pub fn load_image(image: &Text, options: &JitOptions) -> Result<Handle> {
    let context = context::synchronized()?;
    let start = Instant::now();
    let loaded = image.bytes().and_then(|bytes| module::load(&context, bytes));
    if let Some(slot) = options.wall_time {
        slot.store(start.elapsed().as_secs_f32() * 1e3)?;
    }
    options.info.write("")?;
    let message = match &loaded {
        Err(Failure { cause: Some(cause), .. }) => cause,
        _ => "",
    };
    options.error.write(message)?;
    loaded
}

/// The bytes of a file.
pub fn read(path: &Text) -> Result<Vec<u8>> {
    let path = path.get()?;
    std::fs::read(&path).map_err(|e| CUresult::FILE_NOT_FOUND.because(format!("{path}: {e}")))
}
