//! Every device adds all arrays for itself: more bytes, but one way over the links instead of two.

use cudarc::driver::{DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Rung, buffer, ptx};

use crate::problem::{Addresses, AllReduce, MOST, vectors_only};

/// Every device adds all arrays for itself: more bytes, but one way over the links instead of two.
pub static RUNG: Rung = Rung::new(
    "one_shot",
    "every device adds all arrays for itself: more bytes, but one way over the links",
    ptx!("kernels/one_shot.ptx"),
)
.refuses(vectors_only);

/// Threads per block.
const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &AllReduce, rung: &Rung) -> Result<Launch<AllReduce>, Error> {
    let packs = p.n.div_ceil(4) as u32;
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
        kernels.push(module.load_function(&format!("one_shot_{}", p.devices.len()))?);
        let own = vec![0_u32; config.grid_dim.0 as usize * MOST];
        flags.push(buffer::to_device(device, &own)?);
        addresses.0[d] = flags[d].device_ptr(&device.stream).0;
    }
    let kernel = kernels[0].clone();
    let mut epoch = 1_u32;

    let enqueue = move |p: &mut AllReduce| {
        let _keep_alive = &flags;
        let inputs = p.input_addresses();
        for d in 0..p.devices.len() {
            let rank = d as i32;
            let mut out = p.outs[d].view_mut();
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&inputs).arg(&mut out).arg(&addresses).arg(&rank).arg(&epoch).arg(&p.n);
            // SAFETY: one_shot.cu is `(Pointers in, float* out, Flags flags, int device, unsigned epoch, size_t n)`. It
            // reads n elements of every device's array, writes n, and has 8 flags per block of the grid, whose blocks
            // are all resident.
            unsafe { launch.launch(config)? };
        }
        epoch += 2;
        Ok(())
    };
    Ok(Launch::new(kernel, config, (), enqueue))
}
