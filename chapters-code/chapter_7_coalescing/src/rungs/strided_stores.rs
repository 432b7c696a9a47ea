//! A copy to one element per stride: the stores are a stride apart.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, strides_only},
};

/// The rung `strided_stores`.
pub static RUNG: Rung =
    Rung::new("strided_stores", "stores are a stride apart", ptx!("kernels/strided_stores.ptx"))
        .refuses(strides_only);

/// One thread per copied element.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("strided_stores")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Spread, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.spread.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.stride);
        // SAFETY: strided_stores.cu is `(const float* in, float* out, size_t n, size_t stride)`. It reads
        // in[0 .. n] and writes the elements i * stride of `out`, which is as long as the input, and so
        // holds the last one.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let apart = Access { step: 4 * p.stride, ..Access::WORDS };
    Prediction { loads: Access::WORDS.by_threads(p.n), stores: apart.by_threads(p.n) }
}
