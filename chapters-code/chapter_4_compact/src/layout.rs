//! How data and mask lie in one input, and results in one output.
//!
//! An input is the elements, then the mask, each at its own multiple of 256 bytes. An output begins with
//! the number kept, as 64 bits in a header of 256 bytes, so that the elements after it have the alignment
//! that memory likes best.

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaStream, CudaView, CudaViewMut, DriverError, LaunchArgs, PushKernelArg,
};
use harness::{By, Case, Density, Pattern, Shape};

use crate::inputs;

/// Bytes of an output before its first element.
pub const HEADER: usize = 256;

/// What says which elements a case keeps: the mask, where it does not say.
pub fn by(case: &Case) -> By {
    case.parameters.by.unwrap_or(By::Mask)
}

/// The part of a case's elements that is kept: half, where it does not say.
pub fn density(case: &Case) -> Density {
    case.parameters.density.unwrap_or(Density::HALF)
}

/// Where the elements lie that a case keeps: anywhere, where it does not say.
pub fn pattern(case: &Case) -> Pattern {
    case.parameters.mask.unwrap_or(Pattern::Random)
}

/// Where everything of a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What is kept or not: elements, or rows of a matrix.
    pub n: u64,
    /// Elements of each: 1, or the columns of a matrix.
    pub width: u64,
    /// Bytes of an element.
    pub size: u64,
    /// What says which are kept.
    pub by: By,
    /// The bits of what elements are compared with.
    pub pivot: u64,
}

impl Layout {
    /// A case's.
    pub fn of(case: &Case) -> Self {
        let (n, width) = match case.shape {
            Shape::Vector { n } => (n, 1),
            Shape::Matrix { rows, cols } => (rows, cols),
        };
        Self {
            n,
            width,
            size: case.dtype.size() as u64,
            by: by(case),
            pivot: inputs::pivot(case),
        }
    }

    /// Bytes of all elements.
    pub fn data_bytes(&self) -> usize {
        (self.n * self.width * self.size) as usize
    }

    /// Where the mask begins.
    pub fn mask_at(&self) -> usize {
        self.data_bytes().next_multiple_of(256)
    }

    /// Bytes of the mask.
    pub fn mask_bytes(&self) -> usize {
        match self.by {
            By::Mask => self.n as usize,
            By::Bits => 4 * self.n.div_ceil(32) as usize,
            By::Predicate => 0,
        }
    }

    /// Bytes of an input.
    pub fn input_bytes(&self) -> usize {
        match self.mask_bytes() {
            0 => self.data_bytes(),
            bytes => self.mask_at() + bytes,
        }
    }

    /// Bytes of an output that has room for so many elements, or rows.
    pub fn output_bytes(&self, capacity: u64) -> usize {
        HEADER + (capacity * self.width * self.size) as usize
    }

    /// Bytes that must be moved where so many elements, or rows, are written: data and mask are read,
    /// those are written, and their number.
    pub fn moved(&self, written: u64) -> u64 {
        let (data, mask) = (self.data_bytes() as u64, self.mask_bytes() as u64);
        data + mask + written * self.width * self.size + 8
    }

    /// An input and an output in their parts.
    pub fn split<'a>(
        &self,
        input: &'a CudaView<'_, u8>,
        out: &'a mut CudaViewMut<'_, u8>,
    ) -> Memory<'a> {
        let data = input.slice(..self.data_bytes());
        let mask = match self.mask_bytes() {
            0 => input.slice(..),
            bytes => input.slice(self.mask_at()..self.mask_at() + bytes),
        };
        let (header, elements) = out.split_at_mut(HEADER);
        Memory {
            capacity: elements.len() as u64 / (self.width * self.size).max(1),
            layout: *self,
            data,
            mask,
            header,
            elements,
        }
    }
}

/// An input and an output in their parts.
pub struct Memory<'a> {
    layout: Layout,
    /// The elements.
    pub data: CudaView<'a, u8>,
    /// The mask; of no meaning where there is none.
    pub mask: CudaView<'a, u8>,
    /// Begins with the number kept.
    pub header: CudaViewMut<'a, u8>,
    /// The results.
    pub elements: CudaViewMut<'a, u8>,
    /// Elements, or rows, that the output has room for.
    pub capacity: u64,
}

impl Memory<'_> {
    /// A launch with the arguments that every kernel which writes results begins with:
    /// `(in, out, n, capacity, kept, mask, pivot)`.
    pub fn launch<'b>(
        &'b mut self,
        stream: &'b CudaStream,
        function: &'b CudaFunction,
    ) -> LaunchArgs<'b> {
        let mut launch = stream.launch_builder(function);
        launch.arg(&self.data).arg(&mut self.elements);
        launch.arg(&self.layout.n).arg(&self.capacity);
        launch.arg(&mut self.header);
        launch.arg(&self.mask).arg(&self.layout.pivot);
        launch
    }

    /// Writes that nothing is kept, in the stream's order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn keep_none(&mut self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        stream.memset_zeros(&mut self.header.slice_mut(..8))
    }
}
