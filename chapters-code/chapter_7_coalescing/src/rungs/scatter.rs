//! The indices say where elements are stored.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, without_repeats};
use crate::traffic::{Access, Prediction};
use crate::{Rung, indices};

/// The rung `scatter`.
pub static RUNG: Rung =
    Rung::new("scatter", "indices say where elements are stored", ptx!("kernels/scatter.ptx"))
        .refuses(without_repeats);

/// One thread per element.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("scatter")?;
    let blocks = p.n.div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Scattered, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&p.indices).arg(&mut out).arg(&p.n);
        // SAFETY: scatter.cu is `(const float* in, const unsigned* indices, float* out, size_t n)`. It
        // reads in[0 .. n] and indices[0 .. n], which are below n, and writes the elements of `out` that
        // they name.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let words = Access::WORDS.by_threads(p.n);
    Prediction { loads: words + words, stores: indices::traffic(p.indices.host()) }
}
