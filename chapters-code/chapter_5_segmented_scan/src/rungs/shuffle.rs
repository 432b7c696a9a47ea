//! Warps scan in registers, and one ballot gives them the flags.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, PtxText, ptx};

use crate::problem::{SegmentedScan, unsuited};
use crate::{
    Rung,
    pairs::{ADD_BLOCK_OFFSETS, Pairs},
};

/// The rung `shuffle`.
pub static RUNG: Rung = Rung::new(
    "shuffle",
    "warps scan in registers, with the flags from one ballot",
    ptx!("kernels/shuffle.ptx"),
)
.refuses(unsuited);

/// Scans the blocks, then the pairs that they leave, and adds what is open before each block.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    with_offsets_by(ADD_BLOCK_OFFSETS, p, rung)
}

/// The same, where the kernels of `add_ptx` add the block offsets.
pub fn with_offsets_by<T: Element>(
    add_ptx: PtxText,
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let threads = p.case.block.unwrap_or(256);
    let tile = u64::from(threads); // elements per block
    let blocks = p.n.div_ceil(tile).max(1);
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut pairs = Pairs::new(p, blocks, tile, add_ptx)?;
    // A warp's scan, that of the warps, two additions, and the offset of the block.
    let depth = 5 + 5 + 2 + pairs.depth();

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        let mut out = p.out.view_mut();
        let first = &mut pairs.levels[0];
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.flags).arg(&mut out).arg(&p.n);
        launch.arg(&mut first.values).arg(&mut first.heads).arg(&mut first.reached);
        // SAFETY: shuffle.cu is `(const T* in, const u8* flags, T* out, size_t n, T* values, u8* heads, u32*
        // reached)`. It reads in[0 .. n] and their flags, writes out[0 .. n], and the other three per block.
        unsafe { launch.launch(config)? };
        pairs.scan_and_add(p)
    }))
}
