//! What stopped a launch, in words.

use anyhow::Result;
use cudarc::driver::sys::CUresult;
use harness::{
    Error,
    simulator::{Fault, FaultDetail, FaultKind, RaceKind, Space},
};

use super::{Failure, bench::Bench, judge, ready::Named};
use crate::diagnosis::Diagnosis;

impl Bench {
    /// A message of the simulator with the names of buffers in place of their addresses: `the
    /// allocation of 256 bytes at 0x1000` is `partials` (256 bytes).
    pub fn by_name(&self, message: &str) -> String {
        let mut message = message.to_owned();
        for Named { name, address, is_empty } in
            self.named.borrow().iter().chain(self.variables.borrow().iter())
        {
            let at = format!(" bytes at {address:#x}");
            let Some(end) = message.find(&at) else {
                continue;
            };
            let begin = message[..end].rfind("the allocation of ");
            let follows = message[end + at.len()..].chars().next();
            if let (Some(begin), false) = (begin, follows.is_some_and(|c| c.is_ascii_hexdigit())) {
                let bytes = message[begin + "the allocation of ".len()..end].to_owned();
                let sentence = message[..begin].rfind(": it ").filter(|_| *is_empty);
                match sentence {
                    Some(at) => message.replace_range(at.., &format!(": `{name}` has no elements")),
                    None => {
                        let plural = if bytes == "1" { "byte" } else { "bytes" };
                        let named = format!("`{name}` ({bytes} {plural})");
                        message.replace_range(begin..end + at.len(), &named);
                    }
                }
            }
        }
        message
    }

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
            let failure = Failure::new(
                judge::race(race, &self.declaration.operation),
                self.by_name(&race.message),
            );
            let fault = self.by_name(&fault.message);
            return Ok(failure.note(format!("after that: {fault}")));
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
        let mut failure = Failure::new(diagnosis, self.by_name(&fault.message));
        failure.hint = hint(diagnosis, fault.space, &failure.seen).map(str::to_owned);
        Ok(match fault.detail {
            Some(FaultDetail::PastTheEnd(FAR..)) => failure.note(
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
        Some(Failure::new(diagnosis, seen).note(self.by_name(&fault.message)).note(
            "whatever is stored there, also if it is what was there before: others would see it meanwhile",
        ))
    }
}

/// A hint that the memory or the message calls for.
fn hint(diagnosis: Diagnosis, space: Option<Space>, seen: &str) -> Option<&'static str> {
    let says = |text: &str| seen.contains(text);
    Some(match diagnosis {
        _ if seen.ends_with("has no elements") => {
            "for this size there is nothing to load: what is the result of no elements?"
        }
        Diagnosis::OutOfBounds if space == Some(Space::Shared) => {
            "how many elements has that __shared__ array, and what is the largest index of it that a thread uses?"
        }
        Diagnosis::OutOfBounds if says(" before ") => {
            "an index is below 0 there: what is the smallest one, for the first thread of the first block?"
        }
        Diagnosis::OutOfBounds if says(" past the end of ") => {
            "what is the largest index there, for the last thread of the last block? Compare it with the array's length"
        }
        Diagnosis::Resources if says("compiled for at most") => {
            "__launch_bounds__ promises that blocks have no more threads; the kernel is launched with as many as the task says"
        }
        Diagnosis::Resources if says("local memory") => {
            "arrays of a thread's own lie in local memory: let the threads of a block share one, or make it smaller"
        }
        Diagnosis::Resources => "48 KiB of __shared__ arrays is what a block gets without asking",
        _ => return None,
    })
}

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
