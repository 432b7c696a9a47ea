//! Memory that must stay as it is: inputs, what lies between the rows of an output, and what lies behind its results. The
//! simulator stops a kernel that writes it, also one that stores what is there already.

use std::ops::Range;

use super::ready::Memory;
use crate::{
    diagnosis::Diagnosis,
    operation::{Instance, Output},
};

/// An array of a run.
pub struct Stays {
    name: &'static str,
    begin: u64,
    bytes: u64,
    /// Of an output, not of an input.
    output: Option<Parts>,
}

/// The parts of an output, in elements.
struct Parts {
    element_bytes: u64,
    results: u64,
    row_length: u64,
    row_used: u64,
}

impl Parts {
    fn of(output: &Output) -> Self {
        Self {
            element_bytes: output.dtype.size() as u64,
            results: output.expected.len() as u64,
            row_length: output.row_length.unwrap_or(usize::MAX) as u64,
            row_used: output.row_used as u64,
        }
    }
}

/// The arrays of a run.
pub fn of(instance: &Instance, memory: &Memory) -> Vec<Stays> {
    let inputs = instance.inputs.iter().map(|array| Stays {
        name: array.name,
        begin: memory.address(array.name),
        bytes: array.bytes.len() as u64,
        output: None,
    });
    let outputs = instance.outputs.iter().map(|output| Stays {
        name: output.name,
        begin: memory.address(output.name),
        bytes: (output.capacity * output.dtype.size()) as u64,
        output: Some(Parts::of(output)),
    });
    inputs.chain(outputs).collect()
}

impl Stays {
    /// The addresses that no kernel may write.
    pub fn protected(&self) -> Vec<Range<u64>> {
        let end = self.begin + self.bytes;
        let Some(Parts { element_bytes, results, row_length, row_used }) = self.output else {
            return std::iter::once(self.begin..end).collect();
        };
        let at = |element: u64| self.begin + element * element_bytes;
        let row = |first: u64| at(first + row_used)..at((first + row_length).min(results));
        let gaps = match row_used < row_length {
            true => (0..results).step_by(row_length as usize).map(row).collect(),
            false => Vec::new(),
        };
        let mut all: Vec<Range<u64>> = gaps;
        all.push(at(results)..end);
        all.retain(|part| !part.is_empty());
        all
    }

    /// What is wrong with a store to an address, if it is one of this array.
    pub fn objection(&self, address: u64) -> Option<(Diagnosis, String)> {
        let byte = address.checked_sub(self.begin).filter(|byte| *byte < self.bytes)?;
        let name = self.name;
        let Some(Parts { element_bytes, results, .. }) = self.output else {
            let seen = format!("`{name}` is an input, and byte {byte} of it is written");
            return Some((Diagnosis::InputChanged, seen));
        };
        let index = byte / element_bytes;
        Some(match index >= results {
            true => {
                let seen = format!("{name}[{index}] is behind the results, and is written");
                (Diagnosis::BesideOutput, seen)
            }
            false => {
                let seen = format!("{name}[{index}] is in a gap between rows, and is written");
                (Diagnosis::GapWritten, seen)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_what_lies_behind_must_stay() {
        let parts = Parts { element_bytes: 4, results: 10, row_length: 4, row_used: 3 };
        let output = Stays { name: "out", begin: 100, bytes: 48, output: Some(parts) };
        assert_eq!(output.protected(), [112..116, 128..132, 140..148]);
        let said = |address| output.objection(address).map(|(diagnosis, _)| diagnosis);
        assert_eq!(said(113), Some(Diagnosis::GapWritten));
        assert_eq!(said(147), Some(Diagnosis::BesideOutput));
        assert_eq!(said(148), None);
        let input = Stays { name: "in", begin: 100, bytes: 48, output: None };
        assert_eq!(input.protected(), std::slice::from_ref(&(100..148)));
        assert!(input.objection(101).is_some_and(|(_, seen)| seen.contains("byte 1 of it")));
    }
}
