//! The collectives: an array on each device, what each device must have in the end, and the judge.

use cudarc::driver::{CudaFunction, DriverError};
use harness::{
    Device, Dtype, Error, InputArray, Memory, Output, Problem, PtxText, Traffic,
    bound::{self, Compensated},
    inputs,
    verify::{Accepted, Verdict},
};
use rayon::prelude::*;

use super::{Addresses, Devices, memory};
use crate::{Case, Task, task};

/// What the devices do together with their arrays.
pub struct Collective {
    /// Size and input.
    pub case: Case,
    /// What the devices do: one of the five collectives. The others are not run on this problem.
    pub task: Task,
    /// The number of elements of the case: of each array, of the gathered array, or of the whole matrix.
    pub n: usize,
    /// The array of each device, at least one element long.
    pub inputs: Vec<InputArray<f32>>,
    /// The result on each device.
    pub outs: Vec<Output<f32>>,
    /// Measured when the first rung is timed.
    pub(crate) ceiling_ms: Option<f64>,
    /// The exact sums, and the sums of the absolute values; none if nothing is added.
    pub(crate) sums: Vec<(f64, f64)>,
    /// The devices.
    pub devices: Devices,
}

impl Collective {
    /// Makes the arrays of a case, copies each to its device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] if there are fewer devices, a device has no room, or one cannot reach another one's memory.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let mut p = Self {
            case: *case,
            task: task::of(case),
            n: case.elements() as usize,
            inputs: Vec::new(),
            outs: Vec::new(),
            ceiling_ms: None,
            sums: Vec::new(),
            devices: Devices::of(device, case)?,
        };
        let arrays = p.devices.iter().zip(p.arrays());
        let inputs = arrays.map(|(device, array)| InputArray::new(device, array));
        p.inputs = inputs.collect::<Result<_, _>>()?;
        p.outs = p.outputs()?;
        p.sums = p.exact_sums();
        Ok(p)
    }

    /// New memory for the result of each device.
    pub(crate) fn outputs(&self) -> Result<Vec<Output<f32>>, Error> {
        self.devices.each(|d, device| Output::new(device, self.result_len(d)))
    }

    /// The number of elements of the result on device `d`.
    pub(crate) fn result_len(&self, d: usize) -> usize {
        let (first, end) = self.parts()[d];
        match self.task {
            Task::ReduceScatter => end - first,
            Task::AllToAll => self.devices.len() * (end - first),
            Task::Transpose => matrix(&self.case).0 * (end - first),
            _ => self.n,
        }
    }

    /// The arrays of all devices: parts of one array or matrix where the devices put one together, otherwise an array
    /// each.
    pub(crate) fn arrays(&self) -> Vec<Vec<f32>> {
        let case = self.case;
        let array = |rank: u64| -> Vec<f32> {
            let seed = case.seed.wrapping_mul(1_000).wrapping_add(rank);
            inputs::generate(&Case { seed, ..case })
        };
        let (rows, cols) = matrix(&case);
        let (rows, length) = match self.task {
            Task::AllGather => (cols, 1),
            Task::Transpose => (rows, cols),
            _ => return (0..self.devices.len() as u64).map(array).collect(),
        };
        let whole = array(0);
        let parts = self.devices.parts(rows).into_iter();
        parts.map(|(first, end)| whole[first * length..end * length].to_vec()).collect()
    }

    /// The exact sums of all arrays, element by element, and the sums of the absolute values; none if nothing is
    /// added.
    pub(crate) fn exact_sums(&self) -> Vec<(f64, f64)> {
        let adds = matches!(self.task, Task::AllReduce | Task::ReduceScatter);
        let of_element = |i: usize| {
            let (mut sum, mut absolute) = (Compensated::default(), 0.0);
            for input in &self.inputs {
                let x = f64::from(input.host()[i]);
                sum.add(x);
                absolute += x.abs();
            }
            (sum.value(), absolute)
        };
        (0..if adds { self.n } else { 0 }).into_par_iter().map(of_element).collect()
    }

    /// Compares a result of device `d` with what it should be.
    pub(crate) fn verdict(&self, d: usize, out: &Output<f32>) -> Result<Verdict, Error> {
        let (first, end) = self.parts()[d];
        let depth = self.devices.len() as u64 - 1;
        let within = |&(sum, absolute): &(f64, f64)| Accepted::Within {
            value: sum,
            bound: bound::sum(Dtype::F32, depth, absolute),
        };
        let (rows, cols) = matrix(&self.case);
        let hosts: Vec<&[f32]> = self.inputs.iter().map(|input| input.host()).collect();
        match self.task {
            Task::ReduceScatter => out.compare(self.sums[first..end].iter().map(within)),
            Task::AllGather => out.compare_equal(&hosts.concat()),
            Task::AllToAll => {
                let parts: Vec<_> = hosts.iter().map(|array| &array[first..end]).collect();
                out.compare_equal(&parts.concat())
            }
            Task::Transpose => {
                let part = self.devices.part(rows);
                let element = |row: usize, col| hosts[row / part][row % part * cols + col];
                let of_col = |col| (0..rows).map(move |row| element(row, col));
                out.compare_equal(&(first..end).flat_map(of_col).collect::<Vec<_>>())
            }
            _ => out.compare(self.sums.iter().map(within)),
        }
    }

    /// The kernel of each device, from `ptx`: `name` with the number of devices behind it.
    pub(crate) fn kernels(
        &self,
        ptx: PtxText,
        name: &str,
    ) -> Result<Vec<CudaFunction>, DriverError> {
        self.devices.kernels(ptx, &format!("{name}_{}", self.devices.len()))
    }

    /// The address of each device's array.
    pub fn input_addresses(&self) -> Addresses {
        Addresses::of(&self.devices, self.inputs.iter().map(|input| &**input))
    }

    /// The address of each device's result.
    pub fn out_addresses(&mut self) -> Addresses {
        Addresses::of_outputs(&self.devices, &mut self.outs)
    }

    /// The length of a part of the array, or the number of columns that a device has in the end: a multiple of 4. The
    /// last devices may have fewer.
    pub fn part(&self) -> usize {
        self.devices.part(matrix(&self.case).1)
    }

    /// For each device, where its part begins and ends: of the array, or of the columns.
    pub fn parts(&self) -> Vec<(usize, usize)> {
        self.devices.parts(matrix(&self.case).1)
    }

    /// The bytes that a device must receive if every byte travels once: all but its own part of an array.
    fn received(&self) -> u64 {
        let devices = self.devices.len() as u64;
        self.array() as u64 * 4 * (devices - 1) / devices
    }

    /// The number of elements of the largest array on a device.
    pub(crate) fn array(&self) -> usize {
        if self.task == Task::Transpose { self.n.div_ceil(self.devices.len()) } else { self.n }
    }
}

/// The rows and columns of a case. A vector is one row.
pub fn matrix(case: &Case) -> (usize, usize) {
    let (rows, cols) = case.shape.sides().unwrap_or((1, case.elements()));
    (rows as usize, cols as usize)
}

impl Problem for Collective {
    type Task = crate::DeviceParameters;
    type Promise = ();

    fn device(&self) -> &Device {
        &self.devices[0]
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn peers(&self) -> &[Device] {
        &self.devices[1..]
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        memory(&mut self.outs).chain(memory(&mut self.inputs)).collect()
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.outs.iter_mut().try_for_each(Output::poison)?;
        // No device may write to another one's result before it is poisoned.
        self.devices.meet()
    }

    fn compare(&self, _promise: &(), _launches: u64) -> Result<Verdict, Error> {
        let mut all = Verdict::default();
        for (d, device) in self.devices.iter().enumerate() {
            device.finish("waiting for a device")?;
            let verdict = self.verdict(d, &self.outs[d])?;
            all.failures.extend(verdict.failures.into_iter().map(|failure| failure.on_device(d)));
            if d == 0 || verdict.error > all.error {
                (all.error, all.error_bound) = (verdict.error, verdict.error_bound);
            }
            if d == 0 {
                all.checksum = verdict.checksum;
            }
        }
        Ok(all)
    }

    /// The bytes over the links of one device in one direction: see the chapter's proofs. Those of an all-reduce go once
    /// to the device that adds and once from there.
    fn traffic(&self, _promise: &()) -> Traffic {
        let is_twice = self.task == Task::AllReduce;
        Traffic { read: self.received(), written: if is_twice { self.received() } else { 0 } }
    }
}
