//! Copies of one element per stride. The launches differ in the side that has the stride.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Accesses, Promise, Results, strides_only},
    traffic::{Access, Prediction, Traffic},
};

/// The rung `strided_loads`.
pub static STRIDED_LOADS: Rung =
    Rung::new("strided_loads", "loads are a stride apart", ptx!("kernels/strided_loads.ptx"))
        .refuses(strides_only);

/// The loads are a stride apart.
pub fn strided_loads(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| Prediction { loads: apart(p), stores: side_by_side(p) };
    prepare(p, rung, Promise { result: Results::Dense, traffic })
}

/// The rung `strided_stores`.
pub static STRIDED_STORES: Rung =
    Rung::new("strided_stores", "stores are a stride apart", ptx!("kernels/strided_stores.ptx"))
        .refuses(strides_only);

/// The stores are a stride apart.
pub fn strided_stores(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| Prediction { loads: side_by_side(p), stores: apart(p) };
    prepare(p, rung, Promise { result: Results::Spread, traffic })
}

fn apart(p: &Accesses) -> Traffic {
    Access { step: 4 * p.stride, ..Access::WORDS }.by_threads(p.n)
}

fn side_by_side(p: &Accesses) -> Traffic {
    Access::WORDS.by_threads(p.n)
}

/// One thread per copied element.
fn prepare(p: &Accesses, rung: &Rung, promise: Promise) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // such as strided_loads
    let config = grid(p.n.div_ceil(256).max(1), 256);
    let is_spread = promise.result == Results::Spread;
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = if is_spread { p.spread.view_mut() } else { p.out.view_mut() };
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.stride);
        // SAFETY: both kernels are `(const float* in, float* out, size_t n, size_t stride)`. strided_loads.cu reads the
        // elements i * stride of `in` and writes out[0 .. n]; the last element that it reads is in the input.
        // strided_stores.cu reads in[0 .. n] and writes the elements i * stride of `out`, which is as long as the
        // input, and so holds the last one.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
