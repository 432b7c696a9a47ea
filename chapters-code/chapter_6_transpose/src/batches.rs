//! Launches of all matrices: a grid has a block in y for each matrix, up to a number of matrices.

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{Element, Launch, Prepared};

use crate::problem::{Batch, Destination, Layout, Matrices};

impl<T: Element> Matrices<T> {
    /// A launch of the kernel for as many matrices as a grid has blocks in y, and again for those that are left.
    ///
    /// # Errors
    /// None: what it does is done later.
    ///
    /// # Safety
    /// The kernel is `(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)`. With `config(count)` its
    /// blocks in y read `count` matrices of `rows` rows and write as many of `cols` rows.
    pub unsafe fn in_batches(
        &self,
        kernel: CudaFunction,
        config: impl Fn(u32) -> LaunchConfig + 'static,
    ) -> Prepared<Self> {
        let first = kernel.clone();
        Ok(Launch::new(first, config(1), Destination::Output, move |p: &mut Self| {
            let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
            for Batch { input, output, count } in p.layout.launches() {
                let input = p.input.slice(input..);
                let mut out = p.out.view_mut();
                let mut out = out.slice_mut(output..);
                let mut launch = p.device.stream.launch_builder(&kernel);
                launch.arg(&input).arg(&mut out);
                launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
                // SAFETY: as the caller promises; the slices hold these matrices.
                unsafe { launch.launch(config(count))? };
            }
            Ok(())
        }))
    }
}
