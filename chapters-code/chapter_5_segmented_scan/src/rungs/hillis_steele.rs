//! Hillis and Steele's steps over pairs of a flag and a value.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::problem::{SegmentedScan, unsuited};
use crate::{
    Rung,
    pairs::{ADD_BLOCK_OFFSETS, Pairs},
};

/// The rung `hillis_steele`.
pub static RUNG: Rung = Rung::new(
    "hillis_steele",
    "log2 B steps over pairs of a flag and a value",
    ptx!("kernels/hillis_steele.ptx"),
)
.refuses(unsuited);

/// Scans the blocks, then the pairs that they leave, and adds what is open before each block.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    with_pairs(2, p, rung)
}

/// The same with dynamic shared memory for `pairs` pairs per thread.
pub fn with_pairs<T: Element>(
    pairs: u32,
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
        shared_mem_bytes: pairs * threads * (size_of::<T>() as u32 + 1),
    };
    let mut pairs = Pairs::new(p, blocks, tile, ADD_BLOCK_OFFSETS)?;
    // Eight steps in a block, and the offset of the block.
    let depth = 8 + pairs.depth();

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        let mut out = p.out.view_mut();
        let first = &mut pairs.levels[0];
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.flags).arg(&mut out).arg(&p.n);
        launch.arg(&mut first.values).arg(&mut first.heads).arg(&mut first.reached);
        // SAFETY: hillis_steele.cu is `(const T* in, const u8* flags, T* out, size_t n, T* values, u8* heads, u32*
        // reached)`. It reads in[0 .. n] and their flags, writes out[0 .. n], and the other three per block.
        unsafe { launch.launch(config)? };
        pairs.scan_and_add(p)
    }))
}
