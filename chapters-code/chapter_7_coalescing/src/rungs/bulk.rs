//! A copy by the hardware's bulk copies; no thread loads or stores the elements.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, copies_only},
};

/// The rung `bulk`.
pub static RUNG: Rung = Rung::new(
    "bulk",
    "4 KiB per block, by bulk copies instead of threads",
    ptx!("kernels/bulk.compute_90.ptx"),
)
.refuses(copies_only);

/// One block of 32 threads per 1,024 elements. Its first thread issues the copies.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("bulk")?;
    let blocks = p.n.div_ceil(1024).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: bulk.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. n] and writes
        // out[0 .. n]. Both are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    Prediction::both(Access::WORDS.by_threads(p.n % 4)) // bulk copies are neither loads nor stores
}
