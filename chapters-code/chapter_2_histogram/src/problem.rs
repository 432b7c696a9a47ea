//! What the rungs solve: buffers on the device, expected counts, and the judge.

use harness::{
    Device, Dtype, Error, InputArray, Memory, Op, Output, Problem, Refusal, Shape, Traffic,
    verify::Verdict,
};

use crate::{
    Case, Rung,
    bins::Bins,
    reference::{Key, histogram_on_all_cores},
};

/// A histogram on the device, of keys of the type `K`.
pub struct Counting<K: Key> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type of the keys, input, and the number of bins.
    pub case: Case,
    /// The number of keys.
    pub n: u64,
    /// The bins, as the kernels take them.
    pub bins: Bins,
    /// The keys.
    pub keys: InputArray<K>,
    /// One counter per bin, and [`EXTRA`](crate::bins::EXTRA) counters for keys that have no bin.
    pub counts: Output<u32>,
    pub(crate) reference: Vec<u32>,
}

impl<K: Key> Counting<K> {
    /// Copies keys to the device, and counts them on the host.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are no such bins, [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case, host: Vec<K>) -> Result<Self, Error> {
        let bins = Bins::of(case)?;
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: host.len() as u64,
            bins,
            counts: Output::new(device, bins.counters() as usize)?,
            reference: histogram_on_all_cores(&host, &bins),
            keys: InputArray::new(device, host)?,
        })
    }

    /// The name of the kernel, such as `histogram_u32`.
    pub fn entry(&self) -> String {
        entry(&self.case)
    }
}

/// The name of the kernel for a case: `histogram_u32`, or `histogram_even_u32` for integers in even bins of a range.
fn entry(case: &Case) -> String {
    let even = if divides_integers(case) { "even_" } else { "" };
    format!("histogram_{even}{}", case.dtype)
}

/// Whether a case's keys are integers in even bins of a range.
pub fn divides_integers(case: &Case) -> bool {
    case.dtype == Dtype::U32 && case.task.range.is_some()
}

impl<K: Key> Problem for Counting<K> {
    type Task = crate::HistogramParameters;
    // Counts are exact.
    type Promise = ();

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.counts, &mut self.keys]
    }

    fn compare(&self, _promise: &(), _launches: u64) -> Result<Verdict, Error> {
        self.counts.compare_equal(&self.reference)
    }

    fn traffic(&self, _promise: &()) -> Traffic {
        let written = 4 * u64::from(self.bins.counters());
        Traffic { read: self.case.input_bytes(), written }
    }
}

/// Refuses what a histogram does not have, types of keys for which the rung has no kernel, and more than
/// `most` bins.
pub fn refuses(rung: &Rung, case: &Case, most: u32) -> Option<Refusal> {
    let has_type = case.op == Op::Sum && rung.has_entry(&format!("histogram_{}", case.dtype));
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } if !has_type => Some(Refusal::NoKernel),
        Shape::Vector { .. } if !rung.has_entry(&entry(case)) => Some(Refusal::because(
            "counts integers in their own bins only: give --kernel banked, or leave --range out",
        )),
        Shape::Vector { .. } if case.task.bins > most => {
            Some(Refusal::LeftOut(format!("has room for up to {most} bins").into()))
        }
        Shape::Vector { .. } => None,
    }
}
