//! What the rungs solve: buffers on the device, inputs, expected results, and the judge.

use std::cell::OnceCell;

use harness::{
    Case, Device, Dtype, Element, Error, InputArray, Memory, Output, Problem, Refusal, Rung, Shape,
    Traffic, inputs,
    verify::{Accepted, Verdict},
};

use crate::reference::{Aggregate, reduce_columns, reduce_rows};

/// The reduction of a vector on the device.
///
/// The rungs are generic in the type `T` of the elements. Halves accumulate in `f32`, so partial
/// results and the result have the accumulator's type `T::Acc`.
pub struct Reduction<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, types, operator and input.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The elements, at least one, for drivers that allocate no empty buffer.
    pub input: InputArray<T>,
    /// The one result.
    pub out: Output<T::Acc>,
    pub(crate) reference: Aggregate<T>,
}

impl<T: Element> Reduction<T> {
    /// Makes the input of a case, copies it to the device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let host = inputs::generate::<T>(case);
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            out: Output::new(device, 1)?,
            reference: Aggregate::on_all_cores(case.op, &host),
            input: InputArray::new(device, host)?,
        })
    }

    /// The name of the kernel for elements of `dtype`, such as `sum_f32`.
    pub fn entry(&self, dtype: Dtype) -> String {
        format!("{}_{dtype}", self.case.op)
    }

    /// The threads per block: the rung's own number, unless the case asks for another.
    /// A block of one thread would combine nothing, so two is the least.
    pub fn threads(&self, default: u32) -> u32 {
        self.case.block.unwrap_or(default).clamp(2, 1024)
    }

    /// The results that are accepted of a launch that keeps its promise.
    pub(crate) fn expect(&self, promise: &Depth) -> Accepted<T::Acc> {
        let flushed = promise.flushed as f64 * f64::from(f32::MIN_POSITIVE);
        self.reference.expect(promise.additions, flushed)
    }
}

/// What a launch promises: how many rounded additions lie between an element and the result. The error
/// bound grows with the number ([`harness::bound`]).
#[derive(Clone, Copy, Debug, Hash)]
pub struct Depth {
    /// The largest number of rounded additions that an element passes through.
    pub additions: u64,
    /// The number of subnormal `f32` values that the launch may replace by zero.
    pub flushed: u64,
}

impl Depth {
    /// A depth of `additions`, where no subnormal number is lost.
    pub fn of(additions: u64) -> Self {
        Self { additions, flushed: 0 }
    }
}

impl<T: Element> Problem for Reduction<T> {
    type Task = ();
    type Promise = Depth;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.input]
    }

    fn compare(&self, promise: &Depth, _launches: u64) -> Result<Verdict, Error> {
        self.out.compare([self.expect(promise)])
    }

    fn traffic(&self, _promise: &Depth) -> Traffic {
        Traffic { read: self.case.input_bytes(), written: size_of::<T::Acc>() as u64 }
    }
}

/// The reduction of every row, or of every column, of a matrix of `f32`, stored row by row.
pub struct MatrixReduction {
    /// The device and its stream.
    pub device: Device,
    /// Size, operator and input.
    pub case: Case,
    /// The number of rows.
    pub rows: u64,
    /// The number of columns.
    pub cols: u64,
    /// The elements.
    pub input: InputArray<f32>,
    /// One result per row.
    pub row_results: Output<f32>,
    /// One result per column.
    pub column_results: Output<f32>,
    /// Computed when a rung first needs it.
    pub(crate) row_reference: OnceCell<Vec<Aggregate<f32>>>,
    pub(crate) column_reference: OnceCell<Vec<Aggregate<f32>>>,
}

/// What a launch on a matrix promises: which way it reduces, and the additions that an element passes
/// through.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Axis {
    /// Every row is reduced to one result.
    Rows {
        /// The largest number of rounded additions.
        depth: u64,
    },
    /// Every column is reduced to one result.
    Columns {
        /// The largest number of rounded additions.
        depth: u64,
    },
}

impl MatrixReduction {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let (rows, cols) = case.shape.sides().unwrap_or((1, case.elements()));
        Ok(Self {
            device: device.clone(),
            case: *case,
            rows,
            cols,
            input: InputArray::new(device, inputs::generate(case))?,
            row_results: Output::new(device, rows as usize)?,
            column_results: Output::new(device, cols as usize)?,
            row_reference: OnceCell::new(),
            column_reference: OnceCell::new(),
        })
    }

    /// The name of the kernel, such as `sum_f32`.
    pub fn entry(&self) -> String {
        format!("{}_f32", self.case.op)
    }

    pub(crate) fn row_reference(&self) -> &[Aggregate<f32>] {
        let (rows, cols) = (self.rows as usize, self.cols as usize);
        self.row_reference.get_or_init(|| reduce_rows(self.case.op, self.input.host(), rows, cols))
    }

    fn column_reference(&self) -> &[Aggregate<f32>] {
        let (rows, cols) = (self.rows as usize, self.cols as usize);
        self.column_reference
            .get_or_init(|| reduce_columns(self.case.op, self.input.host(), rows, cols))
    }
}

impl Problem for MatrixReduction {
    type Task = ();
    type Promise = Axis;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.row_results, &mut self.column_results, &mut self.input]
    }

    fn compare(&self, promise: &Axis, _launches: u64) -> Result<Verdict, Error> {
        let (aggregates, depth, out) = match *promise {
            Axis::Rows { depth } => (self.row_reference(), depth, &self.row_results),
            Axis::Columns { depth } => (self.column_reference(), depth, &self.column_results),
        };
        let expected = aggregates.iter().map(|aggregate| aggregate.expect(depth, 0.0));
        out.compare(expected)
    }

    fn traffic(&self, promise: &Axis) -> Traffic {
        let results = match promise {
            Axis::Rows { .. } => self.rows,
            Axis::Columns { .. } => self.cols,
        };
        Traffic { read: self.case.input_bytes(), written: 4 * results }
    }
}

/// Refuses matrices, and types and operators for which the rung has no kernel.
pub fn vectors_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } => no_kernel(rung, case),
    }
}

/// Refuses vectors, and types and operators for which the rung has no kernel.
pub fn matrices_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        Shape::Vector { .. } => Some(Refusal::wants_matrix()),
        Shape::Matrix { .. } => no_kernel(rung, case),
    }
}

fn no_kernel(rung: &Rung, case: &Case) -> Option<Refusal> {
    let entry = format!("{}_{}", case.op, case.dtype);
    (!rung.has_entry(&entry)).then_some(Refusal::NoKernel)
}
