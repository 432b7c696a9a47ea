//! From head flags of one bit per element to offsets in one pass, with look-back.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Form, ToOffsets, unsuited},
};

/// The rung `offsets_single_pass`.
pub static RUNG: Rung = Rung::new(
    "offsets_single_pass",
    "from bits in one pass: blocks look back, and warps put heads side by side",
    ptx!("kernels/offsets_single_pass.ptx"),
)
.refuses(unsuited);

/// Flags of a block: 512 threads with 32 words each.
const TILE: u64 = 512 * 32 * 32;

/// One launch. Tickets number blocks and launches, so that nothing is zeroed between launches.
pub fn prepare(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("to_offsets")?;
    let tiles = p.n.div_ceil(TILE);
    let config = grid(tiles, 512);
    let mut tickets = p.device.stream.alloc_zeros::<u64>(1)?;
    let mut status = p.device.stream.alloc_zeros::<u64>(tiles.max(1) as usize)?;

    Ok(Launch::new(kernel.clone(), config, Form::Bits, move |p: &mut ToOffsets| {
        let stream = &p.device.stream;
        let (mut count, mut offsets) = (p.count.view_mut(), p.offsets.view_mut());
        if p.n == 0 {
            stream.memset_zeros(&mut count)?;
            return stream.memset_zeros(&mut offsets);
        }
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&p.bits).arg(&p.n).arg(&mut offsets).arg(&p.capacity).arg(&mut count);
        launch.arg(&mut status).arg(&mut tickets);
        // SAFETY: offsets_single_pass.cu is `(const u32* bits, size_t n, u32* offsets, size_t capacity, u32* count,
        // u64* status, u64* tickets)`. It reads ceil(n / 32) words, and writes *count, at most offsets[0 .. capacity]
        // and a status word per block. Status and tickets were 0 before the first launch, and all launches have one
        // grid and one stream.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
