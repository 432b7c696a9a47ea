//! A sweep that reads 16 bytes at a time and stores nothing.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, buffer, ceiling::READ_SWEEP_PTX};

use crate::problem::{Vectors, Work, f32_vectors_only};

/// The rung `read_sweep`.
pub static RUNG: Rung =
    Rung::new("read_sweep", "reads 16 bytes at a time and stores nothing", READ_SWEEP_PTX)
        .refuses(f32_vectors_only);

/// One block of 256 threads per 1,024 packs of four elements; a thread loads four packs.
pub fn prepare(p: &Vectors, rung: &Rung) -> Prepared<Vectors> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("read_sweep")?;
    let packs = p.n / 4;
    let config = LaunchConfig {
        grid_dim: (packs.div_ceil(1024).clamp(1, i32::MAX as u64) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut unlikely = buffer::scratch::<u32>(&p.device, 1)?;
    Ok(Launch::new(kernel.clone(), config, Work::Read, move |p: &mut Vectors| {
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.a).arg(&mut unlikely).arg(&packs);
        // SAFETY: read_sweep.cu is `(const uint4* in, unsigned* out, size_t packs)`. It reads in[0 .. packs],
        // aligned to 16 bytes, and may write out[0].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
