//! Reads with so many loads of a thread, and so many blocks of a multiprocessor, under way at a time.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUdevice_attribute_enum};
use harness::{Error, kernel};

use crate::{Ready, Setup, Task};

/// Threads of a block.
pub const THREADS: u32 = 256;

/// The numbers of loads that there is a kernel for.
pub const LOADS: [u32; 4] = [1, 2, 4, 8];
/// The most blocks that a multiprocessor holds: of 2,048 threads.
pub const MOST_RESIDENT: u32 = 8;
/// The most loads of a thread, times blocks, that a multiprocessor has registers for.
pub const MOST_TOGETHER: u32 = 32;

/// Bytes of shared memory that the system keeps of each block's.
const RESERVED: u32 = 1024;

/// Bytes that a multiprocessor has asked for and not yet got.
pub fn bytes_in_flight(loads: u32, resident: u32) -> u32 {
    16 * loads * THREADS * resident
}

/// As many blocks as fit at once: each takes so much shared memory that no more do.
pub(crate) fn read(s: &Setup<'_>) -> Result<Ready, Error> {
    let Task::BytesInFlight { loads, resident } = Task::of(&s.case) else {
        return Err(Error::Usage(
            "bytes_in_flight reads only; see --list".into(),
        ));
    };
    let kernel = s.entry(&format!("bytes_in_flight_{loads}"))?;
    let packs = s.case.elements() / 4;
    let config = LaunchConfig {
        shared_mem_bytes: shared_bytes(s, resident)?,
        ..kernel::grid(
            u64::from(resident * s.device.properties.multiprocessors),
            THREADS,
        )
    };
    kernel::allow_shared(&kernel, &config)?;
    let fit = kernel::usage(s.device, &kernel, &config)?.occupancy
        * f64::from(s.device.properties.threads_per_multiprocessor)
        / f64::from(THREADS);
    if fit.round() as u32 != resident {
        return Err(Error::Usage(format!(
            "a multiprocessor of this device holds {fit:.0} blocks, not {resident}\n  \
             remedy: give another --resident"
        )));
    }
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&packs);
        // SAFETY: reads in[0 .. packs], of 16 aligned bytes each, and writes a word of out for each thread
        // of the grid, as many as it has; blocks have 256 threads.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// Shared memory of a block such that `resident` fit a multiprocessor and one more does not; none where
/// its threads say so already.
fn shared_bytes(s: &Setup<'_>, resident: u32) -> Result<u32, Error> {
    let device = &s.device.properties;
    if resident * THREADS >= device.threads_per_multiprocessor {
        return Ok(0);
    }
    let all = CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR;
    let all = s.device.context.attribute(all);
    let all = all.map_err(|error| Error::driver("asking for the shared memory", error))?;
    let of_one_too_many = all.max(0) as u32 / (resident + 1);
    Ok((of_one_too_many + 128).saturating_sub(RESERVED) / 128 * 128)
}
