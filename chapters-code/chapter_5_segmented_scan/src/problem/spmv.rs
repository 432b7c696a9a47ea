//! The product of a sparse matrix and a vector.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, DriverError};
use harness::{
    Case, ChapterParameters, Device, Error, Output, Problem, Refusal, Rung, Traffic,
    baselines::{Baselines, Way},
    buffer::{self, Fingerprint},
    verify::Verdict,
};

use super::{refuses, same_count, too_many};
use crate::{
    Matrix, SegmentParameters, baseline, reference,
    sparse::{self, Csr},
    task::{Task, entry_name},
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
    pub values: CudaSlice<f32>,
    /// The column of each entry.
    pub columns: CudaSlice<u32>,
    /// Where the entries of each row begin, and the number of entries.
    pub offsets: CudaSlice<u32>,
    /// The vector, with one element per column.
    pub x: CudaSlice<f32>,
    /// The product, with one element per row.
    pub y: Output<f32>,
    pub(crate) matrix: Arc<Csr>,
    pub(crate) vector: Vec<f32>,
}

impl Product {
    /// Copies a matrix to the device, and the vector that the case multiplies it by.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case, matrix: Arc<Csr>) -> Result<Self, Error> {
        let vector = sparse::vector(&matrix, case);
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: matrix.values.len() as u64,
            rows: matrix.rows.count() as u32,
            values: buffer::to_device(device, &matrix.values)?,
            columns: buffer::to_device(device, &matrix.columns)?,
            offsets: buffer::to_device(device, matrix.rows.as_slice())?,
            x: buffer::to_device(device, &vector)?,
            y: Output::new(device, matrix.rows.count())?,
            matrix,
            vector,
        })
    }

    /// The name of the kernel, such as `multiply_f32`.
    pub fn entry(&self) -> String {
        entry_name(&self.case)
    }
}

impl Problem for Product {
    /// The largest number of rounded operations that a product of two elements passes through, its own
    /// rounding included.
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.y.poison()
    }

    fn judge(&mut self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        let (device, matrix) = (&self.device, &self.matrix);
        let mut verdict = match self.y.download()? {
            Ok(y) => {
                reference::judge_product(matrix, &self.vector, *depth, bytemuck::cast_slice(&y))
            }
            Err(failure) => Verdict::of(failure),
        };
        verdict.failures.extend(
            [
                buffer::check_input(device, &mut self.values, &matrix.values)?,
                buffer::check_input(device, &mut self.columns, &matrix.columns)?,
                buffer::check_input(device, &mut self.offsets, matrix.rows.as_slice())?,
                buffer::check_input(device, &mut self.x, &self.vector)?,
            ]
            .into_iter()
            .flatten(),
        );
        Ok(verdict)
    }

    fn judged(&self, depth: &u64) -> (u64, Vec<&dyn Fingerprint>) {
        (*depth, vec![&self.y, &self.values, &self.columns, &self.offsets, &self.x])
    }

    fn traffic(&self, _depth: &u64) -> Traffic {
        let rows = u64::from(self.rows);
        // Values and columns; offsets; the vector.
        let read = 2 * self.n + (rows + 1) + self.vector.len() as u64;
        Traffic { read: 4 * read, written: 4 * rows }
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        // A matrix from a file is the same with every seed.
        if let Some(kind) = SegmentParameters::of(case).matrix.filter(|&kind| kind != Matrix::File)
        {
            let matrix = sparse::made(kind, case).map_err(too_many)?;
            same_count(&self.matrix.rows, &matrix.rows)?;
            self.matrix = Arc::new(matrix);
        }
        self.vector = sparse::vector(&self.matrix, case);
        self.case = *case;
        buffer::overwrite(&self.device, &mut self.values, &self.matrix.values)?;
        buffer::overwrite(&self.device, &mut self.columns, &self.matrix.columns)?;
        buffer::overwrite(&self.device, &mut self.offsets, self.matrix.rows.as_slice())?;
        buffer::overwrite(&self.device, &mut self.x, &self.vector)
    }

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Result<Vec<Way<Self>>, Error> {
        baseline::multiply(self, library)
    }
}

/// Refuses all but products for which the rung has a kernel.
pub fn products_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    refuses(rung, case, |task| matches!(task, Task::Multiply(_)))
}
