//! The devices wait for each other within the kernel, by flags in device memory.

use cudarc::driver::{DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Rung, buffer, ptx};

use crate::problem::{Addresses, AllReduce, MOST, vectors_only};

/// The devices wait for each other within the kernel, by flags in device memory.
pub static RUNG: Rung = Rung::new(
    "flags",
    "the devices wait for each other within the kernel, by flags in device memory",
    ptx!("kernels/flags.ptx"),
)
.refuses(vectors_only);

/// Threads per block.
const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &AllReduce, rung: &Rung) -> Result<Launch<AllReduce>, Error> {
    let parts = p.parts();
    let packs = (parts[0].1 as u32).div_ceil(4);
    let config = LaunchConfig {
        grid_dim: (packs.div_ceil(THREADS).clamp(1, p.devices[0].resident_blocks(THREADS)), 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut kernels = Vec::new();
    let mut flags = Vec::new();
    let mut addresses = Addresses::default();
    for (d, device) in p.devices.iter().enumerate() {
        let module = device.context.load_module(Ptx::from_src(rung.ptx))?;
        kernels.push(module.load_function(&format!("flags_{}", p.devices.len()))?);
        let own = vec![0_u32; config.grid_dim.0 as usize * MOST];
        flags.push(buffer::to_device(device, &own)?);
        addresses.0[d] = flags[d].device_ptr(&device.stream).0;
    }
    let kernel = kernels[0].clone();
    let mut epoch = 1_u32;

    let enqueue = move |p: &mut AllReduce| {
        let _keep_alive = &flags;
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        for (d, (first, end)) in parts.iter().enumerate() {
            let rank = d as i32;
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&inputs).arg(&outs).arg(&addresses).arg(&rank).arg(&epoch);
            launch.arg(first).arg(end);
            // SAFETY: flags.cu is `(Pointers in, Pointers out, Flags flags, int device, unsigned epoch, size_t first,
            // size_t end)`. It reads and writes the elements from `first` to before `end` of every device's arrays,
            // which have n elements, and 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        epoch += 2;
        Ok(())
    };
    Ok(Launch::new(kernel, config, (), enqueue))
}
