//! What a case has besides its arrays: a task, and a number of devices.

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
}

impl ChapterParameters for DeviceParameters {}

impl fmt::Display for DeviceParameters {
    /// With a comma before it: `, 4 devices`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.devices {
            Some(devices) => write!(f, ", {devices} devices"),
            None => Ok(()),
        }
    }
}
