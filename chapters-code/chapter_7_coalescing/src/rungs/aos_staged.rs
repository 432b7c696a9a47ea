//! The array of structures passes through shared memory, so that all accesses coalesce.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, particles_only};
use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    particles::{DT, Layout},
};

/// The rung `aos_staged`.
pub static RUNG: Rung = Rung::new(
    "aos_staged",
    "the same through shared memory, with coalesced accesses",
    ptx!("kernels/aos_staged.ptx"),
)
.refuses(particles_only);

/// One thread per particle.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // aos_staged or staged_without_barrier
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Moved(Layout::Structures), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut particles = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut particles).arg(&p.n).arg(&DT);
        // SAFETY: aos_staged.cu is `(float* particles, size_t n, float dt)`. It reads and writes
        // particles[0 .. 8 * n]. The array is aligned to 16 bytes, and a block has 256 threads.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    Prediction::both(Access::PACKS.by_threads(2 * p.n))
}
