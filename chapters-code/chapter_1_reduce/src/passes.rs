//! Launches in passes: the kernel runs on the input, then again on the results of its blocks, until one result is left.

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use harness::{Element, Error, Launch, Prepared, buffer};

use crate::problem::{Depth, Reduction};

impl<T: Element> Reduction<T> {
    /// The number of blocks of every pass: `blocks(n, size)` is the number for `n` elements of
    /// `size` bytes. A block leaves one result, so the passes end at one block.
    pub fn passes(&self, blocks: impl Fn(u64, u64) -> u64) -> Vec<u64> {
        let mut passes = vec![blocks(self.n, size_of::<T>() as u64).max(1)];
        while passes[passes.len() - 1] > 1 {
            let n = passes[passes.len() - 1];
            passes.push(blocks(n, size_of::<T::Acc>() as u64).max(1));
        }
        passes
    }

    /// The sum over all passes of `depth(n, size, blocks)`: the additions that a value passes through in
    /// one pass over `n` values of `size` bytes.
    pub fn depth(&self, passes: &[u64], depth: impl Fn(u64, u64, u64) -> u64) -> u64 {
        let (mut n, mut size, mut sum) = (self.n, size_of::<T>() as u64, 0);
        for &blocks in passes {
            sum += depth(n, size, blocks);
            (n, size) = (blocks, size_of::<T::Acc>() as u64);
        }
        sum
    }

    /// Buffers for the results of all passes but the last, which writes to the output.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn partials(&self, passes: &[u64]) -> Result<Vec<CudaSlice<T::Acc>>, Error> {
        let before_last = &passes[..passes.len() - 1];
        let buffers = before_last.iter();
        buffers.map(|&n| buffer::scratch(&self.device, n)).collect()
    }

    /// A launch of the first kernel on the input, and of the second on the results of the blocks, again and again.
    /// `blocks` has the number of blocks of each pass, `depth` the additions that a value passes through in all of them.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room for the results of the blocks.
    ///
    /// # Safety
    /// The kernels are `(const T* in, Acc* out, size_t n)`; the second one has `Acc` in place of `T`. They read
    /// `in[0 .. n]`, write one result per block, and may be launched with `config(blocks)`.
    pub unsafe fn in_passes(
        &self,
        [first, again]: [CudaFunction; 2],
        blocks: Vec<u64>,
        config: impl Fn(u64) -> LaunchConfig + 'static,
        depth: u64,
    ) -> Prepared<Self> {
        let mut partials = self.partials(&blocks)?;
        let (kernel, first_config) = (first.clone(), config(blocks[0]));
        Ok(Launch::new(kernel, first_config, Depth::of(depth), move |p: &mut Self| {
            // One output per pass. The last is that of the problem.
            let mut out: Vec<_> = partials.iter_mut().map(|buffer| buffer.as_view_mut()).collect();
            out.push(p.out.view_mut());

            let mut launch = p.device.stream.launch_builder(&first);
            launch.arg(&p.input).arg(&mut out[0]).arg(&p.n);
            // SAFETY: as the caller promises; the buffer has room for one result per block.
            unsafe { launch.launch(config(blocks[0]))? };
            for pass in 1..blocks.len() {
                let (before, after) = out.split_at_mut(pass);
                let mut launch = p.device.stream.launch_builder(&again);
                let input = before[pass - 1].as_view();
                launch.arg(&input).arg(&mut after[0]).arg(&blocks[pass - 1]);
                // SAFETY: as above; the pass before has written as many results as it had blocks.
                unsafe { launch.launch(config(blocks[pass]))? };
            }
            Ok(())
        }))
    }
}
