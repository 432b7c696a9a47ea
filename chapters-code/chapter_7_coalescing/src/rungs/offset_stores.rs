//! A shifted copy: the stores begin at the offset.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, offsets_only},
};

/// The rung `offset_stores`.
pub static RUNG: Rung =
    Rung::new("offset_stores", "stores begin at the offset", ptx!("kernels/offset_stores.ptx"))
        .refuses(offsets_only);

/// One thread per element.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("offset_stores")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Spread, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.spread.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.offset);
        // SAFETY: offset_stores.cu is `(const float* in, float* out, size_t n, size_t offset)`. It reads
        // in[0 .. n] and writes out[offset .. offset + n]. Input and output have offset + n elements.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let stores = Access::WORDS.at(4 * p.offset).by_threads(p.n);
    Prediction { loads: Access::WORDS.by_threads(p.n), stores }
}
