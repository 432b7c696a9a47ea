//! As `banked`, but the last block moves the sums to the output and leaves zeros.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    geometry::{Copies, EVERYWHERE},
};
use crate::{
    bins::EXTRA,
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `finish_exchange`.
pub static RUNG: Rung = Rung::new(
    "finish_exchange",
    "banked, but the last block takes the sums out and leaves zeros",
    ptx!("kernels/finish_exchange.ptx"),
)
.refuses(|rung, case| refuses(rung, case, EVERYWHERE - EXTRA));

/// One launch, which adds to memory of its own.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let Some(copies) = Copies::of(&p.device, &p.case, &p.bins)? else {
        return Err(Copies::no_room());
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
