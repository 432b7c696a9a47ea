//! Launches on a matrix: the kernel runs on the matrix, and, where several blocks share a row or a column, again on their
//! partial results.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, buffer};

use crate::problem::{Axis, MatrixReduction};

impl MatrixReduction {
    /// One launch of the rung's kernel, with as many blocks as reduce all rows or columns.
    ///
    /// # Errors
    /// [`harness::Error::Driver`] if the kernel cannot be loaded.
    ///
    /// # Safety
    /// As for [`MatrixReduction::in_parts`].
    pub unsafe fn in_one_launch(
        &self,
        rung: &Rung,
        config: LaunchConfig,
        promise: Axis,
    ) -> Prepared<Self> {
        // SAFETY: as the caller promises.
        unsafe { self.in_parts(rung, 1, [config, config], promise) }
    }

    /// A launch of the rung's kernel, where `parts` blocks share a row or a column. If these are several, a second launch
    /// reduces their results.
    ///
    /// # Errors
    /// [`harness::Error::Driver`] if the kernel cannot be loaded or the device has no room.
    ///
    /// # Safety
    /// The kernel is `(const f32* in, f32* out, size_t rows, size_t cols)`. With the first configuration it reads
    /// in[0 .. rows * cols], and writes `parts` results per row or column, as `promise` says: side by side for a row, as
    /// `parts` rows of results for the columns. With the second it reads the matrix of these results, and writes one per
    /// row or column.
    pub unsafe fn in_parts(
        &self,
        rung: &Rung,
        parts: u64,
        [first, second]: [LaunchConfig; 2],
        promise: Axis,
    ) -> Prepared<Self> {
        let module = self.device.context.load_module(Ptx::from_src(rung.ptx))?;
        let kernel = module.load_function(&self.entry())?; // such as sum_f32
        let is_rows = matches!(promise, Axis::Rows { .. });
        let results = if is_rows { self.rows } else { self.cols };
        let mut partials = buffer::scratch::<f32>(&self.device, parts * results)?;
        Ok(Launch::new(kernel.clone(), first, promise, move |p: &mut Self| {
            if first.grid_dim.0 == 0 {
                return Ok(()); // A matrix without rows has no results, and a grid without blocks is an error.
            }
            let (mut out, rows, cols) = match is_rows {
                true => (p.row_results.view_mut(), p.rows, parts),
                false => (p.column_results.view_mut(), parts, p.cols),
            };
            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&p.input);
            if parts == 1 {
                launch.arg(&mut out).arg(&p.rows).arg(&p.cols);
                // SAFETY: as the caller promises; there is one result per row or column.
                return unsafe { launch.launch(first) }.map(drop);
            }
            launch.arg(&mut partials).arg(&p.rows).arg(&p.cols);
            // SAFETY: as the caller promises; there is room for `parts` results per row or column.
            unsafe { launch.launch(first)? };

            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&partials).arg(&mut out).arg(&rows).arg(&cols);
            // SAFETY: as the caller promises; the first launch has written the partial results.
            unsafe { launch.launch(second) }.map(drop)
        }))
    }
}
