//! The all-reduce: an array on each device, the expected sums, and the judge.

use cudarc::driver::{CudaSlice, DriverError};
use harness::{
    Case, ChapterParameters, Device, Dtype, Error, Output, Problem, Refusal, Rung, Traffic,
    baselines::Way,
    bound::{self, Compensated},
    buffer, inputs,
    timing::Bench,
    verify::{Accepted, Verdict},
};

use super::{Addresses, Devices, join_all, refuses};
use crate::{DeviceParameters, Task, baseline};

/// The sum of the arrays of all devices, for every device.
pub struct AllReduce {
    /// Size and input.
    pub case: Case,
    /// The number of elements of each array.
    pub n: usize,
    /// The array of each device, at least one element long.
    pub inputs: Vec<CudaSlice<f32>>,
    /// The result on each device.
    pub outs: Vec<Output<f32>>,
    host: Vec<Vec<f32>>,
    /// Measured when the first rung is timed.
    ceiling_ms: Option<f64>,
    /// The exact sums, and the sums of the absolute values.
    expected: Vec<(f64, f64)>,
    /// The devices.
    pub devices: Devices,
}

impl AllReduce {
    /// Makes the arrays of a case, copies each to its device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] where there are fewer devices, a device has no room, or one cannot reach another one's memory.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let count = DeviceParameters::of(case).devices.unwrap_or(2);
        let devices = Devices::open(device, count)?;
        let host: Vec<Vec<f32>> = (0..count as u64).map(|rank| input(case, rank)).collect();
        let n = case.elements() as usize;
        let arrays = devices.iter().zip(&host);
        Ok(Self {
            inputs: arrays
                .map(|(device, host)| buffer::to_device(device, host))
                .collect::<Result<_, _>>()?,
            outs: devices.iter().map(|device| Output::new(device, n)).collect::<Result<_, _>>()?,
            expected: sums(n, &host),
            ceiling_ms: None,
            devices,
            case: *case,
            n,
            host,
        })
    }

    /// The results that are accepted.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = Accepted<f32>> + '_ {
        let depth = self.devices.len() as u64 - 1;
        self.expected.iter().map(move |&(sum, absolute)| Accepted::Within {
            value: sum,
            bound: bound::sum(Dtype::F32, depth, absolute),
        })
    }

    /// The address of each device's array.
    pub fn input_addresses(&self) -> Addresses {
        Addresses::of(&self.devices, &self.inputs)
    }

    /// The address of each device's result.
    pub fn out_addresses(&mut self) -> Addresses {
        Addresses::of_outputs(&self.devices, &mut self.outs)
    }

    /// The number of elements that a device adds: a multiple of 4. The last devices may have fewer.
    pub fn part(&self) -> usize {
        self.devices.part(self.n)
    }

    /// For each device, where the elements begin and end that it adds.
    pub fn parts(&self) -> Vec<(usize, usize)> {
        self.devices.parts(self.n)
    }
}

/// The array of one device.
fn input(case: &Case, rank: u64) -> Vec<f32> {
    inputs::generate(&Case { seed: case.seed.wrapping_mul(1_000).wrapping_add(rank), ..*case })
}

fn sums(n: usize, host: &[Vec<f32>]) -> Vec<(f64, f64)> {
    use rayon::prelude::*;
    let of_element = |i: usize| {
        let (mut sum, mut absolute) = (Compensated::default(), 0.0);
        for array in host {
            sum.add(f64::from(array[i]));
            absolute += f64::from(array[i].abs());
        }
        (sum.value(), absolute)
    };
    (0..n).into_par_iter().map(of_element).collect()
}

impl Problem for AllReduce {
    type Promise = ();

    fn device(&self) -> &Device {
        &self.devices[0]
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        for out in &mut self.outs {
            out.poison()?;
        }
        // No device may write to another one's result before it is poisoned.
        join_all(self.devices.iter().map(|device| &device.stream))
    }

    fn judge(&mut self, _promise: &(), _launches: u64) -> Result<Verdict, Error> {
        let mut all: Option<Verdict> = None;
        for (d, device) in self.devices.iter().enumerate() {
            device.finish("waiting for a device")?;
            let mut verdict = self.outs[d].compare(self.accepted())?;
            for failure in &mut verdict.failures {
                failure.message = format!("on device {d}: {}", failure.message);
            }
            verdict.failures.extend(buffer::check_input(
                device,
                &mut self.inputs[d],
                &self.host[d],
            )?);
            all = Some(match all {
                None => verdict,
                Some(mut all) => {
                    all.failures.extend(verdict.failures);
                    if verdict.error > all.error {
                        (all.error, all.error_bound) = (verdict.error, verdict.error_bound);
                    }
                    all
                }
            });
        }
        Ok(all.unwrap_or_default())
    }

    fn traffic(&self, _promise: &()) -> Traffic {
        // Over the links of one device, in each direction: see the chapter's proof.
        let devices = self.devices.len() as u64;
        let bytes = self.case.input_bytes() * (devices - 1) / devices;
        Traffic { read: bytes, written: bytes }
    }

    /// A device must receive 2 (devices - 1) / devices of an array. The rate is that at which every device copies an
    /// array of this size from its left neighbour, all at the same time.
    fn ceiling_ms(&mut self, bench: &mut Bench, traffic: Traffic) -> Result<f64, Error> {
        if self.n == 0 {
            return bench.ceiling_ms(traffic);
        }
        if let Some(known) = self.ceiling_ms {
            return Ok(known);
        }
        let devices = self.devices.len() as f64;
        let ceiling_ms =
            self.devices.copy_from_left_ms(bench, self.n)? * 2.0 * (devices - 1.0) / devices;
        self.ceiling_ms = Some(ceiling_ms);
        Ok(ceiling_ms)
    }

    fn loaded_baseline(&self, _promise: &()) -> Result<Vec<Way<Self>>, Error> {
        baseline::all_reduce(self)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.host = (0..self.devices.len() as u64).map(|rank| input(case, rank)).collect();
        self.expected = sums(self.n, &self.host);
        for ((device, memory), host) in self.devices.iter().zip(&mut self.inputs).zip(&self.host) {
            buffer::overwrite(device, memory, host)?;
        }
        Ok(())
    }
}

/// Refuses other tasks, matrices, and operators other than the sum.
pub fn all_reduces_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    refuses(rung, case, Task::AllReduce)
}
