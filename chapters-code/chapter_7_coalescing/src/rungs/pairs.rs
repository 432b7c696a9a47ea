//! Sums of pairs. The launches differ in nothing but the kernel and its accesses.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Accesses, Promise, Results, pairs_only},
    traffic::{Access, Prediction},
};

/// The rung `two_loads`.
pub static TWO_LOADS: Rung = Rung::new(
    "two_loads",
    "a thread loads its two elements one by one",
    ptx!("kernels/two_loads.ptx"),
)
.refuses(pairs_only);

/// The rung `past_l1`.
pub static PAST_L1: Rung =
    Rung::new("past_l1", "the same loads, past the L1 cache", ptx!("kernels/past_l1.ptx"))
        .refuses(pairs_only);

/// The rung `read_only`.
pub static READ_ONLY: Rung =
    Rung::new("read_only", "the same loads, by the read-only path", ptx!("kernels/read_only.ptx"))
        .refuses(pairs_only);

/// Two loads of one element each.
pub fn two_loads(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    thread_per_pair(p, rung, |p| {
        let first = Access { step: 8, ..Access::WORDS };
        let loads = first.by_threads(p.n) + first.at(4).by_threads(p.n);
        Prediction { loads, stores: Access::WORDS.by_threads(p.n) }
    })
}

/// The rung `one_load`.
pub static ONE_LOAD: Rung =
    Rung::new("one_load", "both elements in one access of 8 bytes", ptx!("kernels/one_load.ptx"))
        .refuses(pairs_only);

/// One load of both elements.
pub fn one_load(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    thread_per_pair(p, rung, |p| {
        let loads = Access::DOUBLE_WORDS.by_threads(p.n);
        Prediction { loads, stores: Access::WORDS.by_threads(p.n) }
    })
}

/// One thread per pair.
fn thread_per_pair(
    p: &Accesses,
    rung: &Rung,
    traffic: fn(&Accesses) -> Prediction,
) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // such as one_load
    let config = grid(p.n.div_ceil(256).max(1), 256);
    let promise = Promise { result: Results::PairSums, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: two_loads.cu, past_l1.cu, read_only.cu and one_load.cu are `(const float* in, float* out, size_t n)`.
        // They read in[0 .. 2 * n] and write out[0 .. n]. The input is aligned to 8 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
