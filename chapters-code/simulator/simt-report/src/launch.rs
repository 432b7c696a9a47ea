//! The report itself: launches, each with all that is known of it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{Counters, Fault, Link, Race, StaleReads, Trace, Version};

/// The launches since the last report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the form of the report.
    pub version: Version,
    /// The launches in the order in which they ran.
    pub launches: VecDeque<LaunchReport>,
    /// The number of earlier launches, which were forgotten because there were too many.
    pub dropped: u64,
    /// What went over the links between devices, kernels and copies together: one entry per pair between
    /// which anything went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// The races between operations of streams: of kernels, copies and fills that nothing orders. Of a copy or fill,
    /// `line` says what it is, and block, warp and lane are 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<Race>,
}

impl Report {
    /// The report as JSON. (Written here, if it is compiled with optimisation in every profile.)
    ///
    /// # Errors
    /// None that is known: the fields are text and numbers.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// What was counted and found in one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// The number of its device, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// What was counted up to the end of the launch; `None` if counting was off.
    pub counters: Option<Counters>,
    /// Instructions of the warp that executed most: how long the launch takes however many warps run at
    /// once. 0 if counting was off.
    #[serde(default)]
    pub longest_warp: u64,
    /// What the kernel moved over the links to other devices, if counting was on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Different findings, each once, however often it happened.
    pub races: Vec<Race>,
    /// What may be meant, and may be a mistake: see [`crate::RaceKind::is_note`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Race>,
    /// What each warp did, if the launch was traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The loads that returned older values than the newest, if memory was weak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_reads: Option<StaleReads>,
    /// Why the launch ended early, if it did.
    pub fault: Option<Fault>,
}

impl Report {
    /// Returns the counters, summed over the launches.
    pub fn counters(&self) -> Option<Counters> {
        let counted = self.launches.iter().filter_map(|launch| launch.counters);
        counted.reduce(|mut sum, counters| {
            sum += counters;
            sum
        })
    }

    /// Returns the instructions of each launch's longest warp, summed over the launches, which wait for
    /// each other.
    pub fn longest_warps(&self) -> u64 {
        self.launches.iter().map(|launch| launch.longest_warp).sum()
    }

    /// Returns the races of all launches, and those between operations of streams.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.launches.iter().flat_map(|launch| &launch.races).chain(&self.races)
    }

    /// Returns the traces of the launches that were traced.
    pub fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.launches.iter().filter_map(|launch| launch.trace.as_ref())
    }

    /// Returns the first fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.launches.iter().find_map(|launch| launch.fault.as_ref())
    }
}
