//! A structure of arrays: one array per field.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, particles_only};
use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    particles::{DT, Layout},
};

/// The rung `soa`.
pub static RUNG: Rung =
    Rung::new("soa", "a structure of arrays", ptx!("kernels/soa.ptx")).refuses(particles_only);

/// One thread per particle.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("soa")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Moved(Layout::Arrays), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut particles = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut particles).arg(&p.n).arg(&DT);
        // SAFETY: soa.cu is `(float* fields, size_t n, float dt)`. It reads and writes fields[0 .. 8 * n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

pub(super) fn traffic(p: &Accesses) -> Prediction {
    Prediction::of_fields(|k| Access::WORDS.at(4 * k * p.n).by_threads(p.n))
}
