//! The scan of every segment.

use bytemuck::cast_slice;
use harness::{
    Device, Element, Error, InputArray, Memory, Output, Problem, Traffic, verify::Verdict,
};

use crate::{Case, reference::Expected, segments::Offsets, task::entry_name};

/// A segmented scan on the device: elements, and the segments in all three forms.
pub struct SegmentedScan<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type, operator, kind and segments.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The number of segments, empty ones included.
    pub segments: u32,
    /// The elements.
    pub values: InputArray<T>,
    /// One head flag per element: 1 where a segment begins, otherwise 0.
    pub flags: InputArray<u8>,
    /// The head flags as bits, in words of 32. Zeros follow up to a multiple of 256 bytes.
    pub bits: InputArray<u32>,
    /// Where each segment begins, and the number of elements.
    pub offsets: InputArray<u32>,
    /// One result per element.
    pub out: Output<T>,
    pub(crate) division: Offsets,
}

impl<T: Element> SegmentedScan<T> {
    /// The scan of these elements in these segments, as many as the case has.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(
        device: &Device,
        case: &Case,
        host: Vec<T>,
        division: Offsets,
    ) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            segments: division.count() as u32,
            out: Output::new(device, host.len())?,
            values: InputArray::new(device, host)?,
            flags: InputArray::new(device, division.flags())?,
            bits: InputArray::new(device, padded(division.bits()))?,
            offsets: InputArray::new(device, division.as_slice().to_vec())?,
            division,
        })
    }

    /// The name of the kernel that scans, such as `inclusive_sum_f32`.
    pub fn entry(&self) -> String {
        entry_name(&self.case)
    }

    /// The operator and the type, such as `sum_f32`.
    pub fn operator(&self) -> String {
        format!("{}_{}", self.case.op, T::DTYPE)
    }

    pub(crate) fn expected(&self, depth: u64) -> Expected<'_, T> {
        Expected::new(self.case.op, depth, self.values.host(), &self.division)
    }
}

/// Words of flags, and zeros up to a multiple of 256 bytes: kernels copy multiples of 16 bytes.
pub(crate) fn padded(mut words: Vec<u32>) -> Vec<u32> {
    words.resize(words.len().next_multiple_of(64), 0);
    words
}

impl<T: Element> Problem for SegmentedScan<T> {
    type Task = crate::Task;
    /// The largest number of rounded operations that an element passes through.
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        let Self { out, values, flags, bits, offsets, .. } = self;
        vec![out, values, flags, bits, offsets]
    }

    fn compare(&self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        let (kind, expected) = (self.case.task.kind(), self.expected(*depth));
        self.out.judge(|results| expected.judge_scan(kind, cast_slice(results)))
    }

    fn traffic(&self, _depth: &u64) -> Traffic {
        // Whatever form of segments a kernel reads: one bit per element is enough.
        let bytes = self.case.input_bytes();
        Traffic { read: bytes + self.n.div_ceil(8), written: bytes }
    }
}
