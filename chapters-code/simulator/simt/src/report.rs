//! What a launch reports, in words and numbers for people and programs.

use crate::counters::Counters;
use crate::trace::Trace;

/// What was counted and found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// `None` if counting was off.
    pub counters: Option<Counters>,
    /// Different findings, each once, however often it happened.
    pub races: Vec<Race>,
    /// What each warp did, if the launch was traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// One of the two accesses of a [`Race`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RaceAccess {
    /// `file.cu:12`.
    pub line: String,
    /// The block's coordinates.
    pub block: [u32; 3],
    /// The warp's number in the block.
    pub warp: u32,
    /// The lane's number in the warp.
    pub lane: u32,
    /// `read`, `write`, `atomic`, or `copy` for a bulk copy.
    pub access: &'static str,
}

/// Two accesses that nothing orders, or a shuffle from a lane that takes no part.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Race {
    /// `read_write`, `write_read`, `write_write`, … or `shuffle_source`.
    pub kind: String,
    /// `shared`, `global`, or `warp` for shuffles.
    pub space: &'static str,
    /// The array, by its name in the PTX.
    pub array: String,
    /// Byte offset within the array.
    pub offset: u64,
    /// The earlier access in this execution.
    pub first: RaceAccess,
    /// The later one.
    pub second: RaceAccess,
    /// What would order them: `__syncthreads`, `__syncwarp` or `__threadfence`.
    pub missing: &'static str,
    /// All of this as a sentence or two.
    pub message: String,
}

/// Adds those of `more` that tell something new, up to `most` in all.
pub(crate) fn merge(races: &mut Vec<Race>, more: Vec<Race>, most: usize) {
    for race in more {
        let same = |r: &Race| {
            (&r.kind, &r.first.line, &r.second.line)
                == (&race.kind, &race.first.line, &race.second.line)
        };
        if races.len() < most && !races.iter().any(same) {
            races.push(race);
        }
    }
}
