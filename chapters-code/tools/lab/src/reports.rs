//! The races of a run as the lab reports them: with names that the source gives, and with the repair that fits.
//!
//! Where lines are struck out, each is put back alone, and the run is executed again. The races that are then gone are
//! those that the line would have ordered: they come first, and the repair is to put that line back.

use std::ops::Range;
use std::sync::Arc;

use figures::race::Words;
use ptx::ir::Module;
use simt_report::{LaunchReport, Missing, Race, Space};

use crate::data::{Data, Operation, Run};
use crate::remove::Removable;
use crate::replay::Outcome;
use crate::source::{self, Parameter};

/// Struck lines that are put back one by one, at most. Of more it is only known that together they order a race.
pub(crate) const MOST_PUT_BACK: usize = 8;

/// A race, and what the lab knows of it beyond what the simulator reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The race.
    pub race: Race,
    /// The location as the source names it, such as `out[9]`; none if no name is certain.
    pub location: Option<String>,
    /// The struck line that would order the two accesses, and what is struck there.
    pub struck: Option<Removable>,
}

impl Reported {
    /// What the report says in place of what the race itself says. `quote` gives a line of source as code.
    pub fn words(&self, quote: &dyn Fn(&str) -> String) -> Words {
        let gap = self.struck.as_ref().map(|Removable { line, what }| {
            format!("Nothing orders the two, because the {what} is struck out: {}.", quote(line))
        });
        Words { location: self.location.as_ref().map(|name| format!("`{name}`")), gap }
    }

    /// The whole report, with the names of the source.
    pub fn message(&self) -> String {
        let Race { array, offset, space, message, .. } = &self.race;
        let mut message = message.clone();
        if let Some(name) = &self.location {
            let array = match space {
                Space::Shared => format!("shared array `{array}`"),
                _ => array.clone(),
            };
            message = message.replace(&format!("byte {offset} of {array}"), &format!("`{name}`"));
        }
        if self.struck.as_ref().is_some_and(|struck| struck.what == BARRIER) {
            let [narrow, wide] =
                [Missing::Syncwarp, Missing::Syncthreads].map(|missing| format!("no {missing}()"));
            message = message.replace(&narrow, &wide);
        }
        message
    }

    /// Whether it is the same race as another one: at the same lines.
    fn is(&self, other: &Race) -> bool {
        let lines = |race: &Race| [race.first.line.clone(), race.second.line.clone()];
        self.race.kind == other.kind && lines(&self.race) == lines(other)
    }
}

/// What [`Removable::what`] says of `__syncthreads()`.
const BARRIER: &str = "barrier of the block";

/// The races of a run, before it is known which struck lines would order them.
pub(crate) fn reports(
    data: &Data,
    modules: &[Arc<Module>],
    run: &Run,
    outcome: &Outcome,
) -> Vec<Reported> {
    let launches = run.operations.iter().filter_map(|operation| match operation {
        Operation::Launch { module, parameters, .. } => Some((*module, &parameters.0[..])),
        _ => None,
    });
    let launches: Vec<(usize, &[u8])> = launches.collect();
    let mut all = Vec::new();
    for (index, launch) in outcome.launches.iter().enumerate() {
        let names = launches.get(index).and_then(|&(module, parameters)| {
            let kernel = modules.get(module)?.kernels.iter().find(|it| it.name == launch.kernel)?;
            let declared = data.parameters_of(module, &launch.kernel)?;
            let offsets = kernel.params.iter().map(|param| param.offset as usize).collect();
            Some(Names { declared, offsets, parameters, moved: &outcome.moved })
        });
        let races = launch.races.iter().map(|race| {
            let location = match race.space {
                Space::Global => names.as_ref().and_then(|names| names.of(race)),
                Space::Shared => of_shared(data, race),
                Space::Local | Space::Warp | Space::Block => None,
            };
            Reported { race: race.clone(), location, struck: None }
        });
        all.extend(races);
    }
    all
}

/// Notes the struck line at the races that are gone when it is put back.
pub(crate) fn note_struck(all: &mut [Reported], struck: &Removable, put_back: &[LaunchReport]) {
    for reported in all.iter_mut().filter(|reported| reported.struck.is_none()) {
        let mut others = put_back.iter().flat_map(|launch| &launch.races);
        if !others.any(|other| reported.is(other)) {
            reported.struck = Some(struck.clone());
        }
    }
}

/// Puts the races that struck lines would order first, and of these the ones between warps.
pub(crate) fn sort(all: &mut [Reported]) {
    all.sort_by_key(|reported| match (&reported.struck, reported.race.missing) {
        (None, _) => 2,
        (Some(struck), Missing::Syncwarp) if struck.what == BARRIER => 1,
        (Some(_), _) => 0,
    });
}

/// The parameters of a launch.
struct Names<'a> {
    declared: &'a [Parameter],
    offsets: Vec<usize>,
    parameters: &'a [u8],
    /// For each allocation of the recorded devices, its range there and its address here.
    moved: &'a [(Range<u64>, u64)],
}

impl Names<'_> {
    /// The element of device memory that a race is about, by the pointer behind which it lies.
    fn of(&self, race: &Race) -> Option<String> {
        let address = race.address;
        let inside = |(range, here): &&(Range<u64>, u64)| {
            address >= *here && address - here < range.end - range.start
        };
        let (range, here) = self.moved.iter().find(inside)?;
        let address = range.start + (address - here);
        let pointers = self
            .declared
            .iter()
            .zip(&self.offsets)
            .filter(|(one, _)| one.is_pointer() && !one.name.is_empty());
        let pointers = pointers.filter_map(|(parameter, &offset)| {
            let bytes = self.parameters.get(offset..offset + 8)?;
            Some((u64::from_le_bytes(bytes.try_into().ok()?), parameter))
        });
        let behind = pointers.filter(|(to, _)| range.contains(to) && *to <= address);
        // Of two pointers to one array the one is named through which the kernel may write.
        let (to, parameter) = behind.max_by_key(|(to, one)| (*to, !one.is_read_only()))?;
        let element = source::size_of(&parameter.declared).unwrap_or(race.bytes);
        let element = (element > 0).then_some(u64::from(element))?;
        Some(format!("{}[{}]", parameter.name, (address - to) / element))
    }
}

/// The element of a shared array that a race is about.
fn of_shared(data: &Data, race: &Race) -> Option<String> {
    let element = data.element_of(&race.array)?;
    Some(format!("{}[{}]", race.array, race.offset / u64::from(element)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_named_by_the_last_pointer_before_it() {
        let pointer =
            |name: &str, declared: &str| Parameter { name: name.into(), declared: declared.into() };
        let declared =
            vec![pointer("in", "const float*"), pointer("out", "float*"), pointer("n", "size_t")];
        let parameters: Vec<u8> =
            [0x1000u64, 0x1100, 0x1200].iter().flat_map(|word| word.to_le_bytes()).collect();
        let moved = [(0x1000..0x1800, 0x7000)];
        let names = Names {
            declared: &declared,
            offsets: vec![0, 8, 16],
            parameters: &parameters,
            moved: &moved,
        };
        let race = |address| {
            let side = simt_report::RaceAccess {
                line: "k.cu:1".into(),
                device: None,
                block: [0; 3],
                warp: 0,
                lane: 0,
                access: simt_report::Action::Read,
            };
            Race {
                kind: simt_report::RaceKind::ReadWrite,
                space: Space::Global,
                array: "the allocation".into(),
                offset: 0,
                address,
                bytes: 4,
                first: side.clone(),
                second: side,
                missing: Missing::Threadfence,
                is_update: false,
                message: String::new(),
            }
        };
        for (address, expected) in [
            (0x7000, Some("in[0]")),
            (0x7024, Some("in[9]")),
            (0x7100, Some("out[0]")),
            (0x7300, Some("out[128]")),
            (0x7800, None),
            (0x1000, None),
        ] {
            assert_eq!(names.of(&race(address)).as_deref(), expected, "{address:#x}");
        }
    }
}
