//! A copy by accesses of 4 bytes.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, copies_only},
};

/// The rung `scalar`.
pub static RUNG: Rung =
    Rung::new("scalar", "4 bytes per thread", ptx!("kernels/scalar.ptx")).refuses(copies_only);

/// One thread per element.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("scalar")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: scalar.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. n] and writes
        // out[0 .. n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    Prediction::both(Access::WORDS.by_threads(p.n))
}
