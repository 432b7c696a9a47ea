//! Steps from line to line of the source: over what a reader did not write, and in the order of the lines.
//!
//! A compiler loads parameters, finds addresses and mixes the instructions of neighboring lines. What has an effect, such
//! as a store or a barrier, it keeps in order. So a line step stops at each effect, and between two effects at one
//! instruction per line, for as many lines as can be taken in ascending order.

use std::collections::{BTreeMap, BTreeSet};

use simt_report::{Event, Trace};

use crate::data::File;
use crate::names::ptx::{Code, Instruction};
use crate::names::{Names, is_arithmetic, of_addresses};
use crate::steps::Step;

/// The classes of steps with an effect that is seen, or of a choice, which stand in the order of the source.
const EFFECTS: [&str; 7] = ["store", "atomic", "async_copy", "branch", "barrier", "fence", "warp"];

/// The instructions of a kernel that a reader has written, by their lines in the PTX.
#[derive(Clone, Debug, Default)]
pub struct Written(BTreeSet<u32>);

impl Written {
    /// Tells what was written from what the compiler added, in a kernel of a module. Variables with names were written.
    pub fn of(module: &str, kernel: &str, files: &[File], names: &Names) -> Self {
        let code = Code::of(module, kernel);
        let addresses = of_addresses(&code);
        let named: BTreeSet<&str> =
            names.all().iter().flat_map(|one| &one.registers).map(|name| &name[..]).collect();
        let is_shown = |one: &Instruction<'_>| {
            one.source.is_some_and(|(file, _)| files.iter().any(|known| known.name == file))
        };
        let is_written = |one: &&Instruction<'_>| {
            let has_name = one.written.iter().any(|register| named.contains(register));
            let is_added = match one.root() {
                _ if one.opcode.starts_with("ld.param") => true,
                "mov" | "cvt" | "cvta" => !has_name,
                "bra" => !one.is_guarded,
                "ret" | "exit" => true,
                _ if is_arithmetic(one) => !has_name && addresses.contains(&one.ptx_line),
                _ => false,
            };
            is_shown(one) && one.source != code.head && !is_added
        };
        Self(code.instructions.iter().filter(is_written).map(|one| one.ptx_line).collect())
    }
}

/// Marks the steps at which a step by lines stops.
pub(crate) fn mark(steps: &mut [Step], trace: &Trace, written: &Written) {
    let mut warps: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        let Some(warp) = step.warp else { continue };
        if is_written(trace, step.event, written) {
            warps.entry(warp).or_default().push(index);
        }
    }
    for of_warp in warps.values() {
        for stop in stops(steps, of_warp) {
            steps[stop].is_stop = true;
        }
    }
}

fn is_written(trace: &Trace, event: usize, written: &Written) -> bool {
    let index = trace.executed.binary_search_by_key(&(event as u64), |executed| executed.event);
    let line = index.ok().map(|index| trace.executed[index].ptx_line);
    let is_instruction = matches!(trace.events.get(event), Some(Event::Instruction { .. }));
    is_instruction && line.is_some_and(|line| written.0.contains(&line))
}

/// The stops among a warp's steps: of neighbors on one line the last.
fn stops(steps: &[Step], of_warp: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut between = Vec::new();
    for &index in of_warp {
        if EFFECTS.contains(&&steps[index].class[..]) {
            all.extend(ascending(steps, &between));
            between.clear();
            all.push(index);
        } else {
            between.push(index);
        }
    }
    all.extend(ascending(steps, &between));
    last_of_lines(steps, all)
}

fn last_of_lines(steps: &[Step], all: Vec<usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::with_capacity(all.len());
    for index in all {
        if kept.last().is_some_and(|&last| steps[last].line == steps[index].line) {
            kept.pop();
        }
        kept.push(index);
    }
    kept
}

/// The longest increasing subsequence of the steps by their lines, file by file; of several such the one with the later
/// steps.
fn ascending(steps: &[Step], between: &[usize]) -> Vec<usize> {
    let mut files: BTreeMap<&str, Vec<(u32, usize)>> = BTreeMap::new();
    for index in last_of_lines(steps, between.to_vec()) {
        let Some((file, line)) = steps[index].line.rsplit_once(':') else { continue };
        let Ok(line) = line.parse() else { continue };
        files.entry(file).or_default().push((line, index));
    }
    let mut all: Vec<usize> = files.values().flat_map(|of_file| longest(of_file)).collect();
    all.sort_unstable();
    all
}

/// The indices of the longest increasing subsequence of the lines.
fn longest(all: &[(u32, usize)]) -> Vec<usize> {
    // For each entry the length of the longest subsequence that ends there, and the entry before it in that one.
    let mut ending: Vec<(usize, Option<usize>)> = Vec::with_capacity(all.len());
    for (at, &(line, _)) in all.iter().enumerate() {
        let before = (0..at).filter(|&before| all[before].0 < line);
        let best = before.max_by_key(|&before| (ending[before].0, before));
        ending.push((best.map_or(0, |best| ending[best].0) + 1, best));
    }
    let mut next = (0..all.len()).max_by_key(|&at| (ending[at].0, at));
    let mut found = Vec::new();
    while let Some(at) = next {
        found.push(all[at].1);
        next = ending[at].1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the stops among steps of these classes and lines.
    fn lines(steps: &[(&str, u32)]) -> Vec<u32> {
        let step = |(event, (class, line)): (usize, &(&str, u32))| {
            let (class, line) = ((*class).to_owned(), format!("k.cu:{line}"));
            Step { event, warp: Some(0), line, class, active: 1, is_stop: false }
        };
        let steps: Vec<Step> = steps.iter().enumerate().map(step).collect();
        let all: Vec<usize> = (0..steps.len()).collect();
        let line = |index: usize| steps[index].line[5..].parse().expect("a number");
        stops(&steps, &all).into_iter().map(line).collect()
    }

    #[test]
    fn lines_come_in_order() {
        let mixed = [
            ("arithmetic", 6),
            ("arithmetic", 8),
            ("arithmetic", 9),
            ("arithmetic", 8),
            ("load", 10),
            ("arithmetic", 8),
            ("load", 10),
        ];
        assert_eq!(lines(&mixed), [6, 8, 9, 10]);
        assert_eq!(lines(&[("load", 9), ("arithmetic", 8), ("store", 9), ("load", 9)]), [8, 9]);
        assert_eq!(lines(&[]), [0; 0]);
    }

    #[test]
    fn a_loop_goes_back() {
        let round = [("branch", 22), ("load", 23), ("store", 23), ("barrier", 25), ("branch", 21)];
        assert_eq!(lines(&[round, round].concat()), [22, 23, 25, 21, 22, 23, 25, 21]);
    }
}
