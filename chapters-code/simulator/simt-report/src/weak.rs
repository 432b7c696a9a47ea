//! Loads that returned older values than the newest, in an execution with weak memory.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::RaceAccess;
use crate::names::names;

/// The stale reads of a launch: loads that returned an older value than the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleReads {
    /// The number of each in the order in which they happened. It chooses the same load when the
    /// launch is repeated with the same seed.
    pub numbers: Vec<u64>,
    /// The first of them in words.
    pub first: Vec<StaleRead>,
    /// How often a load, or an atomic whose result is used, found in global memory what another thread
    /// had stored in this launch, with nothing that orders the two. If no thread waits for, counts or
    /// polls others, this is 0.
    pub unordered: u64,
    /// Plain loads that may miss a store by PTX's memory model, but not on GPUs, because a barrier or the order
    /// of fences in this run orders the two. Only if they are to be reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_in_ptx: Vec<StaleRead>,
}

impl StaleReads {
    /// Finds a smallest set of stale reads with which a run still fails, among these of a run that
    /// fails. `fails` repeats the run with only the given stale reads. Returns `None` if the run does
    /// not fail again, and an empty set if it fails without any.
    pub fn smallest(&self, mut fails: impl FnMut(&BTreeSet<u64>) -> bool) -> Option<BTreeSet<u64>> {
        let mut rest = &self.numbers[..];
        let mut needed = BTreeSet::new();
        while !fails(&needed) {
            let with = |count: usize| needed.iter().chain(&rest[..count]).copied().collect();
            // With the first `low` it does not fail, with the first `high` it does.
            let (mut low, mut high) = (0, rest.len());
            if high == 0 || !fails(&with(high)) {
                return None;
            }
            while high - low > 1 {
                let middle = low.midpoint(high);
                if fails(&with(middle)) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            needed.insert(rest[high - 1]);
            rest = &rest[..high - 1];
        }
        for number in needed.clone() {
            needed.remove(&number);
            if !fails(&needed) {
                needed.insert(number);
            }
        }
        Some(needed)
    }
}

/// A load that returned an older value than the newest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleRead {
    /// Its number.
    pub number: u64,
    /// The load.
    pub load: RaceAccess,
    /// The store that it missed, which is the newest one; `None` if a copy has stored.
    pub store: Option<RaceAccess>,
    /// The allocation.
    pub array: String,
    /// Byte offset of the word within the allocation.
    pub offset: u64,
    /// The device address of the word.
    #[serde(default)]
    pub address: u64,
    /// Whether the load is strong, as that of a flag is: a thread that polls may miss a store, and reads again.
    #[serde(default)]
    pub is_strong: bool,
    /// What would have ordered the store before the load.
    pub cure: Cure,
    /// All of this as a sentence.
    pub message: String,
}

names! {
    /// What orders a store before a load by another thread.
    Cure {
        /// A fence by the thread that stores, or by one that it meets at a barrier afterwards.
        WriterFence = "a __threadfence() between the write and the flag",
        /// The scope of such a fence, which is the block and must be the device.
        FenceScope = "__threadfence() instead of __threadfence_block() between the write and the flag",
        /// The scope of one of the two accesses, which is the block and must be the device.
        Scope = "the scope of the device at both accesses",
        /// A fence by the thread that loads, or by one that it meets at a barrier before.
        ReaderFence = "a __threadfence() between the flag and the read",
        /// Such a fence by a thread of another device, or its scope, which must be the system.
        SystemFence = "a __threadfence_system() between the write and the flag",
        /// The scope of one of two accesses by threads of two devices, which is not the system.
        SystemScope = "the scope of the system at both accesses",
        /// A fence by the thread that loads what another device has stored, or its scope.
        SystemReaderFence = "a __threadfence_system() between the flag and the read",
        /// A scalar: the elements of a vector access are accesses of their own.
        OneWord = "one scalar access of 8 bytes in place of the vector, whose elements PTX promises in no order",
        /// An ordinary load: the read-only path is for memory that the launch does not write.
        ReadOnlyPath = "an ordinary load instead of __ldg()",
        /// A flag, written behind a fence, that the loading thread waits for.
        Flag = "a flag that the reader waits for, written after the write and a __threadfence()",
    }
}
