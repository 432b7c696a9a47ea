//! Indices name the elements that are loaded or stored. The launches differ in the elements of a thread.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung, indices,
    problem::{Accesses, Promise, Results, permutations_only, without_repeats},
    traffic::{Access, Prediction},
};

/// The rung `gather`.
pub static GATHER: Rung =
    Rung::new("gather", "indices say which elements are loaded", ptx!("kernels/gather.ptx"))
        .refuses(permutations_only);

/// The rung `gather_read_only`.
pub static GATHER_READ_ONLY: Rung = Rung::new(
    "gather_read_only",
    "the same loads, by the read-only path",
    ptx!("kernels/gather_read_only.ptx"),
)
.refuses(permutations_only);

/// One thread per element.
pub fn gather(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let words = Access::WORDS.by_threads(p.n);
        Prediction { loads: words + indices::traffic(p.indices.host()), stores: words }
    };
    permute(rung.name, 1, p, rung, Promise { result: Results::Gathered, traffic })
}

/// The rung `gather_four`.
pub static GATHER_FOUR: Rung =
    Rung::new("gather_four", "four elements per thread", ptx!("kernels/gather_four.ptx"))
        .refuses(permutations_only);

/// One thread per four elements.
pub fn gather_four(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let (packs, rest) = p.indices.host().split_at(p.indices.host().len() / 4 * 4);
        let side_by_side = Access::PACKS.by_threads(p.n / 4) + Access::WORDS.by_threads(p.n % 4);
        let loads = side_by_side + indices::traffic_of_several(packs, 4) + indices::traffic(rest);
        Prediction { loads, stores: side_by_side }
    };
    permute(rung.name, 4, p, rung, Promise { result: Results::Gathered, traffic })
}

/// The rung `scatter`.
pub static SCATTER: Rung =
    Rung::new("scatter", "indices say where elements are stored", ptx!("kernels/scatter.ptx"))
        .refuses(without_repeats);

/// One thread per element.
pub fn scatter(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let words = Access::WORDS.by_threads(p.n);
        Prediction { loads: words + words, stores: indices::traffic(p.indices.host()) }
    };
    permute("scatter", 1, p, rung, Promise { result: Results::Scattered, traffic })
}

/// One thread per `each` elements, in blocks of 256.
fn permute(
    kernel: &str,
    each: u64,
    p: &Accesses,
    rung: &Rung,
    promise: Promise,
) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(kernel)?;
    let config = grid(p.n.div_ceil(256 * each).max(1), 256);
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&p.indices).arg(&mut out).arg(&p.n);
        // SAFETY: the kernels are `(const float* in, const unsigned* indices, float* out, size_t n)`. All read
        // indices[0 .. n], which are below n. gather.cu, gather_read_only.cu and gather_four.cu read the elements of
        // `in` that they name, and write out[0 .. n]. scatter.cu reads in[0 .. n] and writes the elements of `out` that
        // they name. Indices and output are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
