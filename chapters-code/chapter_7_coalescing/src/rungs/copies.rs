//! Copies of a whole array. The launches differ in the threads of a block and in the elements that it copies.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Accesses, Promise, Results, copies_only},
    traffic::{Access, Prediction},
};

/// The rung `scalar`.
pub static SCALAR: Rung =
    Rung::new("scalar", "4 bytes per thread", ptx!("kernels/scalar.ptx")).refuses(copies_only);

/// One thread per element.
pub fn scalar(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    in_blocks_of(256, 256, p, rung, |p| Prediction::both(Access::WORDS.by_threads(p.n)))
}

/// The rung `vec2`.
pub static VEC2: Rung =
    Rung::new("vec2", "8 bytes per thread", ptx!("kernels/vec2.ptx")).refuses(copies_only);

/// One thread per two elements.
pub fn vec2(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    in_blocks_of(2 * 256, 256, p, rung, |p| {
        let remainder = Access::WORDS.by_threads(p.n % 2);
        Prediction::both(Access::DOUBLE_WORDS.by_threads(p.n / 2) + remainder)
    })
}

/// The rung `packs`.
pub static PACKS: Rung =
    Rung::new("packs", "16 bytes per thread", ptx!("kernels/packs.ptx")).refuses(copies_only);

/// One thread per four elements.
pub fn packs(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    in_blocks_of(4 * 256, 256, p, rung, traffic_of_packs)
}

/// The rung `four_packs`.
pub static FOUR_PACKS: Rung =
    Rung::new("four_packs", "four times 16 bytes per thread", ptx!("kernels/four_packs.ptx"))
        .refuses(copies_only);

/// One thread per 16 elements. The accesses are those of `packs`.
pub fn four_packs(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    in_blocks_of(16 * 256, 256, p, rung, traffic_of_packs)
}

fn traffic_of_packs(p: &Accesses) -> Prediction {
    let remainder = Access::WORDS.by_threads(p.n % 4);
    Prediction::both(Access::PACKS.by_threads(p.n / 4) + remainder)
}

/// The rung `bulk`. No thread loads or stores the elements of its bulk copies.
pub static BULK: Rung = Rung::new(
    "bulk",
    "4 KiB per block, by bulk copies instead of threads",
    ptx!("kernels/bulk.compute_90.ptx"),
)
.refuses(copies_only);

/// One block of 32 threads per 1,024 elements. Its first thread issues the copies.
pub fn bulk(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    // Bulk copies are neither loads nor stores.
    in_blocks_of(1024, 32, p, rung, |p| Prediction::both(Access::WORDS.by_threads(p.n % 4)))
}

/// One block of `threads` threads per `elements` elements.
fn in_blocks_of(
    elements: u64,
    threads: u32,
    p: &Accesses,
    rung: &Rung,
    traffic: fn(&Accesses) -> Prediction,
) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // such as packs, or the broken tail_dropped
    let config = grid(p.n.div_ceil(elements).max(1), threads);
    let promise = Promise { result: Results::Dense, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: scalar.cu, vec2.cu, packs.cu, four_packs.cu and bulk.cu are `(const float* in, float* out, size_t
        // n)`. They read in[0 .. n] and write out[0 .. n]. Both are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
