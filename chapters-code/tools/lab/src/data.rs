//! What the book keeps of a kernel for its lab: the PTX, the sources that the PTX names, and the recorded runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use simt_report::{Bytes, Counters, RecordedAllocation, RecordedOperation, Recording};

use crate::content::{Content, Expected};
use crate::source::Parameter;

/// A kernel with its runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// The rung's name.
    pub kernel: String,
    /// Whether the kernel is wrong on purpose.
    pub is_broken: bool,
    /// The sources, the kernel's own file first.
    pub files: Vec<File>,
    /// The PTX of the launched kernels, a text per module.
    pub modules: Vec<String>,
    /// For each module the parameters of its kernels, where the source leaves no doubt.
    #[serde(default)]
    pub parameters: Vec<BTreeMap<String, Vec<Parameter>>>,
    /// The bytes of an element of each shared array with one extent, where the source leaves no doubt.
    #[serde(default)]
    pub arrays: BTreeMap<String, u32>,
    /// Whether a reader has edited the kernel: names of parameters and arrays are then not certain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_edited: bool,
    /// What can be chosen besides the size.
    pub choices: Vec<Choice>,
    /// A right kernel, and those that are made of it and are wrong on purpose; this kernel is one of them. Empty for a
    /// kernel that is alone.
    pub family: Vec<Relative>,
    /// The recorded runs, from small to large.
    pub runs: Vec<Run>,
}

/// A kernel of a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relative {
    /// The kernel's name.
    pub kernel: String,
    /// What is wrong with the kernel, or the idea of a right one.
    pub idea: String,
}

/// Something that can be chosen at one size: an option of the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The option's name, such as `stride`.
    pub name: String,
    /// The usual value.
    pub usual: String,
    /// Other values, for each of which there is a run.
    pub values: Vec<String>,
    /// Values that the kernel refuses.
    pub refused: Vec<Refused>,
}

/// A value that a kernel refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The value.
    pub value: String,
    /// Why the kernel refuses it.
    pub reason: String,
}

/// What a run has that is not usual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// [`Choice::name`].
    pub name: String,
    /// One of [`Choice::values`].
    pub value: String,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// The path from the project's root, as reports name it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A recorded run: memory, operations, and what the simulator counted when the book was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The size as a reader chooses it, such as `1,024`.
    pub size: String,
    /// What is not usual.
    pub chosen: Option<Chosen>,
    /// The number of elements.
    pub elements: u64,
    /// What ran on what, in words.
    pub title: String,
    /// The type in which values are shown, such as `f32`.
    pub dtype: String,
    /// The operator, such as `sum`.
    pub op: String,
    /// What the inputs were drawn from.
    pub seed: u64,
    /// The memory before the first operation that names it.
    pub allocations: Vec<Allocation>,
    /// The operations in order.
    pub operations: Vec<Operation>,
    /// The counters of all launches together.
    pub counters: Counters,
}

/// An allocation of device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// The address on the device that was recorded.
    pub address: u64,
    /// The number of the device, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// The content.
    pub content: Content,
}

/// An operation. What the host reads has what a correct kernel leaves there; none if that is not known.
pub type Operation = simt_report::Operation<Content, Option<Expected>>;

/// What a [`Run`] is called, and what its values are.
#[derive(Clone, Debug)]
pub struct Label {
    /// See [`Run::size`].
    pub size: String,
    /// See [`Run::chosen`].
    pub chosen: Option<Chosen>,
    /// See [`Run::elements`].
    pub elements: u64,
    /// See [`Run::title`].
    pub title: String,
    /// See [`Run::dtype`].
    pub dtype: String,
    /// See [`Run::op`].
    pub op: String,
    /// See [`Run::seed`].
    pub seed: u64,
}

impl Data {
    /// Adds a recorded run. `right` is what the host reads after a correct kernel, where the recorded one is wrong.
    pub fn add(
        &mut self,
        label: Label,
        recording: &Recording,
        right: &[RecordedOperation],
        counters: Counters,
    ) {
        let Label { size, chosen, elements, title, dtype, op, seed } = label;
        let modules: Vec<usize> =
            recording.modules.iter().map(|text| self.module(text, recording)).collect();
        let allocations = recording.allocations.iter().map(|allocation| {
            let RecordedAllocation { address, device, ref content } = *allocation;
            let content = match is_overwritten(recording, address, content.0.len()) {
                true => Content::Fill { byte: 0, bytes: content.0.len() },
                false => Content::of_device(&content.0, seed, device),
            };
            Allocation { address, device, content }
        });
        let encode = Encode { is_broken: self.is_broken, recording, right, modules, seed };
        let operations = recording.operations.iter().map(|operation| encode.operation(operation));
        self.runs.push(Run {
            size,
            chosen,
            elements,
            title,
            dtype,
            op,
            seed,
            allocations: allocations.collect(),
            operations: operations.collect(),
            counters,
        });
    }

    /// The parameters of a kernel of a module; none if they are not known for certain.
    pub fn parameters_of(&self, module: usize, kernel: &str) -> Option<&[Parameter]> {
        let known = self.parameters.get(module).filter(|_| !self.is_edited)?;
        known.get(kernel).map(Vec::as_slice)
    }

    /// The bytes of an element of a shared array with one extent; none if they are not known for certain.
    pub fn element_of(&self, array: &str) -> Option<u32> {
        self.arrays.get(array).copied().filter(|_| !self.is_edited)
    }

    /// The index of a module, cut down to the kernels that the recording launches.
    fn module(&mut self, text: &str, recording: &Recording) -> usize {
        let launched = |entry: &str| {
            let is_it = |operation: &RecordedOperation| matches!(operation, RecordedOperation::Launch { kernel, .. } if kernel == entry);
            recording.operations.iter().any(is_it)
        };
        let text = only_entries(text, launched);
        let known = self.modules.iter().position(|known| *known == text);
        known.unwrap_or_else(|| {
            self.modules.push(text);
            self.modules.len() - 1
        })
    }
}

/// Events of a run that can be stepped through, at most, about. An event takes up to 1 KB in the page, where 150,000 took
/// 110 MB; the view of a step then takes 0.06 s on a processor, and the run 0.3 s.
pub const MOST_EVENTS: u64 = simt::MOST_EVENTS;

impl Run {
    /// The events of a trace, about: instructions, accesses and barriers. (Shuffles have an event more.)
    pub fn events(&self) -> u64 {
        let counters = &self.counters;
        let accesses = [
            counters.global_load_requests,
            counters.global_store_requests,
            counters.global_atomic_requests,
            counters.shared_load_requests,
            counters.shared_store_requests,
            counters.dshared_requests,
        ];
        counters.warp_instructions + counters.barriers + accesses.iter().sum::<u64>()
    }

    /// Whether the run can be stepped through.
    pub fn can_step(&self) -> bool {
        self.events() <= MOST_EVENTS
    }

    /// The blocks of the kernel that has most: of its largest launch on each device, added up.
    pub fn blocks(&self) -> u64 {
        let mut largest: BTreeMap<&str, BTreeMap<Option<u32>, u64>> = BTreeMap::new();
        for operation in &self.operations {
            if let Operation::Launch { kernel, grid, device, .. } = operation {
                let on_device = largest.entry(kernel).or_default().entry(*device).or_default();
                *on_device = (*on_device).max(grid.iter().map(|&n| u64::from(n)).product());
            }
        }
        largest.values().map(|devices| devices.values().sum()).max().unwrap_or_default()
    }

    /// The bytes of memory that the run takes in a file.
    pub fn weight(&self) -> usize {
        let memory = self.allocations.iter().map(|allocation| allocation.content.weight());
        let operations = self.operations.iter().map(|operation| match operation {
            Operation::Write { content, .. } => content.weight(),
            Operation::Read { content, .. } => content.as_ref().map_or(0, Expected::weight),
            Operation::Launch { .. } | Operation::Copy { .. } | Operation::Fill { .. } => 0,
        });
        memory.chain(operations).sum()
    }

    /// Whether launches of several devices run at the same time.
    pub fn is_of_several_devices(&self) -> bool {
        self.allocations.iter().any(|allocation| allocation.device.is_some())
    }

    /// Whether an input is of digits, which can be drawn anew.
    pub fn has_digits(&self) -> bool {
        let mut contents = self.allocations.iter().map(|allocation| &allocation.content);
        contents.any(|content| matches!(content, Content::Digits { .. }))
    }
}

struct Encode<'a> {
    is_broken: bool,
    recording: &'a Recording,
    right: &'a [RecordedOperation],
    /// The new index of each module.
    modules: Vec<usize>,
    seed: u64,
}

impl Encode<'_> {
    fn operation(&self, operation: &RecordedOperation) -> Operation {
        let mut operation = operation.map(
            |content| Content::of(&content.0, self.seed),
            |address, content| self.expected(address, content),
        );
        if let Operation::Launch { module, .. } = &mut operation {
            *module = self.modules[*module];
        }
        operation
    }

    fn expected(&self, address: u64, content: &Bytes) -> Option<Expected> {
        let content = match self.is_broken {
            false => Some(content),
            true => self.right.iter().find_map(|operation| match operation {
                RecordedOperation::Read { address: at, content: right } => {
                    (*at == address && right.0.len() == content.0.len()).then_some(right)
                }
                _ => None,
            }),
        };
        let mut allocations = self.recording.allocations.iter().filter(|allocation| {
            !is_overwritten(self.recording, allocation.address, allocation.content.0.len())
        });
        let before = allocations.find(|allocation| allocation.address == address);
        let before = before.map(|allocation| &*allocation.content.0);
        content.map(|content| Expected::of(&content.0, before, self.seed))
    }
}

/// Whether a whole allocation is written before anything reads it.
fn is_overwritten(recording: &Recording, address: u64, bytes: usize) -> bool {
    let mut written = recording.operations.iter().map_while(|operation| match operation {
        RecordedOperation::Fill { address, pattern, count } => {
            Some((*address, pattern.0.len() as u64 * count))
        }
        RecordedOperation::Write { address, content } => Some((*address, content.0.len() as u64)),
        _ => None,
    });
    written.any(|(start, length)| start <= address && address + bytes as u64 <= start + length)
}

/// PTX with those of its entry functions that `wanted` names, and all that is not an entry function.
pub fn only_entries(text: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut skipping = false;
    for line in text.lines() {
        let entry = line.split_once(".entry ").map(|(_, rest)| rest);
        if let Some(rest) = entry {
            let name = rest.split(['(', ' ']).next().unwrap_or_default();
            skipping = !wanted(name);
        }
        if !skipping {
            kept.push_str(line);
            kept.push('\n');
        }
        // The brace that ends a function stands alone.
        if line.trim_end() == "}" {
            skipping = false;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_entries_are_cut_away() {
        let text = ".version 8.0\n.visible .entry a(\n)\n{\n\t{\n\t}\n\tret;\n}\n.func f()\n{\n}\n.visible .entry b(\n)\n{\n\tret;\n}\nend\n";
        let kept = ".version 8.0\n.func f()\n{\n}\n.visible .entry b(\n)\n{\n\tret;\n}\nend\n";
        assert_eq!(only_entries(text, |name| name == "b"), kept);
        assert_eq!(only_entries(text, |_| true), text);
    }
}
