//! As `banked`, but the host zeroes the output.

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

/// The rung `finish_memset`.
pub static RUNG: Rung = Rung::new(
    "finish_memset",
    "banked, but the host zeroes the output",
    ptx!("kernels/finish_memset.ptx"),
)
.refuses(|rung, case| refuses(rung, case, EVERYWHERE - EXTRA));

/// The output is set to zero, then one launch adds to it.
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
