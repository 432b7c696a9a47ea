//! An array of structures: 32 bytes per particle.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, particles_only};
use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    particles::{DT, FIELDS, Layout},
};

/// The rung `aos`.
pub static RUNG: Rung =
    Rung::new("aos", "an array of structures", ptx!("kernels/aos.ptx")).refuses(particles_only);

/// One thread per particle.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("aos")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Moved(Layout::Structures), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut particles = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut particles).arg(&p.n).arg(&DT);
        // SAFETY: aos.cu is `(float* particles, size_t n, float dt)`. It reads and writes
        // particles[0 .. 8 * n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let field = |k| Access { first: 4 * k, step: 4 * FIELDS, bytes: 4 };
    Prediction::of_fields(|k| field(k).by_threads(p.n))
}
