//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use chapter_2_histogram::bins::USUAL;
use harness::{Device, Dtype, Element, Error, Ladder, Posed, Shape, Suite, Task as _, rung::rungs};
use report::{
    Asked, Chapter, Planned, Scope,
    chapter::{EVEN, sum},
};

use crate::{
    Case, DeviceParameters, Rung, Task, all_gathers, all_reduces, all_to_alls,
    broken::{broken, broken_scans},
    compactions, histograms,
    problem::{Collective, SpreadCompact, SpreadHistogram, SpreadScan, SpreadSum},
    recorded, reduce_scatters, scans, sums, task, transpositions,
};

/// The rungs of all collectives, the broken ones last.
fn collectives() -> Ladder<Collective> {
    let tasks = [all_reduces(), reduce_scatters(), all_gathers(), all_to_alls(), transpositions()];
    [tasks.concat(), broken()].concat()
}

/// The rungs of scans, the broken ones last.
fn all_scans<T: Element<Acc = T>>() -> Ladder<SpreadScan<T>> {
    [scans(), broken_scans()].concat()
}

/// Chapter 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiGpu;

impl Chapter for MultiGpu {
    type Task = DeviceParameters;
    const NAME: &'static str = "chapter_8_multi_gpu";
    const SUMMARY: &'static str =
        "Chapter 8, several GPUs: what they compute together, over the links between them";

    fn rungs(&self) -> Vec<Rung> {
        let mut all = rungs(&collectives());
        // A rung is the same for every type of elements.
        all.extend(rungs(&sums::<f32>()));
        all.extend(rungs(&histograms()));
        let mut scans = rungs(&all_scans::<f32>());
        let broken = scans.extract_if(.., |rung| rung.is_broken()).collect::<Vec<_>>();
        all.extend(scans);
        all.extend(rungs(&compactions()));
        all.extend(broken);
        all
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let n: u64 = if device.is_simulated() { 1 << 16 } else { 1 << 26 };
        let side = n.isqrt();
        vec![Shape::Vector { n }, Shape::Matrix { rows: side, cols: side }]
    }

    /// Bins are a histogram's alone.
    fn tasks(&self, asked: &Asked) -> Result<Vec<DeviceParameters>, Error> {
        let mut all: Vec<DeviceParameters> = asked.combinations();
        let is_histogram = |parameters: &DeviceParameters| parameters.task == Some(Task::Histogram);
        if asked.has("bins") && !all.iter().any(is_histogram) {
            let what = "--bins is for the task histogram";
            return Err(Error::usage(what, "give --task histogram, or no --bins"));
        }
        for parameters in all.iter_mut().filter(|parameters| !is_histogram(parameters)) {
            parameters.bins = None;
        }
        Ok(all)
    }

    fn title(&self, case: &Case) -> String {
        format!("{} of {} {}{}", task::of(case), case.shape, case.dtype, case.task.label())
    }

    fn complete(&self, case: &Case) -> Case {
        let mut parameters = case.task;
        let task = *parameters.task.get_or_insert(Task::AllReduce);
        // Up to four of those that there are.
        parameters.devices.get_or_insert_with(|| harness::Device::count().clamp(2, 4));
        parameters.bins = (task == Task::Histogram).then_some(parameters.bins.unwrap_or(USUAL));
        case.with(parameters)
    }

    /// A case that leaves the task open gets the rung's own.
    fn case_for(&self, rung: &Rung, case: &Case) -> Case {
        let own = match case.task.task {
            Some(_) => None,
            None => {
                let mut tasks = Task::ALL.into_iter().map(|task| task::doing(task, case));
                tasks.find(|case| rung.refusal(case).is_none())
            }
        };
        rung.case_for(&self.complete(&own.unwrap_or(*case)))
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        let wanted = case.task.devices.unwrap_or(2);
        let found = harness::Device::count();
        if wanted <= found {
            return Ok(());
        }
        let fewer = if found >= 2 { format!("give --devices {found}, or ") } else { String::new() };
        let are = if found == 1 { "is" } else { "are" };
        Err(Error::usage(
            format!("the case needs {wanted} devices, and there {are} {found}"),
            format!(
                "{fewer}use the simulator, --device sim (it has eight devices, or SIMT_DEVICES)"
            ),
        ))
    }

    fn devices(&self, case: &Case) -> usize {
        self.complete(case).task.devices.unwrap_or(2)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the result, the gathered arrays, two to copy between for the ceiling, and room for the driver.
        case.input_bytes() * (3 + self.devices(case) as u64) + (16 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<DeviceParameters> {
        let case = &self.complete(case);
        Ok(match task::of(case) {
            Task::Histogram => Suite::boxed(SpreadHistogram::new(device, case)?, histograms()),
            Task::Compact => Suite::boxed(SpreadCompact::new(device, case)?, compactions()),
            Task::Reduce => match case.dtype {
                Dtype::I64 => Suite::boxed(SpreadSum::<i64>::new(device, case)?, sums()),
                _ => Suite::boxed(SpreadSum::<f32>::new(device, case)?, sums()),
            },
            Task::Scan => match case.dtype {
                Dtype::I64 => Suite::boxed(SpreadScan::<i64>::new(device, case)?, all_scans()),
                _ => Suite::boxed(SpreadScan::<f32>::new(device, case)?, all_scans()),
            },
            _ => Suite::boxed(Collective::new(device, case)?, collectives()),
        })
    }

    /// Every task, if there are devices for it.
    fn replay_cases(&self) -> Vec<Case> {
        if Device::count() < 2 {
            return Vec::new();
        }
        let case = sum(EVEN, Dtype::F32).with(DeviceParameters::default());
        Task::ALL.map(|task| task::doing(task, &case)).into()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<DeviceParameters>> {
        recorded::planned(scope)
    }
}
