//! Square matrices turned onto themselves.
//!
//! There is one array instead of two, which starts as a copy of the input.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Error, rung};

use crate::{Blocks, FOUR_EACH, Ready, Rung, Setup, launches, layout::Layout};

/// Rungs that turn a square matrix onto itself.
pub const IN_PLACE: &[Rung] = &[rung!(
    "in_place",
    |s| swapped(s, &FOUR_EACH),
    "a square onto itself: a block takes a tile and its mirror image"
)];

/// Whether a rung is one of those.
pub fn is_in_place(rung: &str) -> bool {
    rung.starts_with("in_place")
}

/// A block for each tile of each matrix, or for nothing where that is below the diagonal.
pub(crate) fn swapped(s: &Setup<'_>, blocks: &Blocks) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let bytes = s.case.dtype.size() as u64;
    let blocks = *blocks;
    let kernel = s.entry(&format!("in_place_{bytes}"))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config: LaunchConfig = blocks.config(&layout, bytes, 1);
    Ok(Ready::new(kernel, config, 0, move |_, matrix| {
        let Layout {
            rows: n,
            ld_in: ld,
            batch,
            ..
        } = layout;
        if layout.elements() == 0 {
            return Ok(()); // nothing to move, and a grid of no blocks is an error
        }
        for (first, count) in launches(batch) {
            let mut matrix = matrix.slice_mut((first * n * ld * bytes) as usize..);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&mut matrix).arg(&n).arg(&ld);
            // SAFETY: the kernels read and write `count` matrices of n rows, ld elements apart, which
            // the slice holds; grid and block are those of the kernel's header.
            unsafe { launch.launch(blocks.config(&layout, bytes, count))? };
        }
        Ok(())
    }))
}
