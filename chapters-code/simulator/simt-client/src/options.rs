//! The options of the simulator, with types.

use std::{collections::BTreeSet, ffi::CStr, ops::Range};

use simt_report::{BarrierOrder, WeakMemory};

/// What can be set for the launches to come. The default is what the library does by itself, if its environment says
/// nothing else.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Whether requests, sectors, wavefronts and so on are counted.
    pub counters: bool,
    /// Whether data races are looked for.
    pub races: bool,
    /// Whether what each warp did is kept, in order. Implies counters and races.
    pub trace: bool,
    /// Whether faults are in reports only, and not on standard error.
    pub quiet: bool,
    /// Chooses the order in which warps and blocks run; 0 is in turn.
    pub seed: u64,
    /// Whether blocks start in order whatever the seed.
    pub starts_in_order: bool,
    /// Blocks that are resident at a time; 0 for as many as a GPU holds.
    pub resident_blocks: u64,
    /// Threads of the host; 0 for all.
    pub threads: u32,
    /// Warp instructions that a launch may take before it is ended; 0 for no end.
    pub instruction_limit: u64,
    /// Weak memory, if it is on: a load may return an older value than the newest.
    pub weak_memory: Option<WeakMemory>,
    /// Whether, in weak memory, the elements of a vector access are accesses of their own, in any order.
    pub torn_vectors: bool,
    /// A seed by which `activemask` returns only a part of the lanes; 0 returns all.
    pub active_masks: u64,
    /// A seed by which lanes of a warp run ahead of the others from an access to memory on; 0 for none.
    pub independent_lanes: u64,
    /// A seed by which one block of a launch is held back while others go on; 0 for none.
    pub held_back: u64,
    /// Addresses that no kernel may write: with races on, a kernel that does is stopped.
    pub write_protected: Vec<Range<u64>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            counters: true,
            races: false,
            trace: false,
            quiet: false,
            seed: 0,
            starts_in_order: false,
            resident_blocks: 0,
            threads: 0,
            instruction_limit: 0,
            weak_memory: None,
            torn_vectors: false,
            active_masks: 0,
            independent_lanes: 0,
            held_back: 0,
            write_protected: Vec::new(),
        }
    }
}

/// An option of the library, and a value.
type Setting = (&'static CStr, i64);

impl Options {
    /// All but weak memory and protected addresses, which take several settings.
    fn plain(&self) -> [Setting; 13] {
        [
            (c"counters", self.counters.into()),
            (c"races", self.races.into()),
            (c"trace", self.trace.into()),
            (c"quiet", self.quiet.into()),
            (c"seed", self.seed as i64),
            (c"starts_in_order", self.starts_in_order.into()),
            (c"resident_blocks", self.resident_blocks as i64),
            (c"threads", self.threads.into()),
            (c"instruction_limit", self.instruction_limit as i64),
            (c"torn_vectors", self.torn_vectors.into()),
            (c"active_masks", self.active_masks as i64),
            (c"independent_lanes", self.independent_lanes as i64),
            (c"held_back", self.held_back as i64),
        ]
    }

    /// What has to be set where `before` is set.
    pub(crate) fn changes(&self, before: &Self) -> Vec<Setting> {
        let pairs = self.plain().into_iter().zip(before.plain());
        let mut changes: Vec<Setting> =
            pairs.filter(|(new, old)| new != old).map(|(new, _)| new).collect();
        if self.weak_memory != before.weak_memory {
            changes.extend(weak(self.weak_memory.as_ref()));
        }
        if self.write_protected != before.write_protected {
            changes.push((c"write_protected_to", 0));
            for part in &self.write_protected {
                changes.push((c"write_protected_from", part.start as i64));
                changes.push((c"write_protected_to", part.end as i64));
            }
        }
        changes
    }
}

fn weak(memory: Option<&WeakMemory>) -> Vec<Setting> {
    let Some(WeakMemory { seed, only, barriers, .. }) = memory else {
        return vec![(c"weak_memory", 0)];
    };
    let mut settings = vec![
        (c"weak_memory", *seed as i64),
        (c"ptx_barriers", (*barriers == BarrierOrder::AsInPtx).into()),
        (c"only_stale_reads", only.is_some().into()),
    ];
    let numbers = only.iter().flat_map(BTreeSet::iter);
    settings.extend(numbers.map(|&number| (c"stale_read", number as i64)));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_set() {
        let usual = Options::default();
        assert_eq!(usual.changes(&usual), []);
        let other = Options { races: true, seed: u64::MAX, ..usual.clone() };
        assert_eq!(other.changes(&usual), [(c"races", 1), (c"seed", -1)]);
        assert_eq!(usual.changes(&other), [(c"races", 0), (c"seed", 0)]);
    }

    #[test]
    fn weak_memory_is_set_as_a_whole() {
        let usual = Options::default();
        let memory = WeakMemory { seed: 7, only: Some([3, 5].into()), ..WeakMemory::default() };
        let weak = Options { weak_memory: Some(memory), ..usual.clone() };
        let settings = weak.changes(&usual);
        assert_eq!(settings[0], (c"weak_memory", 7));
        assert_eq!(settings[3..], [(c"stale_read", 3), (c"stale_read", 5)]);
        assert_eq!(usual.changes(&weak), [(c"weak_memory", 0)]);
    }

    #[test]
    fn protection_is_replaced() {
        let usual = Options::default();
        let mut part = usual.clone();
        part.write_protected.push(16..32);
        let settings = part.changes(&usual);
        assert_eq!(settings.last(), Some(&(c"write_protected_to", 32)));
        assert_eq!(usual.changes(&part), [(c"write_protected_to", 0)]);
    }
}
