//! An array of structures of arrays: groups of 32 particles, one array per field in each.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, particles_only};
use crate::traffic::{Access, LANES, Prediction};
use crate::{
    Rung,
    particles::{DT, Layout},
};

/// The rung `aosoa`.
pub static RUNG: Rung =
    Rung::new("aosoa", "an array of structures of arrays of 32", ptx!("kernels/aosoa.ptx"))
        .refuses(particles_only);

/// One thread per particle.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("aosoa")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Moved(Layout::Groups), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut particles = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut particles).arg(&p.n).arg(&DT);
        // SAFETY: aosoa.cu is `(float* groups, size_t n, float dt)`. It reads and writes
        // groups[0 .. 8 * n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// The arrays of the last group are as long as it has particles.
fn traffic(p: &Accesses) -> Prediction {
    let rest = p.n % LANES;
    Prediction::of_fields(|k| {
        let last = Access::WORDS.at(4 * k * rest).by_threads(rest);
        Access::WORDS.by_threads(p.n - rest) + last
    })
}
