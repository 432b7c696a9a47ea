//! Rows of a matrix, as PyTorch's `a[mask]` takes them.

use cudarc::driver::PushKernelArg;
use harness::{By, Error, kernel};

use crate::{BALLOT_BLOCK, Counts, EXACT, Ready, Setup, layout::Layout};

const BALLOT: &str = include_str!("../kernels/ballot.ptx");

/// How a row is moved: in units of so many bytes, by the kernel of this name.
fn unit(row_bytes: u64) -> (u64, &'static str) {
    match row_bytes {
        bytes if bytes.is_multiple_of(16) => (16, "fetch_b128"),
        bytes if bytes.is_multiple_of(4) => (4, "fetch_b32"),
        _ => (1, "fetch_b8"),
    }
}

pub(crate) fn rows(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let by: By = layout.by;
    let ballot = kernel::load_module(s.device, "ballot", &[BALLOT])?;
    let count = kernel::load_function(&ballot, &format!("count_{by}_b8"))?;
    let mut counts = Counts::new(s, count)?;
    let mut numbers = s.scratch(8 * layout.n)?;
    let number = s.entry(&format!("numbers_{by}"))?;
    let (bytes, name) = unit(layout.width * layout.size);
    let (kernel, width) = (s.entry(name)?, layout.width * layout.size / bytes);
    let (stream, fetch) = (s.stream(), kernel.clone());
    let numbering = kernel::grid(layout.n.div_ceil(BALLOT_BLOCK), 256);
    // Eight blocks of 256 threads fill a multiprocessor; rows of thousands of units are shared.
    let across = width.div_ceil(4096).clamp(1, 64) as u32;
    let down = (16 * s.device.properties.multiprocessors).div_ceil(across);
    let mut config = kernel::grid(layout.n.div_ceil(8).clamp(1, down.into()), 256);
    config.grid_dim.1 = across;
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        if layout.n == 0 {
            return memory.keep_none(&stream);
        }
        counts.launch(&stream, &memory)?;
        let mut launch = stream.launch_builder(&number);
        launch
            .arg(&mut numbers)
            .arg(&layout.n)
            .arg(&mut memory.header);
        launch.arg(&memory.mask).arg(&layout.pivot);
        launch.arg(&counts.before);
        // SAFETY: reads a mask of n rows and before[b] for each block b, writes *kept and as many
        // numbers, n at most.
        unsafe { launch.launch(numbering)? };
        let mut launch = stream.launch_builder(&fetch);
        launch.arg(&memory.data).arg(&mut memory.elements);
        launch.arg(&memory.capacity).arg(&numbers);
        launch.arg(&mut memory.header).arg(&width);
        // SAFETY: reads *kept numbers below n, and those rows of `width` units; writes as many rows,
        // `capacity` at most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
