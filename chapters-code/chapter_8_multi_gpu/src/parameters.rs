//! What an all-reduce has besides its arrays.

use std::fmt;

use harness::ChapterParameters;
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceParameters {
    /// The number of devices, each with an array of its own.
    pub devices: Option<usize>,
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
