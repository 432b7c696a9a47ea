//! A case's input as one stretch of device memory: the elements, and behind them where segments begin,
//! in each of the forms that kernels want. Whoever has the memory knows all from its length.

use bytemuck::cast_slice;
use cudarc::driver::CudaView;
use harness::{Dtype, Element};

use crate::{segments::Offsets, sparse::Csr};

/// Where each array begins, in bytes: at a multiple of this.
const ALIGNMENT: u64 = 256;

fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Where the arrays of an input of `n` elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where flags begin, a byte an element.
    flags: u64,
    /// Where flags begin, a bit an element, in words of 32; behind the last element's they are 0 up to
    /// the next array.
    bits: u64,
    /// Where offsets begin, which go on to the end.
    offsets: u64,
}

impl Layout {
    /// Of so many elements of a type.
    pub fn new(n: u64, dtype: Dtype) -> Self {
        Self::behind(aligned(n * dtype.size() as u64), n)
    }

    /// Of the segments alone, of so many elements.
    pub fn of_segments(n: u64) -> Self {
        Self::behind(0, n)
    }

    fn behind(flags: u64, n: u64) -> Self {
        let bits = aligned(flags + n);
        Self {
            flags,
            bits,
            offsets: aligned(bits + n.div_ceil(32) * 4),
        }
    }

    /// The elements.
    pub fn elements<'a>(&self, input: &CudaView<'a, u8>) -> CudaView<'a, u8> {
        input.slice(..self.flags as usize)
    }

    /// The flags, a byte an element.
    pub fn flags<'a>(&self, input: &CudaView<'a, u8>) -> CudaView<'a, u8> {
        input.slice(self.flags as usize..self.bits as usize)
    }

    /// The flags, a bit an element.
    pub fn bits<'a>(&self, input: &CudaView<'a, u8>) -> CudaView<'a, u8> {
        input.slice(self.bits as usize..self.offsets as usize)
    }

    /// The offsets, and how many segments they tell of.
    pub fn offsets<'a>(&self, input: &CudaView<'a, u8>) -> (CudaView<'a, u8>, u32) {
        let offsets = input.slice(self.offsets as usize..);
        let segments = (offsets.len() / 4 - 1) as u32;
        (offsets, segments)
    }
}

/// Elements with their segments, as bytes.
pub fn pack<T: Element>(elements: &[T], offsets: &Offsets) -> Vec<u8> {
    let layout = Layout::new(elements.len() as u64, T::DTYPE);
    pack_behind(layout, cast_slice(elements), offsets)
}

/// Segments without elements, as bytes.
pub fn pack_segments(offsets: &Offsets) -> Vec<u8> {
    let layout = Layout::of_segments(offsets.elements() as u64);
    pack_behind(layout, &[], offsets)
}

fn pack_behind(layout: Layout, elements: &[u8], offsets: &Offsets) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(layout.offsets as usize + 4 * (offsets.count() + 1));
    append(&mut bytes, elements, layout.flags);
    append(&mut bytes, &offsets.flags(), layout.bits);
    append(&mut bytes, cast_slice(&offsets.bits()), layout.offsets);
    bytes.extend_from_slice(cast_slice(offsets.as_slice()));
    bytes
}

/// Appends an array, and zeros up to where the next one begins.
fn append(bytes: &mut Vec<u8>, array: &[u8], next: u64) {
    bytes.extend_from_slice(array);
    bytes.resize(next as usize, 0);
}

/// Where the arrays of a sparse matrix and a vector lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseLayout {
    columns: u64,
    offsets: u64,
    x: u64,
}

impl SparseLayout {
    /// Of so many entries in so many rows.
    pub fn new(entries: u64, rows: u64) -> Self {
        let columns = aligned(4 * entries);
        let offsets = columns + columns;
        Self {
            columns,
            offsets,
            x: aligned(offsets + 4 * (rows + 1)),
        }
    }

    /// The entries' values, their columns, the rows' offsets and the vector.
    pub fn arrays<'a>(&self, input: &CudaView<'a, u8>) -> [CudaView<'a, u8>; 4] {
        let [columns, offsets, x] = [self.columns, self.offsets, self.x].map(|at| at as usize);
        [
            input.slice(..columns),
            input.slice(columns..offsets),
            input.slice(offsets..x),
            input.slice(x..),
        ]
    }
}

/// A matrix and a vector, as bytes.
pub fn pack_sparse(matrix: &Csr, x: &[f32]) -> Vec<u8> {
    let rows = matrix.rows.count() as u64;
    let layout = SparseLayout::new(matrix.values.len() as u64, rows);
    let mut bytes = Vec::with_capacity(layout.x as usize + 4 * x.len());
    append(&mut bytes, cast_slice(&matrix.values), layout.columns);
    append(&mut bytes, cast_slice(&matrix.columns), layout.offsets);
    append(&mut bytes, cast_slice(matrix.rows.as_slice()), layout.x);
    bytes.extend_from_slice(cast_slice(x));
    bytes
}
