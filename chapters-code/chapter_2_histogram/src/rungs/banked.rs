//! Every block counts in up to 32 copies, each in banks of its own. The launches differ in how the output gets its
//! zeros.

use cudarc::driver::{
    CudaFunction, LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*,
};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Prepared, kernel::grid, ptx};

use super::ranges;
use crate::{
    Case, Rung,
    bins::{self, EXTRA},
    geometry::{Copies, EVERYWHERE},
    problem::{Counting, divides_integers, refuses},
    reference::Key,
};

/// The rung's kernel and its launch with these copies.
fn with_copies<K: Key>(
    copies: Copies,
    p: &Counting<K>,
    rung: &Rung,
) -> Result<(CudaFunction, LaunchConfig), Error> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as histogram_u32
    let bytes = copies.bytes as i32; // may be more than 48 KiB
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    let config = LaunchConfig {
        shared_mem_bytes: copies.bytes,
        ..grid(copies.blocks.into(), copies.threads)
    };
    Ok((kernel, config))
}

/// The rung `banked`.
pub static BANKED: Rung = Rung::new(
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
pub fn banked<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let Some(copies) = Copies::of(&p.device, &p.case, &p.bins)? else {
        return ranges::prepare(p, &ranges::RUNG);
    };
    let (kernel, config) = with_copies(copies, p, rung)?;
    let mut state = p.device.stream.alloc_zeros::<u64>(2)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins).arg(&copies.log);
        launch.arg(&mut state);
        // SAFETY: banked.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies, State* state)`, with
        // EvenBins, as long as p.bins, where integers are divided into bins. It reads in[0 .. n] and writes
        // out[0 .. bins.count + 3]. Shared memory holds the copies. The state is zero before the first launch, and
        // every launch has the same grid.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// The rung `finish_memset`.
pub static FINISH_MEMSET: Rung = Rung::new(
    "finish_memset",
    "banked, but the host zeroes the output",
    ptx!("kernels/finish_memset.ptx"),
)
.refuses(|rung, case| refuses(rung, case, EVERYWHERE - EXTRA));

/// The output is set to zero, then one launch adds to it.
pub fn finish_memset<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let copies = Copies::of(&p.device, &p.case, &p.bins)?.ok_or_else(Copies::no_room)?;
    let (kernel, config) = with_copies(copies, p, rung)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        p.device.stream.memset_zeros(&mut counts)?;
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins).arg(&copies.log);
        // SAFETY: finish_memset.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies)`. It reads
        // in[0 .. n] and adds to out[0 .. bins.count + 3]. Shared memory holds the copies.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// The rung `finish_exchange`.
pub static FINISH_EXCHANGE: Rung = Rung::new(
    "finish_exchange",
    "banked, but the last block takes the sums out and leaves zeros",
    ptx!("kernels/finish_exchange.ptx"),
)
.refuses(|rung, case| refuses(rung, case, EVERYWHERE - EXTRA));

/// One launch, which adds to memory of its own. The last block moves the sums to the output.
pub fn finish_exchange<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let copies = Copies::of(&p.device, &p.case, &p.bins)?.ok_or_else(Copies::no_room)?;
    let (kernel, config) = with_copies(copies, p, rung)?;
    let mut sums = p.device.stream.alloc_zeros::<u32>(p.bins.counters() as usize)?;
    let mut counter = p.device.stream.alloc_zeros::<u32>(1)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins).arg(&copies.log);
        launch.arg(&mut sums).arg(&mut counter);
        // SAFETY: finish_exchange.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies, u32* sums,
        // u32* counter)`. It reads in[0 .. n], adds to sums[0 .. bins.count + 3], and writes as much to out.
        // Shared memory holds the copies. Sums and counter are zero before and after every launch.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
