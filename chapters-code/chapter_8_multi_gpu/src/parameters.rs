//! What a case has besides its arrays: a task, a number of devices, and a number of bins.

use chapter_2_histogram::{bins::FEWEST, rungs::shared_atomics::MOST_BINS};
use harness::{Parameter, Value};

use crate::{Task, problem::MAX_DEVICES};

/// What a case of this chapter asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceParameters {
    /// What the devices do together: an all-reduce, or what a rung is for, if there is none.
    pub task: Option<Task>,
    /// The number of bins of a histogram.
    pub bins: Option<u32>,
    /// The number of devices, each with an array of its own.
    pub devices: Option<usize>,
}

impl DeviceParameters {
    /// A task of `devices` devices. Other parameters have their defaults.
    pub fn new(task: Task, devices: usize) -> Self {
        Self { task: Some(task), devices: Some(devices), ..Self::default() }
    }
}

impl harness::Task for DeviceParameters {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "task",
            "What the devices do together; several, comma separated",
            |parameters: &Self| parameters.task.map(Value::text),
            |parameters, text| Ok(Self { task: Some(text.parse()?), ..*parameters }),
        )
        .value_name("TASK")
        .named::<Task>()
        .default("all-reduce"),
        Parameter::new(
            "bins",
            "Bins of a histogram, over the range from -1 to 1: 256 if left out",
            |parameters: &Self| parameters.bins.map(Value::from),
            |parameters, text| {
                let bins = text.parse().ok().filter(|bins| (FEWEST..=MOST_BINS).contains(bins));
                let wrong = || format!("{text} is not a number from {FEWEST} to {MOST_BINS}");
                Ok(Self { bins: Some(bins.ok_or_else(wrong)?), ..*parameters })
            },
        )
        .value_name("COUNT")
        .single()
        .label(|parameters| Some(format!("{} bins", parameters.bins?)))
        .lab(&["16", "256", "1024"], ""),
        Parameter::new(
            "devices",
            "Devices to use, each with an array of its own: 2 to 8, and up to four of those that there are if left \
             out; several numbers, comma separated",
            |parameters: &Self| parameters.devices.map(|devices| Value::from(devices as u64)),
            |parameters, text| {
                let devices = text.parse().ok().filter(|count| (2..=MAX_DEVICES).contains(count));
                let wrong = || format!("{text} is not a number from 2 to {MAX_DEVICES}");
                Ok(Self { devices: Some(devices.ok_or_else(wrong)?), ..*parameters })
            },
        )
        .value_name("COUNT")
        .label(|parameters| Some(format!("{} devices", parameters.devices?)))
        .lab(&["2", "8"], ""),
    ];
}
