//! Runs of a kernel that is right in ways in which a GPU may run it and the simulator does not by itself: with weak
//! memory, with only a part of the lanes active, and with lanes that run independently.

use std::ops::RangeInclusive;

use anyhow::{Context, Result};
use harness::simulator::Options;

use super::{Step, Worker, plain};
use crate::{
    check::{Failure, bench::Bench, plan, weak},
    diagnosis::Diagnosis,
};

/// What is said of a kernel that is right only if `__activemask()` returns all lanes that execute it together.
const ACTIVE_MASK: &str = "in this run __activemask() returned only a part of the lanes: CUDA does not promise that lanes are together, not \
                           even in straight code";

/// Seeds with which a kernel is run on parts of its active masks, for each size.
const MASK_SEEDS: RangeInclusive<u64> = 1..=2;

/// What is said of a kernel that is right only if the lanes of a warp run in step.
const INDEPENDENT_LANES: &str = "in this run lanes of a warp ran ahead of others: since Volta they are in step only at __syncwarp(), at a \
                                 warp-wide operation and at a barrier";

/// What is said of a kernel that does not wait for as long as it takes.
const HELD_BACK: &str = "in this run one block was held back while others executed a million instructions: nothing bounds how late a block \
                         or a device may be";

/// Seeds with which one block is held back, for each size.
const HELD_SEEDS: RangeInclusive<u64> = 1..=5;

/// Seeds with which the lanes of a kernel run independently, for each size, and for one of many elements.
const LANE_SEEDS: RangeInclusive<u64> = 1..=4;
const LANE_SEEDS_OF_LARGE: RangeInclusive<u64> = 1..=1;

impl Worker<'_> {
    /// Runs of a kernel that is right, with weak memory. Gives a note where only GPUs make it right.
    pub(super) fn weakly(&self, bench: &Bench, ptx: &str) -> Step<Option<String>> {
        let declaration = &self.exercise.declaration;
        let mut note = None;
        let mut cases = plan::detected(declaration, self.job)?;
        cases.retain(|case| plan::is_small(declaration, case) || weak::is_strong(ptx));
        for case in cases {
            let instance = declaration.operation.problem(&case);
            // Of many blocks a few seeds show what many seeds show of a few. Of several devices each block waits for
            // another one, and all of its loads of what that has stored tell.
            let most = match case.shape.elements() {
                _ if declaration.is_of_several_devices() => weak::SEEDS_OF_LARGE,
                0..=weak::FEW_ELEMENTS => u64::MAX,
                _ if plan::is_small(declaration, &case) => weak::SEEDS_OF_MIDDLE,
                _ => weak::SEEDS_OF_LARGE,
            };
            let seeds = self.job.weak_seeds.min(most);
            let checked = weak::check(bench, &instance, &self.job.name, seeds)?;
            note = note.or(right!(checked.map_err(|failure| self.on(failure, &plain(case)))));
        }
        Ok(Ok(note))
    }

    /// Runs of a kernel that is right and asks which lanes are active. It gets only a part of them.
    pub(super) fn with_parts_of_active_masks(&self, bench: &Bench, ptx: &str) -> Step<()> {
        if !ptx.contains("activemask") {
            return Ok(Ok(()));
        }
        let declaration = &self.exercise.declaration;
        let mut trials = plan::trials(declaration, self.job)?;
        trials.retain(|trial| trial.is_plain() && plan::is_small(declaration, &trial.case));
        let mut large = plan::detected(declaration, self.job)?;
        large.retain(|case| !plan::is_small(declaration, case));
        let largest = plan::largest(declaration, self.job)?;
        large.extend(largest);
        for trial in trials.into_iter().chain(large.into_iter().map(plain)) {
            let is_largest = Some(trial.case) == largest;
            for seed in MASK_SEEDS.take(if is_largest { 1 } else { 2 }) {
                if let Some(failure) =
                    self.run_with(bench, &trial, |options| options.active_masks = seed)?
                {
                    return Ok(Err(self.on(self.active_mask(failure.seen), &trial)));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Runs of a kernel that is right, and whose threads may learn of each other otherwise than at a barrier, in which the
    /// lanes of a warp run independently.
    pub(super) fn with_independent_lanes(&self, bench: &Bench, ptx: &str) -> Step<()> {
        if !weak::is_strong(ptx) {
            return Ok(Ok(()));
        }
        let declaration = &self.exercise.declaration;
        for trial in plan::detected(declaration, self.job)?.into_iter().map(plain) {
            let has_few =
                !plan::is_small(declaration, &trial.case) || declaration.is_of_several_devices();
            let seeds = if has_few { LANE_SEEDS_OF_LARGE } else { LANE_SEEDS };
            for seed in seeds {
                if let Some(failure) =
                    self.run_with(bench, &trial, |options| options.independent_lanes = seed)?
                {
                    let failure = Failure { diagnosis: Diagnosis::Lockstep, ..failure };
                    return Ok(Err(self.on(failure.note(INDEPENDENT_LANES), &trial)));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Runs of a kernel that is right, and whose threads may learn of each other otherwise than at a barrier, in which one
    /// block is held back for long: who waits for it must wait for as long as that takes.
    pub(super) fn with_a_block_held_back(&self, bench: &Bench, ptx: &str) -> Step<()> {
        if !weak::is_strong(ptx) {
            return Ok(Ok(()));
        }
        let declaration = &self.exercise.declaration;
        for trial in plan::of_few_blocks(declaration, self.job, bench)?.into_iter().map(plain) {
            for seed in HELD_SEEDS {
                if let Some(failure) =
                    self.run_with(bench, &trial, |options| options.held_back = seed)?
                {
                    let failure = Failure { diagnosis: Diagnosis::GivesUp, ..failure };
                    return Ok(Err(self.on(failure.note(HELD_BACK), &trial)));
                }
            }
        }
        Ok(Ok(()))
    }

    /// A run in the plain order with an option of the simulator changed, and what is wrong with it.
    fn run_with(
        &self,
        bench: &Bench,
        trial: &plan::Trial,
        change: impl FnOnce(&mut Options),
    ) -> Result<Option<Failure>> {
        let simulator = bench.device.simulator().context("only the simulator has options")?;
        let instance = self.exercise.declaration.operation.problem(&trial.case);
        bench.schedule(0, 0)?;
        let session = simulator.session(change)?;
        let ran = bench.run(&instance)?;
        drop(session);
        match ran {
            Err(failure) => Ok(Some(failure)),
            Ok(ran) => self.first_failure(bench, ran, trial),
        }
    }

    /// What is wrong with a kernel that needs more lanes than `__activemask()` promises.
    fn active_mask(&self, seen: String) -> Failure {
        let lines = (1..).zip(self.job.source.lines());
        let lines = lines.filter(|(_, text)| text.contains("__activemask()"));
        let lines = lines.map(|(line, _)| line);
        Failure::new(Diagnosis::ActiveMask, seen).note(ACTIVE_MASK).at(lines)
    }
}
