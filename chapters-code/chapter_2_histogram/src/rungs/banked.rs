//! Every block counts in up to 32 copies, each in banks of its own. The first block zeroes the output.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use super::ranges;
use crate::{
    Case, Rung,
    bins::{self, EXTRA},
    geometry::{Copies, EVERYWHERE},
    problem::{Counting, divides_integers, refuses},
    reference::Key,
};

/// The rung `banked`.
pub static RUNG: Rung = Rung::new(
    "banked",
    "16-byte loads; up to 32 copies per block, each in its own banks; the first block zeroes",
    ptx!("kernels/banked.ptx"),
)
.refuses(|rung, case| refuses(rung, case, most_bins(case)));

/// `ranges`, which takes the bins that have no room here, cannot divide integers.
fn most_bins(case: &Case) -> u32 {
    match divides_integers(case) {
        true => EVERYWHERE - EXTRA,
        false => bins::MOST,
    }
}

/// One launch. If a block has no room for a single copy, [`ranges`] is launched.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let Some(copies) = Copies::of(&p.device, &p.case, &p.bins)? else {
        return ranges::prepare(p, &ranges::RUNG);
    };
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as histogram_u32
    let config = LaunchConfig {
        grid_dim: (copies.blocks, 1, 1),
        block_dim: (copies.threads, 1, 1),
        shared_mem_bytes: copies.bytes,
    };
    let bytes = copies.bytes as i32; // may be more than 48 KiB
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    let mut state = p.device.stream.alloc_zeros::<u64>(2)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins).arg(&copies.log);
        launch.arg(&mut state);
        // SAFETY: banked.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies, State* state)`, with
        // EvenBins, as long as p.bins, where integers are divided into bins. It reads in[0 .. n] and writes out[0 .. bins.count + 3]. Shared memory holds the copies. The state is
        // zero before the first launch, and every launch has the same grid.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
