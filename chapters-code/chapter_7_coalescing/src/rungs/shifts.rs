//! Copies that are shifted by an offset. The launches differ in the elements of a thread, and in the output.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Accesses, Promise, Results, offsets_only},
    traffic::{Access, LANES, Prediction, Traffic, whole_packs},
};

/// The rung `offset_loads`.
pub static OFFSET_LOADS: Rung =
    Rung::new("offset_loads", "loads begin at the offset", ptx!("kernels/offset_loads.ptx"))
        .refuses(offsets_only);

/// One thread per element.
pub fn offset_loads(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    shift(1, p, rung, Promise { result: Results::Dense, traffic: traffic_of_offset_loads })
}

/// The accesses of `offset_loads`.
pub(crate) fn traffic_of_offset_loads(p: &Accesses) -> Prediction {
    let loads = Access::WORDS.at(4 * p.offset).by_threads(p.n);
    Prediction { loads, stores: Access::WORDS.by_threads(p.n) }
}

/// The rung `offset_stores`.
pub static OFFSET_STORES: Rung =
    Rung::new("offset_stores", "stores begin at the offset", ptx!("kernels/offset_stores.ptx"))
        .refuses(offsets_only);

/// One thread per element.
pub fn offset_stores(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let stores = Access::WORDS.at(4 * p.offset).by_threads(p.n);
        Prediction { loads: Access::WORDS.by_threads(p.n), stores }
    };
    shift(1, p, rung, Promise { result: Results::Spread, traffic })
}

/// The rung `four_loads`.
pub static FOUR_LOADS: Rung = Rung::new(
    "four_loads",
    "stores are packs, loads are four elements each",
    ptx!("kernels/four_loads.ptx"),
)
.refuses(offsets_only);

/// One thread per four elements.
pub fn four_loads(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let packs = p.n / 4;
        let kth = |k| Access { first: 4 * (p.offset + k), step: 16, bytes: 4 };
        let loads = (0..4).map(|k| kth(k).by_threads(packs)).sum();
        shifted(p, packs, loads)
    };
    shift(4, p, rung, Promise { result: Results::Dense, traffic })
}

/// The rung `two_packs`.
pub static TWO_PACKS: Rung = Rung::new(
    "two_packs",
    "packs on both sides: two aligned loads per unaligned pack",
    ptx!("kernels/two_packs.ptx"),
)
.refuses(offsets_only);

/// One thread per four elements.
pub fn two_packs(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let (low, packs) = (p.offset / 4, whole_packs(p.n, p.offset));
        let aligned = |pack: u64| Access::PACKS.at(16 * pack).by_threads(packs);
        let loads = match p.offset % 4 {
            0 => aligned(low),
            _ => aligned(low) + aligned(low + 1),
        };
        shifted(p, packs, loads)
    };
    shift(4, p, rung, Promise { result: Results::Dense, traffic })
}

/// The rung `shuffled`. A shuffle brings the next pack from the next lane.
pub static SHUFFLED: Rung = Rung::new(
    "shuffled",
    "each pack loaded once: a shuffle brings the next one",
    ptx!("kernels/shuffled.ptx"),
)
.refuses(offsets_only);

/// One thread per four elements.
pub fn shuffled(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let traffic = |p: &Accesses| {
        let packs = whole_packs(p.n, p.offset);
        let aligned = Access::PACKS.at(16 * (p.offset / 4)).by_threads(packs);
        let loads = match p.offset % 4 {
            0 => aligned,
            // The last lane of each warp loads one pack more.
            _ => aligned + Traffic { requests: 1, sectors: 1 } * packs.div_ceil(LANES),
        };
        shifted(p, packs, loads)
    };
    shift(4, p, rung, Promise { result: Results::Dense, traffic })
}

/// One thread per `each` elements, in blocks of 256.
fn shift(each: u64, p: &Accesses, rung: &Rung, promise: Promise) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // such as shuffled, or the broken last_lane
    let config = grid(p.n.div_ceil(256 * each).max(1), 256);
    let is_spread = promise.result == Results::Spread;
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut out = if is_spread { p.spread.view_mut() } else { p.out.view_mut() };
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n).arg(&p.offset);
        // SAFETY: the kernels are `(const float* in, float* out, size_t n, size_t offset)`. offset_loads.cu,
        // four_loads.cu, two_packs.cu and shuffled.cu read in[0 .. offset + n] and write out[0 .. n]. offset_stores.cu
        // reads in[0 .. n] and writes out[offset .. offset + n]. The input and the spread output have offset + n
        // elements, and all are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// A shifted copy whose first stores are `packs` packs, for which the kernel makes `loads`. The remaining
/// elements are copied one by one.
fn shifted(p: &Accesses, packs: u64, loads: Traffic) -> Prediction {
    let remaining = p.n - 4 * packs;
    let behind = |first: u64| {
        let words = Access::WORDS.at(4 * (first + 4 * packs));
        words.by_threads(remaining)
    };
    Prediction {
        loads: loads + behind(p.offset),
        stores: Access::PACKS.by_threads(packs) + behind(0),
    }
}
