//! From offsets to head flags of one bit per element: segments share words, which takes atomics.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Form, ToFlags, unsuited},
};

/// The rung `bits_of_offsets`.
pub static RUNG: Rung = Rung::new(
    "bits_of_offsets",
    "one bit per element: segments share words, which takes atomics",
    ptx!("kernels/bits_of_offsets.ptx"),
)
.refuses(unsuited);

/// Flags are set to zero. Then one thread per segment sets the flag of a segment that has elements.
pub fn prepare(p: &ToFlags, rung: &Rung) -> Prepared<ToFlags> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("to_flags")?;
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(256), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config, Form::Bits, move |p: &mut ToFlags| {
        let mut bits = p.bits.view_mut();
        p.device.stream.memset_zeros(&mut bits)?;
        if p.segments == 0 {
            return Ok(());
        }
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.offsets).arg(&p.segments).arg(&mut bits).arg(&p.n);
        // SAFETY: bits_of_offsets.cu is `(const u32* offsets, u32 segments, u32* bits, size_t n)`. It reads
        // offsets[0 ..= segments] and writes flags of at most n elements, a bit each. One thread per segment.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
