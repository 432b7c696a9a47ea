//! A thread loads 16 bytes at a time and scans its own elements before its warp does.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Kind, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{ADD_BLOCK_OFFSETS, PrefixScan, one_thread_per_element, tile_depth, vectors_only},
};

/// The rung `vectorized`.
pub static RUNG: Rung = Rung::new(
    "vectorized",
    "16-byte loads: a thread scans its own elements first",
    ptx!("kernels/vectorized.ptx"),
)
.refuses(vectors_only);

/// Scans blocks, then the aggregates of the blocks, until one block is left. Then adds the offsets of blocks.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let first = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let again = module.load_function(&p.entry(Kind::Exclusive))?;
    let module = p.device.context.load_module(Ptx::from_src(ADD_BLOCK_OFFSETS))?;
    let add_block_offsets = module.load_function(&p.operator())?; // such as sum_f32
    let threads = 256;
    let tile = 16_384 / size_of::<T>() as u64; // elements per block
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // Level l scans n[l] values in n[l + 1] blocks: first the elements, then the aggregates of the blocks.
    let n = p.levels(tile);
    let levels = n.len() - 1;
    // On every level: a tile, the addition of the block's offset included.
    let depth = levels as u64 * tile_depth::<T>(4);
    let (mut aggregates, mut offsets) = (p.per_block(&n)?, p.per_block(&n)?);
    let (kernel, first_config) = (first.clone(), config(n[1]));

    Ok(Launch::new(kernel, first_config, depth, move |p: &mut PrefixScan<T>| {
        let mut out = vec![p.out.view_mut()];
        out.extend(offsets.iter_mut().map(|offsets| offsets.as_view_mut()));
        for l in 0..levels {
            let (before, after) = aggregates.split_at_mut(l);
            let mut launch = p.device.stream.launch_builder(if l == 0 { &first } else { &again });
            launch
                .arg(before.last().unwrap_or(&p.input))
                .arg(&mut out[l])
                .arg(&n[l])
                .arg(&mut after[0]);
            // SAFETY: vectorized.cu is `(const T* in, T* out, size_t n, T* sums)`. It reads in[0 .. n], and
            // writes out[0 .. n] and one aggregate per block.
            unsafe { launch.launch(config(n[l + 1]))? };
        }
        for l in (0..levels - 1).rev() {
            let (out, offsets) = out.split_at_mut(l + 1);
            let offsets = offsets[0].as_view();
            let mut launch = p.device.stream.launch_builder(&add_block_offsets);
            launch.arg(&mut out[l]).arg(&n[l]).arg(&offsets).arg(&tile);
            // SAFETY: add_block_offsets.cu is `(T* out, size_t n, const T* before, size_t items_per_block)`. It updates
            // out[0 .. n] and reads before[i / items_per_block] for each i. One thread per element.
            unsafe { launch.launch(one_thread_per_element(n[l]))? };
        }
        Ok(())
    }))
}
