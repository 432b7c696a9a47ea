//! Scans in levels: blocks are scanned, then the aggregates of the blocks, until one block is left. Then the offsets of the
//! blocks are added, from the last level to the first.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Kind, Launch, Prepared};

use crate::{
    Rung,
    problem::{ADD_BLOCK_OFFSETS, PrefixScan, one_thread_per_element},
};

impl<T: Element> PrefixScan<T> {
    /// A launch of the rung's kernel on every level, and of `add_block_offsets.cu` on all but the last. A block scans `tile`
    /// values; `depth` gives the rounded additions that an element passes through on that number of levels.
    ///
    /// # Errors
    /// If the kernels cannot be loaded, or the device has no room for the aggregates.
    ///
    /// # Safety
    /// The kernels are `(const T* in, T* out, size_t n, T* sums)`. With `config(blocks)` they read `in[0 .. n]`, and write
    /// `out[0 .. n]` and one aggregate per block.
    pub unsafe fn in_levels(
        &self,
        rung: &Rung,
        tile: u64,
        config: impl Fn(u64) -> LaunchConfig + 'static,
        depth: impl Fn(u64) -> u64,
    ) -> Prepared<Self> {
        let module = self.device.context.load_module(Ptx::from_src(rung.ptx))?;
        let first = module.load_function(&self.entry(self.kind))?; // such as inclusive_sum_f32
        let again = module.load_function(&self.entry(Kind::Exclusive))?;
        let module = self.device.context.load_module(Ptx::from_src(ADD_BLOCK_OFFSETS))?;
        let add_block_offsets = module.load_function(&self.operator())?; // such as sum_f32
        // Level l scans n[l] values in n[l + 1] blocks: first the elements, then the aggregates of the blocks.
        let n = self.levels(tile);
        let levels = n.len() - 1;
        let (mut aggregates, mut offsets) = (self.per_block(&n)?, self.per_block(&n)?);
        let (kernel, first_config) = (first.clone(), config(n[1]));

        Ok(Launch::new(kernel, first_config, depth(levels as u64), move |p: &mut Self| {
            let mut out = vec![p.out.view_mut()];
            out.extend(offsets.iter_mut().map(|offsets| offsets.as_view_mut()));
            for l in 0..levels {
                let (before, after) = aggregates.split_at_mut(l);
                let kernel = if l == 0 { &first } else { &again };
                let mut launch = p.device.stream.launch_builder(kernel);
                launch.arg(before.last().unwrap_or(&p.input)).arg(&mut out[l]);
                launch.arg(&n[l]).arg(&mut after[0]);
                // SAFETY: as the caller promises.
                unsafe { launch.launch(config(n[l + 1]))? };
            }
            for l in (0..levels - 1).rev() {
                let (out, offsets) = out.split_at_mut(l + 1);
                let offsets = offsets[0].as_view();
                let mut launch = p.device.stream.launch_builder(&add_block_offsets);
                launch.arg(&mut out[l]).arg(&n[l]).arg(&offsets).arg(&tile);
                // SAFETY: add_block_offsets.cu is `(T* out, size_t n, const T* before, size_t items_per_block)`. It
                // updates out[0 .. n] and reads before[i / items_per_block] for each i. One thread per element.
                unsafe { launch.launch(one_thread_per_element(n[l]))? };
            }
            Ok(())
        }))
    }
}
