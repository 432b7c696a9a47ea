//! From offsets to head flags of one bit per element: a block makes a tile of flags in shared memory.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Form, ToFlags, unsuited},
};

/// The rung `bits_tiled`.
pub static RUNG: Rung = Rung::new(
    "bits_tiled",
    "a block makes a tile of flags in shared memory, and stores each word once",
    ptx!("kernels/bits_tiled.ptx"),
)
.refuses(unsuited);

/// Flags of a tile.
const FLAGS: u64 = 131_072;

/// One launch, with one block per tile of 131,072 flags.
pub fn prepare(p: &ToFlags, rung: &Rung) -> Prepared<ToFlags> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("to_flags")?;
    let config = LaunchConfig {
        grid_dim: (p.n.div_ceil(FLAGS) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config, Form::Bits, move |p: &mut ToFlags| {
        if p.n == 0 {
            return Ok(());
        }
        let mut bits = p.bits.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.offsets).arg(&p.segments).arg(&mut bits).arg(&p.n);
        // SAFETY: bits_tiled.cu is `(const u32* offsets, u32 segments, u32* bits, size_t n)`. It reads
        // offsets[0 ..= segments] and writes ceil(n / 32) words of flags. There is one block per tile, and allocations
        // are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
