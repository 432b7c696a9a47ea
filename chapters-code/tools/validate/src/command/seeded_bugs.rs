//! `validate seeded-bugs` launches a kernel with a seeded bug under a checker such as compute-sanitizer.
//! On the simulator it prints what the simulator finds.
//!
//! `sanitize.sh` runs all of them under all tools.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg, result, sys::CUdeviceptr};
use harness::{Device, DeviceChoice, kernel};

#[path = "../../../../simulator/simt/tests/planted/list.rs"]
mod list;

use list::{PLANTED, Planted, SCRATCH, input};

#[derive(Args)]
pub struct Arguments {
    /// The kernel; with `_ok` behind its name, the same one without the bug
    #[arg(required_unless_present = "list")]
    kernel: Option<String>,
    /// Names all kernels
    #[arg(long)]
    list: bool,
    /// The device
    #[arg(long, default_value = "auto")]
    device: DeviceChoice,
    /// Gives up after so long: some of the kernels never end
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
}

/// Launches the kernel and prints what is found; an error where the launch fails.
pub fn run(arguments: Arguments) -> Result<()> {
    let Some(name) = arguments.kernel.filter(|_| !arguments.list) else {
        for planted in PLANTED {
            println!("{}\n{}", planted.name, planted.twin());
        }
        return Ok(());
    };
    let planted = PLANTED
        .iter()
        .find(|p| p.name == name || p.twin() == name)
        .with_context(|| format!("there is no kernel {name}: --list names them"))?;
    let device = Device::open(arguments.device)?;
    let function = kernel::load(&device, planted.ptx, &name)?;
    give_up_after(Duration::try_from_secs_f64(arguments.seconds)?);
    launch(&device, &function, planted)?;
    let ended = device.stream.synchronize();
    let report = device.take_report()?;
    for race in report.races() {
        println!("{}: {}", race.kind, race.message);
    }
    if let Some(fault) = report.fault() {
        println!("{}: {}", fault.kind, fault.message);
    }
    ended.map_err(|error| anyhow!("{name}: {error}"))
}

/// Ends the process, and with it the kernel, if it still runs by then: a launch may wait for ever,
/// and under a checker so may any call.
fn give_up_after(patience: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(patience);
        eprintln!("still running after {patience:?}: given up");
        std::process::abort();
    });
}

/// Launches a kernel on arrays of its own, of just as many elements as it may use, each from an
/// allocation of its own.
fn launch(device: &Device, function: &CudaFunction, planted: &Planted) -> Result<()> {
    let n = planted.n;
    let values: Vec<i32> = (0..n).map(input).collect();
    let (from, out) = (allocate(n)?, allocate(n)?);
    let (scratch, fresh) = (allocate(SCRATCH)?, allocate(n)?);
    // SAFETY: the allocations have room for this many elements, and nothing else is going on.
    unsafe {
        result::memcpy_htod_sync(from, &values)?;
        result::memset_d8_sync(out, 0, 4 * n as usize)?;
        result::memset_d8_sync(scratch, 0, 4 * SCRATCH as usize)?;
    }
    if planted.frees() {
        // SAFETY: it is allocated, and only the kernel that is there to show this uses it again.
        unsafe { result::free_sync(fresh)? };
    }
    let config = LaunchConfig {
        grid_dim: (planted.grid, 1, 1),
        block_dim: (planted.block, 1, 1),
        shared_mem_bytes: planted.dynamic_shared(),
    };
    let mut launch = device.stream.launch_builder(function);
    launch.arg(&from).arg(&out).arg(&scratch).arg(&fresh).arg(&n);
    // SAFETY: (const int* in, int* out, int* scratch, int* fresh, int n) with arrays of these sizes.
    // What a kernel with a seeded bug does beyond that is its purpose, and the process ends after it.
    unsafe { launch.launch(config) }?;
    Ok(())
}

/// An array of `elements` `int`s, which are not initialised. It lives as long as the process.
fn allocate(elements: u32) -> Result<CUdeviceptr> {
    // SAFETY: the size is not zero, and the device's context is current.
    Ok(unsafe { result::malloc_sync(4 * elements as usize) }?)
}
