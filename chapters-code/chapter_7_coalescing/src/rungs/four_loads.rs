//! A shifted copy: a thread makes one pack of the output from four loads.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, offsets_only},
};

/// The rung `four_loads`.
pub static RUNG: Rung = Rung::new(
    "four_loads",
    "stores are packs, loads are four elements each",
    ptx!("kernels/four_loads.ptx"),
)
.refuses(offsets_only);

/// One thread per four elements.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("four_loads")?;
    let blocks = p.n.div_ceil(4).div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.offset);
        // SAFETY: four_loads.cu is `(const float* in, float* out, size_t n, size_t offset)`. It reads
        // in[offset .. offset + n] and writes out[0 .. n]. The input has offset + n elements. The output is
        // aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let packs = p.n / 4;
    let kth = |k| Access { first: 4 * (p.offset + k), step: 16, bytes: 4 };
    let loads = (0..4).map(|k| kth(k).by_threads(packs)).sum();
    Prediction::shifted(p, packs, loads)
}
