//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use chapter_2_histogram::bins::USUAL;
use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Ladder, Parameters, Rung, Shape,
    Suite, rung::rungs,
};
use report::{
    Chapter,
    values::{Values, chosen, number},
};

use crate::{
    DeviceParameters, Task, all_gathers, all_reduces, all_to_alls,
    broken::{broken, broken_scans},
    compactions, histograms,
    problem::{Collective, SpreadCompact, SpreadHistogram, SpreadScan, SpreadSum},
    reduce_scatters, scans, sums, task, transpositions,
};

/// The rungs of all collectives, the broken ones last.
fn collectives() -> Ladder<Collective> {
    let tasks = [all_reduces(), reduce_scatters(), all_gathers(), all_to_alls(), transpositions()];
    [tasks.concat(), broken()].concat()
}

/// Chapter 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiGpu;

impl Chapter for MultiGpu {
    fn name(&self) -> &'static str {
        "chapter_8_multi_gpu"
    }

    fn summary(&self) -> &'static str {
        "Chapter 8, several GPUs: what they compute together, over the links between them"
    }

    fn rungs(&self) -> Vec<Rung> {
        [
            rungs(&collectives()),
            // A rung is the same for every type of elements.
            rungs(&sums::<f32>()),
            rungs(&histograms()),
            rungs(&scans::<f32>()),
            rungs(&compactions()),
            rungs(&broken_scans::<f32>()),
        ]
        .concat()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let n: u64 = if device.is_simulated() { 1 << 16 } else { 1 << 26 };
        let side = n.isqrt();
        vec![Shape::Vector { n }, Shape::Matrix { rows: side, cols: side }]
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        DeviceParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(DeviceParameters {
            devices: number(value, "devices")?.map(|devices: u64| devices as usize),
            task: chosen(value, "task")?,
            bins: number(value, "bins")?.map(|bins: u64| bins as u32),
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        let (task, parameters) = (task::of(case), DeviceParameters::of(case));
        format!("{task} of {} {}{parameters}", case.shape, case.dtype)
    }

    fn complete(&self, case: &Case) -> Case {
        let DeviceParameters { devices, task, bins } = DeviceParameters::of(case);
        // Up to four of those that there are.
        let devices = devices.or_else(|| Some(harness::Device::count().clamp(2, 4)));
        let task = task.filter(|&task| task != Task::AllReduce);
        let is_histogram = task == Some(Task::Histogram);
        let bins = is_histogram.then_some(bins.unwrap_or(USUAL));
        case.with(DeviceParameters { devices, task, bins })
    }

    /// A case that leaves the task open gets the rung's own.
    fn case_for(&self, rung: &Rung, case: &Case) -> Case {
        let own = match DeviceParameters::of(case).task {
            Some(_) => None,
            None => {
                let mut tasks = Task::ALL.into_iter().map(|task| task::doing(task, case));
                tasks.find(|case| rung.refusal(case).is_none())
            }
        };
        rung.case_for(&self.complete(&own.unwrap_or(*case)))
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        let wanted = DeviceParameters::of(case).devices.unwrap_or(2);
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
        DeviceParameters::of(&self.complete(case)).devices.unwrap_or(2)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the result, the gathered arrays, two to copy between for the ceiling, and room for the driver.
        case.input_bytes() * (3 + self.devices(case) as u64) + (16 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        let case = &self.complete(case);
        Ok(match task::of(case) {
            Task::Histogram => Suite::boxed(SpreadHistogram::new(device, case)?, [histograms()]),
            Task::Compact => Suite::boxed(SpreadCompact::new(device, case)?, [compactions()]),
            Task::Reduce => match case.dtype {
                Dtype::I64 => Suite::boxed(SpreadSum::<i64>::new(device, case)?, [sums()]),
                _ => Suite::boxed(SpreadSum::<f32>::new(device, case)?, [sums()]),
            },
            Task::Scan => match case.dtype {
                Dtype::I64 => {
                    Suite::boxed(SpreadScan::<i64>::new(device, case)?, [scans(), broken_scans()])
                }
                _ => Suite::boxed(SpreadScan::<f32>::new(device, case)?, [scans(), broken_scans()]),
            },
            _ => Suite::boxed(Collective::new(device, case)?, [collectives()]),
        })
    }
}
