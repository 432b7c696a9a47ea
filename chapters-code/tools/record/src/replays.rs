//! Every rung in a CUDA graph: captured once, replayed on other inputs, and judged. Rungs of several devices need two.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use harness::{Device, Error, verify::Verdict};

use crate::rungs_for;

/// A rung's replays on a case.
pub struct Replays {
    /// Chapter, rung and case.
    pub name: String,
    /// What is wrong with them; empty if all are right.
    pub wrong: Vec<String>,
}

/// Rungs of several devices that no graph holds: the host reads a result between two launches, or arrays are copied
/// from the context of a device to that of another. (The simulated driver refuses them; what NVIDIA's captures after all
/// is judged.)
const NOT_CAPTURED: [&str; 10] = [
    "gather",
    "ring",
    "reduce_scatter_ring",
    "all_gather_ring",
    "all_to_all_copies",
    "transpose_exchange",
    "reduce_by_host",
    "histogram_gather",
    "scan_then_carry",
    "compact_copies",
];

/// Captures every rung that is not broken on purpose, and hands its replays to `done`.
///
/// # Errors
/// If a rung runs on none of the cases, and what `done` returns.
pub fn all(device: &Device, done: &mut dyn FnMut(Replays) -> Result<()>) -> Result<()> {
    for &chapter in chapters::ALL {
        let name = chapter.name();
        let cases = chapter.replay_cases();
        if cases.is_empty() {
            continue;
        }
        let rungs = chapter.rungs().into_iter();
        let mut left: BTreeSet<_> = rungs.filter(|r| !r.is_broken()).map(|r| r.name).collect();
        for case in cases {
            let is_of_several = chapter.devices(&case) > 1;
            for rung in rungs_for(chapter, &case) {
                left.remove(rung.name);
                let replays = chapter.replays(device, rung.name, &chapter.other_inputs(&case));
                let is_captured = !is_of_several || !NOT_CAPTURED.contains(&rung.name);
                let wrong = match replays {
                    Ok(_) if !is_captured && device.is_simulated() => {
                        vec!["a graph holds it: NOT_CAPTURED is stale".into()]
                    }
                    Err(Error::Driver { .. }) if !is_captured => Vec::new(),
                    replays => wrong(replays),
                };
                done(Replays { name: format!("{name}/{} on {case}", rung.name), wrong })?;
            }
        }
        ensure!(left.is_empty(), "{name}: {left:?} run on none of the cases");
    }
    Ok(())
}

fn wrong(replays: Result<Vec<Verdict>, Error>) -> Vec<String> {
    match replays {
        Ok(verdicts) => {
            let failures = verdicts.into_iter().flat_map(|verdict| verdict.failures);
            failures.map(|failure| failure.message).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}
