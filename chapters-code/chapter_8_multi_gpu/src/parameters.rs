//! What a case has besides its arrays: a task, a number of devices, and a number of bins.

use std::fmt;

use harness::ChapterParameters;
use serde::{Deserialize, Serialize};

use crate::Task;

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceParameters {
    /// The number of devices, each with an array of its own.
    pub devices: Option<usize>,
    /// What the devices do together. None for an all-reduce, so that its rows keep the columns that they had first.
    pub task: Option<Task>,
    /// The number of bins of a histogram.
    pub bins: Option<u32>,
}

impl ChapterParameters for DeviceParameters {}

impl fmt::Display for DeviceParameters {
    /// Each with a comma before it: `, 256 bins, 4 devices`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bins) = self.bins {
            write!(f, ", {bins} bins")?;
        }
        match self.devices {
            Some(devices) => write!(f, ", {devices} devices"),
            None => Ok(()),
        }
    }
}
