//! The first pass only reduces blocks: it reads the elements and writes one aggregate per block.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Kind, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};
use chapter_1_reduce::reference::identity;

/// The rung `reduce_then_scan`.
pub static RUNG: Rung = Rung::new(
    "reduce_then_scan",
    "the first pass only reduces: three quarters of the traffic",
    ptx!("kernels/reduce_then_scan.ptx"),
)
.refuses(vectors_only);

/// Reduces blocks, then the aggregates of the blocks, until one block is left. Then scans, in reverse order.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let reduce = module.load_function(&format!("reduce_{}", p.operator()))?; // such as reduce_sum_f32
    let last = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let scan = module.load_function(&p.entry(Kind::Exclusive))?;
    let tile = 16_384 / size_of::<T>() as u64; // elements per block
    let config = |blocks| grid(blocks, 256);
    // Level l has n[l] values in n[l + 1] blocks: first the elements, then the aggregates of the blocks.
    let n = p.levels(tile);
    let levels = n.len() - 1;
    // On every level: a tile, the prefix of its block included.
    let depth = levels as u64 * tile_depth::<T>(4);
    let (mut aggregates, mut prefixes) = (p.per_block(&n)?, p.per_block(&n)?);
    // Nothing comes before the one block of the last level.
    prefixes[levels - 1] = p.device.stream.clone_htod(&[identity::<T>(p.case.op)])?;
    let (kernel, first_config) = (last.clone(), config(n[1]));

    Ok(Launch::new(kernel, first_config, depth, move |p: &mut PrefixScan<T>| {
        for l in 0..levels - 1 {
            let (before, after) = aggregates.split_at_mut(l);
            let mut launch = p.device.stream.launch_builder(&reduce);
            launch.arg(before.last().unwrap_or(&p.input)).arg(&n[l]).arg(&mut after[0]);
            // SAFETY: the kernel is `(const T* in, size_t n, T* sums)`. It reads in[0 .. n] and writes one
            // aggregate per block.
            unsafe { launch.launch(config(n[l + 1]))? };
        }
        for l in (1..levels).rev() {
            let (out, prefixes) = prefixes.split_at_mut(l);
            let mut launch = p.device.stream.launch_builder(&scan);
            launch.arg(&aggregates[l - 1]).arg(&mut out[l - 1]).arg(&n[l]).arg(&prefixes[0]);
            // SAFETY: the kernel is `(const T* in, T* out, size_t n, const T* before)`. It reads in[0 .. n] and
            // one prefix per block, and writes out[0 .. n].
            unsafe { launch.launch(config(n[l + 1]))? };
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&last);
        launch.arg(&p.input).arg(&mut out).arg(&n[0]).arg(&prefixes[0]);
        // SAFETY: as above.
        unsafe { launch.launch(config(n[1])) }.map(drop)
    }))
}
