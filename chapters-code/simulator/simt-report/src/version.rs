//! The version of the form of reports and recordings.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Raised when a field changes its meaning or goes; not when one is added.
pub const VERSION: u32 = 1;

/// Stands in a report as the number [`VERSION`]. Another number is an error when the report is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(Self),
            other => Err(D::Error::custom(format!(
                "it is of version {other}, and this program reads version {VERSION}"
            ))),
        }
    }
}
