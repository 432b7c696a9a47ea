//! What stopped a launch, in words.

use anyhow::Result;
use cudarc::driver::sys::CUresult;
use harness::{
    Error,
    simulator::{Fault, FaultDetail, FaultKind, RaceKind, Space},
};

use super::{Failure, bench::Bench, judge};
use crate::diagnosis::Diagnosis;

impl Bench {
    /// What stopped a launch.
    pub(super) fn stopped(&self, doing: &str, error: impl Into<Error>) -> Result<Failure> {
        let error: Error = error.into();
        let report = self.device.take_report()?;
        let Some(fault) = report.fault() else {
            return Ok(Failure::new(refused(&error), format!("{doing}: {error}")));
        };
        // Who reads too early may compute an address from it.
        let is_address = [FaultKind::IllegalAddress, FaultKind::MisalignedAddress];
        let is_wild = is_address.contains(&fault.kind) && fault.space == Some(Space::Global);
        let early = judge::gravest(&report);
        let early = early.filter(|race| race.kind != RaceKind::UninitialisedRead);
        // A thread that uses a stage too early may then wait for ever, or arrive once too often.
        let of_a_copy = report.races().find(|race| is_of_a_copy(race.kind));
        if let Some(race) = early.filter(|_| is_wild).or(of_a_copy) {
            let failure =
                Failure::new(judge::race(race, &self.declaration.operation), race.message.clone());
            return Ok(failure.note(format!("after that: {}", fault.message)));
        }
        if let Some(failure) = self.written_though_protected(fault) {
            return Ok(failure);
        }
        let diagnosis = match fault.kind {
            _ if fault.detail == Some(FaultDetail::LaneNotNamed) => Diagnosis::LaneMask,
            _ if fault.detail == Some(FaultDetail::Mbarrier) => Diagnosis::Mbarrier,
            FaultKind::IllegalAddress | FaultKind::ClusterAddress => Diagnosis::OutOfBounds,
            FaultKind::MisalignedAddress => Diagnosis::Misaligned,
            FaultKind::Trap | FaultKind::Assert => Diagnosis::Trap,
            FaultKind::Deadlock => Diagnosis::Deadlock,
            FaultKind::InstructionLimit => Diagnosis::Endless,
            FaultKind::OutOfResources | FaultKind::InvalidLaunch | FaultKind::InvalidCluster => {
                Diagnosis::Resources
            }
            FaultKind::IllegalInstruction | FaultKind::Overflow | FaultKind::Unsupported => {
                Diagnosis::Fault
            }
        };
        let mut failure = Failure::new(diagnosis, fault.message.clone());
        failure.hint = hint(diagnosis, fault.space, fault.detail).map(str::to_owned);
        let Some(FaultDetail::Outside { address, base, bytes }) = fault.detail else {
            return Ok(failure);
        };
        if let Some(empty) = self.empty.borrow().iter().find(|empty| empty.address == base) {
            failure.hint = Some(NOTHING.to_owned());
            return Ok(failure
                .note(format!("`{}` has no elements; the byte gives it an address", empty.name)));
        }
        Ok(match address.saturating_sub(base + bytes) {
            FAR.. => failure.note(
                "so far behind an array an index is mostly a number below 0, taken as unsigned",
            ),
            _ => failure,
        })
    }
}

impl Bench {
    /// What is wrong with a store to memory that must stay as it is, if a fault is one.
    fn written_though_protected(&self, fault: &Fault) -> Option<Failure> {
        let Some(FaultDetail::WriteProtected(address)) = fault.detail else {
            return None;
        };
        let arrays = self.protected.borrow();
        let (diagnosis, seen) = arrays.iter().find_map(|array| array.objection(address))?;
        Some(Failure::new(diagnosis, seen).note(fault.message.clone()).note(
            "whatever is stored there, also if it is what was there before: others would see it meanwhile",
        ))
    }
}

/// A hint that the memory, or what else is known of a fault, calls for.
fn hint(
    diagnosis: Diagnosis,
    space: Option<Space>,
    detail: Option<FaultDetail>,
) -> Option<&'static str> {
    Some(match (diagnosis, detail) {
        (Diagnosis::OutOfBounds, _) if space == Some(Space::Shared) => {
            "how many elements has that __shared__ array, and what is the largest index of it that a thread uses?"
        }
        (Diagnosis::OutOfBounds, Some(FaultDetail::Outside { address, base, .. }))
            if address < base =>
        {
            "an index is below 0 there: what is the smallest one, for the first thread of the first block?"
        }
        (Diagnosis::OutOfBounds, Some(FaultDetail::Outside { address, base, bytes }))
            if address >= base + bytes =>
        {
            "what is the largest index there, for the last thread of the last block? Compare it with the array's length"
        }
        (Diagnosis::Resources, Some(FaultDetail::LaunchBounds)) => {
            "__launch_bounds__ promises that blocks have no more threads; the kernel is launched with as many as the task says"
        }
        (Diagnosis::Resources, Some(FaultDetail::LocalMemory)) => {
            "arrays of a thread's own lie in local memory: let the threads of a block share one, or make it smaller"
        }
        (Diagnosis::Resources, _) => {
            "48 KiB of __shared__ arrays is what a block gets without asking"
        }
        _ => return None,
    })
}

/// The hint where an array has no elements.
const NOTHING: &str = "for this size there is nothing to load: what is the result of no elements?";

/// Whether nothing orders a bulk copy and what others do with its memory.
fn is_of_a_copy(kind: RaceKind) -> bool {
    matches!(kind, RaceKind::PendingCopy | RaceKind::EarlyCopy | RaceKind::MissingProxyFence)
}

/// Bytes behind an array that no array of an exercise reaches.
const FAR: u64 = 1 << 31;

/// What is wrong, from the driver's error alone.
fn refused(error: &Error) -> Diagnosis {
    let Error::Driver { error, .. } = error else {
        return Diagnosis::Fault;
    };
    match error.0.0 {
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES | CUresult::CUDA_ERROR_INVALID_VALUE => {
            Diagnosis::Resources
        }
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => Diagnosis::OutOfBounds,
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => Diagnosis::Misaligned,
        _ => Diagnosis::Fault,
    }
}
