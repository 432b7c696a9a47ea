//! The product of a sparse matrix and a vector.

use std::sync::Arc;

use harness::{Device, Error, InputArray, Memory, Output, Problem, Traffic, verify::Verdict};

use crate::{
    Case, reference,
    sparse::{self, Csr},
    task::entry_name,
};

/// A sparse matrix of `f32` in compressed rows (CSR), and a vector, on the device.
pub struct Product {
    /// The device and its stream.
    pub device: Device,
    /// The number of entries, the type, and which matrix.
    pub case: Case,
    /// The number of entries.
    pub n: u64,
    /// The number of rows.
    pub rows: u32,
    /// The value of each entry, row by row.
    pub values: InputArray<f32>,
    /// The column of each entry.
    pub columns: InputArray<u32>,
    /// Where the entries of each row begin, and the number of entries.
    pub offsets: InputArray<u32>,
    /// The vector, with one element per column.
    pub x: InputArray<f32>,
    /// The product, with one element per row.
    pub y: Output<f32>,
    pub(crate) matrix: Arc<Csr>,
}

impl Product {
    /// Copies a matrix to the device, and the vector that the case multiplies it by.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case, matrix: Arc<Csr>) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: matrix.values.len() as u64,
            rows: matrix.rows.count() as u32,
            values: InputArray::new(device, matrix.values.clone())?,
            columns: InputArray::new(device, matrix.columns.clone())?,
            offsets: InputArray::new(device, matrix.rows.as_slice().to_vec())?,
            x: InputArray::new(device, sparse::vector(&matrix, case))?,
            y: Output::new(device, matrix.rows.count())?,
            matrix,
        })
    }

    /// The name of the kernel, such as `multiply_f32`.
    pub fn entry(&self) -> String {
        entry_name(&self.case)
    }
}

impl Problem for Product {
    type Task = crate::Task;
    /// The largest number of rounded operations that a product of two elements passes through, its own
    /// rounding included.
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        let Self { y, values, columns, offsets, x, .. } = self;
        vec![y, values, columns, offsets, x]
    }

    fn compare(&self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        let (matrix, x) = (&self.matrix, self.x.host());
        self.y.judge(|y| reference::judge_product(matrix, x, *depth, bytemuck::cast_slice(y)))
    }

    fn traffic(&self, _depth: &u64) -> Traffic {
        let rows = u64::from(self.rows);
        // Values and columns; offsets; the vector.
        let read = 2 * self.n + (rows + 1) + self.x.host().len() as u64;
        Traffic { read: 4 * read, written: 4 * rows }
    }
}
