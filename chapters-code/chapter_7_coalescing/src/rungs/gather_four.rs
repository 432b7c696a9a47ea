//! A thread gathers four elements.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::problem::{Accesses, Promise, Results, permutations_only};
use crate::traffic::{Access, Prediction};
use crate::{Rung, indices};

/// The rung `gather_four`.
pub static RUNG: Rung =
    Rung::new("gather_four", "four elements per thread", ptx!("kernels/gather_four.ptx"))
        .refuses(permutations_only);

/// One thread per four elements.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("gather_four")?;
    let blocks = p.n.div_ceil(4).div_ceil(256).max(1) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    let promise = Promise { result: Results::Gathered, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&p.indices).arg(&mut out).arg(&p.n);
        // SAFETY: gather_four.cu is `(const float* in, const unsigned* indices, float* out, size_t n)`. It
        // reads indices[0 .. n] and the elements of `in` that they name, which are below n, and writes
        // out[0 .. n]. Indices and output are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let (packs, rest) = p.indices.host().split_at(p.indices.host().len() / 4 * 4);
    let side_by_side = Access::PACKS.by_threads(p.n / 4) + Access::WORDS.by_threads(p.n % 4);
    let loads = side_by_side + indices::traffic_of_several(packs, 4) + indices::traffic(rest);
    Prediction { loads, stores: side_by_side }
}
