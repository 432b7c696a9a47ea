//! The structure of arrays in accesses of 16 bytes.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, particles_only};
use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    particles::{DT, Layout},
};

/// The rung `soa_packs`.
pub static RUNG: Rung =
    Rung::new("soa_packs", "the same, four particles per thread", ptx!("kernels/soa_packs.ptx"))
        .refuses(particles_only);

/// One thread per four particles.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("soa_packs")?;
    let blocks = p.n.div_ceil(4).div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Moved(Layout::Arrays), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut particles = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut particles).arg(&p.n).arg(&DT);
        // SAFETY: soa_packs.cu is `(float* fields, size_t n, float dt)`. It reads and writes
        // fields[0 .. 8 * n]. The array is aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// Fields are aligned to 16 bytes only where n is a multiple of 4.
fn traffic(p: &Accesses) -> Prediction {
    match p.n % 4 {
        0 => Prediction::of_fields(|k| Access::PACKS.at(4 * k * p.n).by_threads(p.n / 4)),
        _ => super::soa::traffic(p),
    }
}
