//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Error, Ladder, Parameters, Posed, Rung, Shape,
    rung,
};
use report::{
    Chapter,
    values::{Values, chosen, number},
};

use crate::{
    DeviceParameters, Task, all_gathers, all_reduces, all_to_alls, broken::broken,
    problem::Collective, reduce_scatters, task, transpositions,
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
        rung::rungs(&collectives())
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let n: u64 = match device.is_simulated() {
            true => 1 << 16,
            false => 1 << 26,
        };
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
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        let (task, parameters) = (task::of(case), DeviceParameters::of(case));
        format!("{task} of {} {}{parameters}", case.shape, case.dtype)
    }

    fn complete(&self, case: &Case) -> Case {
        let DeviceParameters { devices, task } = DeviceParameters::of(case);
        // Up to four of those that there are.
        let devices = devices.or_else(|| Some(harness::device::count().clamp(2, 4)));
        let task = task.filter(|&task| task != Task::AllReduce);
        Case { parameters: DeviceParameters { devices, task }.into(), ..*case }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        let wanted = DeviceParameters::of(case).devices.unwrap_or(2);
        let found = harness::device::count();
        if wanted <= found {
            return Ok(());
        }
        let fewer = if found >= 2 { format!("give --devices {found}, or ") } else { String::new() };
        Err(Error::Usage(format!(
            "the case needs {wanted} devices, and there {} {found}\n  remedy: {fewer}use the simulator, --device sim \
             (it has eight devices, or SIMT_DEVICES)",
            if found == 1 { "is" } else { "are" },
        )))
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the result, the gathered arrays, two to copy between for the ceiling, and room for the driver.
        let devices = DeviceParameters::of(case).devices.unwrap_or(2) as u64;
        case.input_bytes() * (3 + devices) + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        let case = &self.complete(case);
        Ok(Box::new(Posed::new(Collective::new(device, case)?, collectives())))
    }
}
