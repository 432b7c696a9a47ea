//! The compaction of an array that is spread over the devices.

use crate::Case;
use bytemuck::cast_slice;
use cudarc::driver::DriverError;
use harness::{
    Device, Error, Memory, Output, Problem, Traffic,
    buffer::POISON,
    verify::{self, Checker, Failure, Verdict},
};

use super::{Spread, memory};

/// Where a launch leaves the selected elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Each device has those of its own part, and their number.
    OwnParts,
    /// Device d has the d-th of equal parts of all selected elements, and each device the number of all.
    EqualParts,
}

/// The elements that are at least 0, in order, of an array that is spread over the devices.
pub struct SpreadCompact {
    /// The selected elements of each device, with room for as many as its part has.
    pub outs: Vec<Output<f32>>,
    /// A number of selected elements on each device.
    pub counts: Vec<Output<u64>>,
    /// The selected elements of each part.
    pub(crate) selected: Vec<Vec<f32>>,
    /// The elements.
    pub spread: Spread<f32>,
}

impl SpreadCompact {
    /// Makes the parts of a case, and selects on the host.
    ///
    /// # Errors
    /// As [`Spread::new`].
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let spread = Spread::<f32>::new(device, case)?;
        Ok(Self {
            outs: spread.devices.each(|_, device| Output::new(device, spread.part()))?,
            counts: spread.devices.each(|_, device| Output::new(device, 1))?,
            selected: select(&spread),
            spread,
        })
    }

    /// The number of elements that device d must have, and the number that it must write.
    fn expected(&self, layout: Layout, d: usize) -> (usize, usize) {
        let all = self.all();
        let each = all.div_ceil(self.spread.devices.len());
        match layout {
            Layout::OwnParts => (self.selected[d].len(), self.selected[d].len()),
            Layout::EqualParts => (all.saturating_sub(d * each).min(each), all),
        }
    }

    /// The number of all selected elements.
    fn all(&self) -> usize {
        self.selected.iter().map(Vec::len).sum()
    }
}

pub(crate) fn select(spread: &Spread<f32>) -> Vec<Vec<f32>> {
    let of_part = |d| spread.host[spread.range(d)].iter().copied().filter(|&x| x >= 0.0).collect();
    (0..spread.devices.len()).map(of_part).collect()
}

impl Problem for SpreadCompact {
    type Task = crate::DeviceParameters;
    type Promise = Layout;

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
        let Self { outs, counts, spread, .. } = self;
        memory(outs).chain(memory(counts)).chain(memory(&mut spread.parts)).collect()
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.outs.iter_mut().try_for_each(Output::poison)?;
        self.counts.iter_mut().try_for_each(Output::poison)?;
        // No device may write to another one's result before it is poisoned.
        self.spread.devices.meet()
    }

    fn compare(&self, layout: &Layout, _launches: u64) -> Result<Verdict, Error> {
        let mut results = Vec::new();
        let mut failures = Vec::new();
        for (d, device) in self.spread.devices.iter().enumerate() {
            device.finish("waiting for a device")?;
            let (wanted, number) = self.expected(*layout, d);
            let mut wrong = |message| {
                failures.push(Failure { by: Checker::Result, message }.on_device(d));
            };
            match (self.outs[d].download()?, self.counts[d].download()?) {
                (Ok(out), Ok(count)) => {
                    let (own, behind) = out.split_at(wanted);
                    results.extend_from_slice(own);
                    if count[0] != number as u64 {
                        wrong(format!("the number is {}, expected {number}", count[0]));
                    }
                    if cast_slice::<f32, u8>(behind).iter().any(|&byte| byte != POISON) {
                        wrong("something behind the last result was written".into());
                    }
                }
                (Err(failure), _) | (_, Err(failure)) => return Ok(Verdict::of(failure)),
            }
        }
        let mut verdict = verify::compare_equal(cast_slice(&results), &self.selected.concat());
        verdict.failures.extend(failures);
        Ok(verdict)
    }

    /// Of the device that writes most: all work at the same time.
    fn traffic(&self, layout: &Layout) -> Traffic {
        let most = (0..self.selected.len()).map(|d| self.expected(*layout, d).0).max();
        let written = 4 * most.unwrap_or(0) as u64 + 8;
        Traffic { read: 4 * self.spread.part() as u64, written }
    }
}
