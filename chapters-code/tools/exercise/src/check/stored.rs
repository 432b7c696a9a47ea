//! Stores to what must stay as it is, in a run that was traced: also those of what was there before, which
//! nothing shows afterwards.

use harness::simulator::{AccessKind, AccessSpace, Event};

use super::{Failure, Place, bench::Ran, place};
use crate::{
    diagnosis::Diagnosis,
    operation::{Instance, Output},
};

/// A part of memory, and what it means if a byte of it is written.
struct Kept<'i> {
    begin: u64,
    bytes: u64,
    /// The output that it is, with the size of an element; none of an input.
    output: Option<&'i Output>,
    name: &'static str,
}

impl Kept<'_> {
    /// What is wrong with a store to a byte of it, if anything is.
    fn objection(&self, byte: u64) -> Option<(Diagnosis, String)> {
        let name = self.name;
        let Some(output) = self.output else {
            let seen = format!("`{name}` is an input, and byte {byte} of it is written");
            return Some((Diagnosis::InputChanged, seen));
        };
        let index = (byte / output.dtype.size() as u64) as usize;
        let in_a_gap = output.row_length.is_some_and(|length| index % length >= output.row_used);
        match (index >= output.expected.len(), in_a_gap) {
            (true, _) => {
                let seen = format!("{name}[{index}] is behind the results, and is written");
                Some((Diagnosis::BesideOutput, seen))
            }
            (_, true) => {
                let seen = format!("{name}[{index}] is in a gap between rows, and is written");
                Some((Diagnosis::GapWritten, seen))
            }
            _ => None,
        }
    }
}

/// The first store to memory that must stay as it is.
pub fn objection(ran: &Ran, instance: &Instance, name: &str) -> Option<Failure> {
    let inputs = instance.inputs.iter().zip(&ran.inputs).map(|(array, &begin)| Kept {
        begin,
        bytes: array.bytes.len() as u64,
        output: None,
        name: array.name,
    });
    let outputs = instance.outputs.iter().zip(&ran.addresses).map(|(output, &begin)| Kept {
        begin,
        bytes: (output.capacity * output.dtype.size()) as u64,
        output: Some(output),
        name: output.name,
    });
    let kept: Vec<Kept> = inputs.chain(outputs).collect();
    for event in ran.report.traces().flat_map(|trace| &trace.events) {
        let Event::Access { place, access } = event else {
            continue;
        };
        if access.space != AccessSpace::Global || access.access == AccessKind::Load {
            continue;
        }
        for &address in &access.addresses {
            let end = address + u64::from(access.bytes);
            let mut hit = kept.iter().filter(|of| address < of.begin + of.bytes && end > of.begin);
            let found = hit.find_map(|of| of.objection(end - 1 - of.begin));
            if let Some((diagnosis, seen)) = found {
                let who =
                    format!("{} by block {}, warp {}", access.access, place.block, place.warp);
                let line = place::line(&place.line, name);
                let mut failure = Failure::new(diagnosis, seen)
                    .note("what is stored there is what was there before, or is put back later: others would see it meanwhile");
                failure.places.extend(line.map(|line| Place { line, who }));
                return Some(failure);
            }
        }
    }
    None
}
