//! What the rungs solve: buffers on the device, expected results, and the judge.

use std::borrow::Cow;

use cudarc::driver::PinnedHostSlice;
use harness::{
    Device, Element, Error, InputArray, Memory, Op, Output, Problem, Refusal, Shape, Traffic,
    buffer::POISON,
    verify::{self, Accepted, Checker, Failure, Verdict},
};
use rayon::prelude::*;

use crate::{
    By, Case, Rung,
    inputs::{self, DTYPES},
    reference,
};

/// The compaction of a vector, or of the rows of a matrix, on the device.
pub struct Compaction<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type, input, and what selects elements.
    pub case: Case,
    /// The number of elements, or of rows.
    pub n: u64,
    /// The number of elements per row of a matrix; 1 for a vector.
    pub width: u64,
    /// The elements: at least one, for drivers that allocate no empty buffer.
    pub values: InputArray<T>,
    /// The mask: a byte per element, or bits in words of 32 bits. Unused where a predicate selects.
    pub mask: InputArray<u8>,
    /// The bits of the smallest value that the predicate selects.
    pub pivot: u64,
    /// The selected elements, or rows.
    pub out: Output<T>,
    /// The number of elements, or of rows, for which the output has room.
    pub capacity: u64,
    /// The number of selected elements, or rows.
    pub count: Output<u64>,
    /// A copy of that number, in page-locked memory.
    pub count_on_host: PinnedHostSlice<u64>,
    /// What must be selected: elements, or the elements of rows.
    pub selected: Vec<T>,
    pub(crate) flags: Vec<bool>,
}

/// What a launch promises: which elements it writes, in which order.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub enum Order {
    /// The selected elements, in order.
    Selected,
    /// The selected elements, in any order.
    Any,
    /// The selected elements, in order; then all others, the last first.
    Partition,
}

impl<T: Element> Compaction<T> {
    /// The compaction of these elements, as many as the case has, into an output with room for `capacity`
    /// elements, or rows.
    ///
    /// # Errors
    /// [`Error::Usage`] if the mask is not as long as the data, [`Error::Driver`] if the device has
    /// no room.
    pub fn new(
        device: &Device,
        case: &Case,
        elements: Vec<T>,
        mask: &[bool],
        capacity: u64,
    ) -> Result<Self, Error> {
        inputs::check_mask(case, mask)?;
        let (n, width) = inputs::sizes(case);
        let flags = reference::flags(case, &elements, mask);
        // SAFETY: every bit pattern is a number, and the number is written before it is read.
        let pinned = unsafe { device.context.alloc_pinned::<u64>(1) };
        Ok(Self {
            device: device.clone(),
            case: *case,
            n,
            width,
            mask: InputArray::new(device, inputs::mask_in_memory(case.task.by, mask))?,
            pivot: inputs::bits_of(inputs::pivot::<T>(case)),
            out: Output::new(device, (capacity * width) as usize)?,
            capacity,
            count: Output::new(device, 1)?,
            count_on_host: pinned
                .map_err(|error| Error::driver("allocating page-locked memory", error))?,
            selected: reference::select(&elements, width as usize, &flags, true),
            values: InputArray::new(device, elements)?,
            flags,
        })
    }

    /// The name of the kernel for what selects and for the type: `mask_b32`, `predicate_f32`.
    pub fn entry(&self) -> String {
        inputs::entry(&self.case)
    }

    /// The number that must be selected: of elements, or of rows.
    pub fn selected_count(&self) -> u64 {
        self.selected.len() as u64 / self.width
    }

    /// What a launch must write: for any order, the elements in the order of their bits.
    fn expected(&self, order: Order) -> Cow<'_, [T]> {
        match order {
            Order::Selected => Cow::from(&self.selected),
            Order::Any => sorted(&self.selected).into(),
            Order::Partition => {
                let (values, width) = (self.values.host(), self.width as usize);
                let others = reference::select(values, width, &self.flags, false);
                let selected = self.selected.par_iter().copied();
                selected.chain(others.into_par_iter().rev()).collect::<Vec<_>>().into()
            }
        }
    }

    /// Compares a count and an output with the reference. Behind the results, the output must be poison.
    pub(crate) fn compare_with(&self, order: Order, count: u64, out: &[T]) -> Verdict {
        let wanted = self.expected(order);
        let (results, behind) = out.split_at(wanted.len().min(out.len()));
        let mut verdict = match order {
            Order::Any => equal(&sorted(results), &wanted),
            Order::Selected | Order::Partition => equal(results, &wanted),
        };
        let results: &[u8] = bytemuck::cast_slice(results);
        if results.len() <= LARGEST_HASHED {
            verdict.checksum = verify::checksum(&[&count.to_le_bytes(), results].concat());
        }
        let mut wrong = |message| {
            let by = Checker::Result;
            verdict.failures.push(Failure { by, message });
        };
        let right = self.selected_count();
        if count != right {
            wrong(format!("the count is {count}, expected {right}"));
        }
        let behind: &[u8] = bytemuck::cast_slice(behind);
        if let Some(at) = behind.par_iter().position_first(|&byte| byte != POISON) {
            wrong(format!("the byte at {at} behind the last result was written"));
        }
        verdict
    }
}

/// The largest number of bytes of results that a verdict hashes: hashing a gigabyte takes longer than all
/// the rest.
const LARGEST_HASHED: usize = 1 << 24;

/// Compares results with the elements that they must equal. Equal bits are right, also those of a NaN.
fn equal<T: Element>(results: &[T], wanted: &[T]) -> Verdict {
    let (bytes, right): (&[u8], &[u8]) =
        (bytemuck::cast_slice(results), bytemuck::cast_slice(wanted));
    let parts = bytes.par_chunks(1 << 20).zip(right.par_chunks(1 << 20));
    let is_equal = bytes.len() == right.len() && parts.all(|(bytes, right)| bytes == right);
    match is_equal {
        true => Verdict::default(),
        false if results.len() == wanted.len() => verify::compare_equal(bytes, wanted),
        false => verify::compare(bytes, wanted.iter().copied().map(Accepted::Equal)),
    }
}

/// The elements in the order of their bits.
fn sorted<T: Element>(elements: &[T]) -> Vec<T> {
    let mut sorted = elements.to_vec();
    sorted.par_sort_unstable_by_key(|&x| inputs::bits_of(x));
    sorted
}

impl<T: Element> Problem for Compaction<T> {
    type Task = crate::SelectionParameters;
    type Promise = Order;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.count, &mut self.values, &mut self.mask]
    }

    fn compare(&self, order: &Order, _launches: u64) -> Result<Verdict, Error> {
        Ok(match (self.count.download()?, self.out.download()?) {
            (Ok(count), Ok(out)) => self.compare_with(*order, count[0], &out),
            (Err(failure), _) | (_, Err(failure)) => Verdict::of(failure),
        })
    }

    /// Where the mask says what is selected, only the sectors that hold something selected must be read.
    fn traffic(&self, order: &Order) -> Traffic {
        let all = size_of_val(self.values.host());
        let (read, written) = match order {
            Order::Partition => (all, all),
            Order::Selected | Order::Any => {
                let row_bytes = self.width as usize * size_of::<T>();
                let read = match self.case.task.by {
                    By::Predicate => all,
                    By::Mask | By::Bits => 32 * reference::sectors(&self.flags, row_bytes),
                };
                (read, size_of_val(&self.selected[..]))
            }
        };
        Traffic {
            read: (read.min(all) + self.mask.host().len()) as u64,
            written: (written + size_of::<u64>()) as u64,
        }
    }
}

/// Refuses matrices, and what the rung has no kernel for.
pub fn vectors_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        _ if !is_moved(case) => Some(Refusal::NoKernel),
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } => {
            (!rung.has_entry(&inputs::entry(case))).then_some(Refusal::NoKernel)
        }
    }
}

/// As [`vectors_only`], and refuses predicates with the remedy.
pub fn by_mask_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    match vectors_only(rung, case) {
        Some(Refusal::NoKernel) if is_moved(case) => Some(BY_MASK_ONLY),
        refusal => refusal,
    }
}

/// As [`vectors_only`], and refuses vectors whose indices do not fit 32 bits.
pub fn small_indices(rung: &Rung, case: &Case) -> Option<Refusal> {
    let refusal = Refusal::because("has indices of 32 bits: give -n, up to 4294967295");
    let is_large = case.elements() > u64::from(u32::MAX);
    vectors_only(rung, case).or(is_large.then_some(refusal))
}

/// Refuses vectors, and predicates.
pub fn rows_only(_: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        _ if !is_moved(case) => Some(Refusal::NoKernel),
        Shape::Vector { .. } => Some(Refusal::wants_matrix()),
        Shape::Matrix { .. } => (case.task.by == By::Predicate).then_some(BY_MASK_ONLY),
    }
}

const BY_MASK_ONLY: Refusal =
    Refusal::because("selects by a mask: give --select mask or --select bits");

/// Whether there are kernels for the type, and no operator is asked for.
fn is_moved(case: &Case) -> bool {
    case.op == Op::Sum && DTYPES.contains(&case.dtype)
}
