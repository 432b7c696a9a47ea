//! A shifted copy by packs on both sides: two aligned loads per pack that is not aligned.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::traffic::{Access, Prediction, whole_packs};
use crate::{
    Rung,
    problem::{Accesses, Promise, Results, offsets_only},
};

/// The rung `two_packs`.
pub static RUNG: Rung = Rung::new(
    "two_packs",
    "packs on both sides: two aligned loads per unaligned pack",
    ptx!("kernels/two_packs.ptx"),
)
.refuses(offsets_only);

/// One thread per four elements.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // two_packs or misaligned_packs
    let blocks = p.n.div_ceil(4).div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.offset);
        // SAFETY: two_packs.cu is `(const float* in, float* out, size_t n, size_t offset)`. It reads
        // in[0 .. offset + n] and writes out[0 .. n]. The input has offset + n elements. Both are aligned
        // to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let (low, packs) = (p.offset / 4, whole_packs(p.n, p.offset));
    let aligned = |pack: u64| Access::PACKS.at(16 * pack).by_threads(packs);
    let loads = match p.offset % 4 {
        0 => aligned(low),
        _ => aligned(low) + aligned(low + 1),
    };
    Prediction::shifted(p, packs, loads)
}
