//! A copy that reads and writes 16 bytes at a time.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, ptx};

use crate::problem::{Vectors, Work, f32_vectors_only};

/// The rung `copy`.
pub static RUNG: Rung =
    Rung::new("copy", "reads and writes 16 bytes at a time", ptx!("kernels/copy.ptx"))
        .refuses(f32_vectors_only);

/// One thread per pack of four elements. The elements after the last whole pack are not copied.
pub fn prepare(p: &Vectors, rung: &Rung) -> Prepared<Vectors> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("copy")?;
    let packs = p.n / 4;
    let config = LaunchConfig {
        grid_dim: (packs.div_ceil(256).max(1) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config, Work::Copy, move |p: &mut Vectors| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.a).arg(&mut out).arg(&packs);
        // SAFETY: copy.cu is `(const float4* in, float4* out, size_t packs)`. It reads in[0 .. packs] and
        // writes out[0 .. packs], both aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
