//! Sums of pairs: a thread loads both elements in one access of 8 bytes.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, pairs_only},
};

/// The rung `one_load`.
pub static RUNG: Rung =
    Rung::new("one_load", "both elements in one access of 8 bytes", ptx!("kernels/one_load.ptx"))
        .refuses(pairs_only);

/// One thread per pair.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("one_load")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::PairSums, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: one_load.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. 2 * n] and
        // writes out[0 .. n]. The input is aligned to 8 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let loads = Access::DOUBLE_WORDS.by_threads(p.n);
    Prediction { loads, stores: Access::WORDS.by_threads(p.n) }
}
