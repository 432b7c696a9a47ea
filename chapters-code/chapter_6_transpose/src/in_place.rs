//! Square matrices turned onto themselves.
//!
//! There is one array instead of two, so it starts as a copy of the input, and a second launch turns it
//! back: what should be there depends on how often it was turned.

use cudarc::driver::{DriverError, LaunchConfig, PushKernelArg};
use harness::{
    Element, Error, Operation,
    buffer::Guarded,
    kernel::{self, Usage},
    rung,
    uploaded::Uploaded,
    verify::{Failure, Verdict},
};

use crate::{Blocks, FOUR_EACH, Ready, Rung, Setup, chapter::judge, launches, layout::Layout};

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

/// A rung that turns matrices onto themselves.
pub(crate) struct InPlace<'p, T> {
    uploaded: &'p mut Uploaded<T>,
    /// What the matrices should be when they are turned.
    turned: &'p [T],
    moved: u64,
    ready: Ready,
    matrices: Guarded,
    is_turned: bool,
}

impl<'p, T: Element> InPlace<'p, T> {
    /// Allocates the matrices; `moved` bytes must be moved.
    pub(crate) fn new(
        uploaded: &'p mut Uploaded<T>,
        turned: &'p [T],
        moved: u64,
        ready: Ready,
    ) -> Result<Self, Error> {
        Ok(Self {
            matrices: Guarded::new(&uploaded.device, size_of_val(turned))?,
            uploaded,
            turned,
            moved,
            ready,
            is_turned: false,
        })
    }
}

impl<T: Element> Operation for InPlace<'_, T> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.is_turned = false;
        self.matrices.poison()?;
        if self.turned.is_empty() {
            return Ok(());
        }
        let stream = &self.uploaded.device.stream;
        stream.memcpy_dtod(&self.uploaded.input, &mut self.matrices.view_mut())
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        self.is_turned = !self.is_turned;
        let input = self.uploaded.input.as_view();
        (self.ready.launch)(&input, &mut self.matrices.view_mut())
    }

    fn verify(&mut self) -> Result<Verdict, Error> {
        let expected = match self.is_turned {
            true => self.turned,
            false => &self.uploaded.host,
        };
        let mut verdict = match self.matrices.download()? {
            Ok(computed) => judge(expected, &computed),
            Err(at) => Verdict::of(Failure::beside_output(at)),
        };
        verdict.failures.extend(self.uploaded.check_input()?);
        Ok(verdict)
    }

    fn bytes(&self) -> u64 {
        self.moved
    }

    fn usage(&self) -> Result<Usage, Error> {
        let Ready { kernel, config, .. } = &self.ready;
        kernel::usage(&self.uploaded.device, kernel, config)
    }
}
