//! Results bit by bit, of all that must be the same on every device with the same profile: integers,
//! maxima and minima, and sums of floats whose order is fixed.

use chapter_1_reduce::chapter::{Reduce, checksum_cases, has_fixed_order};
use harness::{
    Chapter, Row,
    progress::Progress,
    recorded::Checksum,
    runner::{Runner, Step},
};

use crate::schedule::Quantity;

/// Runs every rung that qualifies on every case, untimed.
pub(crate) fn collect(runner: &mut Runner, quantity: Quantity) -> anyhow::Result<Vec<Checksum>> {
    let mut steps = Vec::new();
    for case in checksum_cases() {
        if quantity == Quantity::Trial && case.elements() > 1 << 12 {
            continue;
        }
        for rung in Reduce.rungs().into_iter().filter(|rung| !rung.is_broken()) {
            let runs = Reduce.refusal(rung.name, &case).is_none();
            if runs && has_fixed_order(rung.name, &case) {
                steps.push(Step { rung, case });
            }
        }
    }
    let progress = Progress::new(steps.len());
    let mut checksums = Vec::new();
    let (bench, peers) = (runner.bench.take(), runner.peers.take());
    let done = &mut |row: Row| {
        if row.correct {
            checksums.push(Checksum::of(&row));
        }
        Ok(())
    };
    let result = runner.run(&Reduce, &steps, &progress, done);
    (runner.bench, runner.peers) = (bench, peers);
    result.map(|()| checksums)
}
