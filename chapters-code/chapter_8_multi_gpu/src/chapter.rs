//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Error, Parameters, Posed, Rung, Shape, rung,
};
use report::{
    Chapter,
    values::{Values, number},
};

use crate::{DeviceParameters, broken::broken, problem::AllReduce, rungs};

/// Chapter 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiGpu;

impl Chapter for MultiGpu {
    fn name(&self) -> &'static str {
        "chapter_8_multi_gpu"
    }

    fn summary(&self) -> &'static str {
        "Chapter 8, all-reduce: every device gets the sum of the arrays of all devices"
    }

    fn rungs(&self) -> Vec<Rung> {
        [rung::rungs(&rungs()), rung::rungs(&broken())].concat()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let n = match device.is_simulated() {
            true => 1 << 16,
            false => 1 << 26,
        };
        vec![Shape::Vector { n }]
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        DeviceParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(DeviceParameters {
            devices: number(value, "devices")?.map(|devices: u64| devices as usize),
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        format!("all-reduce of {} {}{}", case.shape, case.dtype, DeviceParameters::of(case))
    }

    fn complete(&self, case: &Case) -> Case {
        let DeviceParameters { devices } = DeviceParameters::of(case);
        // Up to four of those that there are.
        let devices = devices.or_else(|| Some(harness::device::count().clamp(2, 4)));
        Case { parameters: DeviceParameters { devices }.into(), ..*case }
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

    fn devices(&self, case: &Case) -> usize {
        DeviceParameters::of(&self.complete(case)).devices.unwrap_or(2)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the result, the gathered arrays, and room for the driver.
        case.input_bytes() * (1 + self.devices(case) as u64) + (16 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        Ok(Box::new(Posed::new(
            AllReduce::new(device, &self.complete(case))?,
            [rungs(), broken()].concat(),
        )))
    }
}
