//! The races of a run as the lab reports them: with names that the source gives, and with the repair that fits.
//!
//! Where lines are struck out, each is put back alone, and the run is executed again. The races that are then gone are
//! those that the line would have ordered: they come first, and the repair is to put that line back.

use std::sync::Arc;

use figures::race::Words;
use ptx::ir::Module;
use simt_report::{LaunchReport, Missing, Race, Space};

use crate::arrays::Arrays;
use crate::data::{Data, Run};
use crate::remove::{BARRIER, Removable};
use crate::replay::Outcome;

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

/// The races of a run, before it is known which struck lines would order them.
pub(crate) fn reports(
    data: &Data,
    modules: &[Arc<Module>],
    run: &Run,
    outcome: &Outcome,
) -> Vec<Reported> {
    let mut all = Vec::new();
    for (index, launch) in outcome.launches.iter().enumerate() {
        let arrays = Arrays::of_launch(data, modules, run, index, &outcome.moved);
        let races = launch.races.iter().map(|race| {
            let location = match race.space {
                Space::Global => element_at(&arrays, race.address, race.bytes),
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

/// The element of device memory at an address, of `bytes` bytes where the array does not tell.
pub(crate) fn element_at(arrays: &Arrays, address: u64, bytes: u32) -> Option<String> {
    let array = arrays.behind(address)?;
    let element = u64::from(array.element.unwrap_or(bytes));
    (element > 0).then(|| format!("{}[{}]", array.name, (address - array.start) / element))
}

/// The element of a shared array that a race is about.
fn of_shared(data: &Data, race: &Race) -> Option<String> {
    let element = data.element_of(&race.array)?;
    Some(format!("{}[{}]", race.array, race.offset / u64::from(element)))
}
