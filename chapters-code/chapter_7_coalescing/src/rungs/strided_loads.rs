//! A copy of one element per stride: the loads are a stride apart.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, strides_only},
};

/// The rung `strided_loads`.
pub static RUNG: Rung =
    Rung::new("strided_loads", "loads are a stride apart", ptx!("kernels/strided_loads.ptx"))
        .refuses(strides_only);

/// One thread per copied element.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("strided_loads")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.stride);
        // SAFETY: strided_loads.cu is `(const float* in, float* out, size_t n, size_t stride)`. It reads
        // the elements i * stride of `in` and writes out[0 .. n]. The last element that it reads is in the
        // input.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let apart = Access { step: 4 * p.stride, ..Access::WORDS };
    Prediction { loads: apart.by_threads(p.n), stores: Access::WORDS.by_threads(p.n) }
}
