//! The reduction of every segment.

use bytemuck::cast_slice;
use harness::{
    Device, Element, Error, InputArray, Memory, Output, Problem, Traffic, verify::Verdict,
};

use crate::{Case, reference::Expected, segments::Offsets, task::entry_name};

/// What the launch of a reduction promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduced {
    /// The largest number of rounded operations that an element passes through.
    pub depth: u64,
    /// Whether the launch reads offsets. If not, all segments have one length, which the host gives it.
    pub reads_offsets: bool,
}

/// A segmented reduction on the device.
pub struct SegmentedReduce<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type, operator and segments.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The number of segments, empty ones included.
    pub segments: u32,
    /// The elements.
    pub values: InputArray<T>,
    /// Where each segment begins, and the number of elements.
    pub offsets: InputArray<u32>,
    /// One result per segment.
    pub out: Output<T>,
    pub(crate) division: Offsets,
}

impl<T: Element> SegmentedReduce<T> {
    /// The reduction of these elements in these segments, as many as the case has.
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
            values: InputArray::new(device, host)?,
            offsets: InputArray::new(device, division.as_slice().to_vec())?,
            out: Output::new(device, division.count())?,
            division,
        })
    }

    /// The name of the kernel, such as `sum_f32`.
    pub fn entry(&self) -> String {
        entry_name(&self.case)
    }

    /// The length of the segments where all have the same, and it is not 0.
    pub fn length(&self) -> Option<u32> {
        let mut lengths = self.division.ranges().map(|range| range.len() as u32);
        let first = lengths.next().filter(|&length| length > 0)?;
        lengths.all(|length| length == first).then_some(first)
    }

    pub(crate) fn expected(&self, depth: u64) -> Expected<'_, T> {
        Expected::new(self.case.op, depth, self.values.host(), &self.division)
    }
}

impl<T: Element> Problem for SegmentedReduce<T> {
    type Task = crate::Task;
    type Promise = Reduced;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.values, &mut self.offsets]
    }

    fn compare(&self, promise: &Reduced, _launches: u64) -> Result<Verdict, Error> {
        self.out.judge(|results| self.expected(promise.depth).judge_reduce(cast_slice(results)))
    }

    fn traffic(&self, promise: &Reduced) -> Traffic {
        let segments = u64::from(self.segments);
        let offsets = if promise.reads_offsets { segments + 1 } else { 0 };
        Traffic {
            read: self.case.input_bytes() + 4 * offsets,
            written: size_of::<T>() as u64 * segments,
        }
    }
}
