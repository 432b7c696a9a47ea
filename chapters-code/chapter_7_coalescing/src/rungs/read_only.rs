//! Sums of pairs by the same loads, through the read-only path.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use super::two_loads::traffic;
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, pairs_only},
}; // the same accesses

/// The rung `read_only`.
pub static RUNG: Rung =
    Rung::new("read_only", "the same loads, by the read-only path", ptx!("kernels/read_only.ptx"))
        .refuses(pairs_only);

/// One thread per pair.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("read_only")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::PairSums, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: read_only.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. 2 * n] and
        // writes out[0 .. n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
