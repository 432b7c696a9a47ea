//! The histogram of an array that is spread over the devices.

use chapter_2_histogram::{
    Bins, HistogramParameters, bins, geometry, reference::histogram_on_all_cores,
    rungs::shared_atomics::MOST_BINS,
};
use harness::{Device, Error, Memory, Output, Problem, Refusal, Shape, Traffic, verify::Verdict};

use super::{Spread, memory};
use crate::{Case, Rung, Task};

/// The histogram of floats that are spread over the devices, for the first of them.
pub struct SpreadHistogram {
    /// The counters, on the first device.
    pub counts: Output<u32>,
    /// The bins: equal parts of the range from −1 to 1.
    pub bins: Bins,
    pub(crate) expected: Vec<u32>,
    /// The keys.
    pub spread: Spread<f32>,
}

impl SpreadHistogram {
    /// Makes the parts of a case, and counts them.
    ///
    /// # Errors
    /// As [`Spread::new`], and [`Error::Usage`] if there are no such bins.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let count = case.task.bins.unwrap_or(bins::USUAL);
        let bins = Bins::even(count, -1.0, 1.0).map_err(|error| Error::Usage(error.to_string()))?;
        let spread = Spread::<f32>::new(device, case)?;
        let expected = histogram_on_all_cores(&spread.host, &bins);
        Ok(Self { counts: Output::new(device, expected.len())?, bins, expected, spread })
    }

    /// The copies of a histogram that the blocks of a device have, and the launch that follows.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device gives no answer, [`Error::Usage`] if it has no room for the bins.
    pub fn copies(&self) -> Result<geometry::Copies, Error> {
        let n = self.spread.part() as u64;
        let part = self.spread.case.with(HistogramParameters::of_bins(self.bins.count));
        let part = harness::Case { shape: Shape::Vector { n }, ..part };
        let copies = geometry::Copies::of(&self.spread.devices[0], &part, &self.bins)?;
        copies.ok_or_else(geometry::Copies::no_room)
    }
}

impl Problem for SpreadHistogram {
    type Task = crate::DeviceParameters;
    // Counts are exact.
    type Promise = ();

    fn device(&self) -> &Device {
        &self.spread.devices[0]
    }

    fn case(&self) -> &Case {
        &self.spread.case
    }

    fn peers(&self) -> &[Device] {
        &self.spread.devices[1..]
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        memory(&mut self.spread.parts).chain([&mut self.counts as _]).collect()
    }

    fn compare(&self, _promise: &(), _launches: u64) -> Result<Verdict, Error> {
        self.counts.compare_equal(&self.expected)
    }

    /// Of one device: all read at the same time.
    fn traffic(&self, _promise: &()) -> Traffic {
        let written = 4 * self.expected.len() as u64;
        Traffic { read: 4 * self.spread.part() as u64, written }
    }
}

/// Refuses what is no histogram of f32, and more bins than a block has room for.
pub fn histograms_only(_rung: &Rung, case: &Case) -> Option<Refusal> {
    let too_many = || {
        let bins = case.task.bins.unwrap_or(bins::USUAL);
        let text = format!("has room for up to {MOST_BINS} bins");
        (bins > MOST_BINS).then(|| Refusal::LeftOut(text.into()))
    };
    Task::Histogram.refusal(case).or_else(too_many)
}
