//! Sums of pairs: a thread loads the two elements one by one.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, pairs_only},
};

/// The rung `two_loads`.
pub static RUNG: Rung = Rung::new(
    "two_loads",
    "a thread loads its two elements one by one",
    ptx!("kernels/two_loads.ptx"),
)
.refuses(pairs_only);

/// One thread per pair.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("two_loads")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::PairSums, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: two_loads.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. 2 * n] and
        // writes out[0 .. n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

pub(super) fn traffic(p: &Accesses) -> Prediction {
    let first = Access { step: 8, ..Access::WORDS };
    let loads = first.by_threads(p.n) + first.at(4).by_threads(p.n);
    Prediction { loads, stores: Access::WORDS.by_threads(p.n) }
}
