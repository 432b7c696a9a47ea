//! Which memory instructions of a warp a figure shows.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use harness::simulator::{AccessKind, AccessSpace, Event, Place, TracedAccess};

use super::Part;
use super::arguments::Arguments;
use super::source::{self, Line};

/// Steps that a figure has at most: more are no picture any more.
const MOST: usize = 16;

/// What to look for.
#[derive(Debug)]
pub(super) struct Wanted {
    space: AccessSpace,
    access: AccessKind,
    at: Option<String>,
    nth: Option<Vec<usize>>,
}

/// The lines within an anchor, by file.
type Anchors = HashMap<String, RangeInclusive<usize>>;

/// An instruction that was found.
#[derive(Clone, Copy)]
pub(super) struct Found<'t> {
    pub(super) place: &'t Place,
    pub(super) access: &'t TracedAccess,
}

impl<'t> Found<'t> {
    /// The instruction as a figure draws it.
    pub(super) fn drawn(&self, root: &Path) -> figures::Access<'t> {
        let access = self.access;
        figures::Access {
            lanes: access.lanes,
            addresses: &access.addresses,
            base: access.base,
            bytes: access.bytes,
            cost: access.cost,
            verb: access.access.verb(),
            line: source::quoted(root, &self.place.line),
        }
    }
}

impl Wanted {
    /// Takes the keys `access`, `at` and `nth`.
    pub(super) fn take(arguments: &mut Arguments, space: AccessSpace) -> Result<Self, String> {
        let access = arguments.take("access").unwrap_or_else(|| "load".into());
        let mut kinds = AccessKind::ALL.iter().copied();
        let access = kinds
            .find(|kind| kind.name() == access)
            .ok_or_else(|| format!("access={access}: draw a load, a store or an atomic"))?;
        let nth = arguments.take("nth").map(|text| numbers(&text)).transpose()?;
        Ok(Self { space, access, at: arguments.take("at"), nth })
    }

    /// The instructions of the part's warp that are wanted, in order.
    pub(super) fn find<'t>(
        &self,
        events: &[&'t Event],
        part: &Part,
        root: &Path,
    ) -> Result<Vec<Found<'t>>, String> {
        let mut found = Vec::new();
        let mut anchors = Anchors::new();
        for event in events {
            let Event::Access { place, access } = event else {
                continue;
            };
            let own = place.warp == part.warp;
            if own
                && access.space == self.space
                && access.access == self.access
                && self.is_there(place, root, &mut anchors)?
            {
                found.push(Found { place, access });
            }
        }
        self.choose(found, part)
    }

    fn is_there(&self, place: &Place, root: &Path, anchors: &mut Anchors) -> Result<bool, String> {
        let (Some(anchor), Some(line)) = (&self.at, Line::parse(&place.line)) else {
            return Ok(self.at.is_none());
        };
        if let Some(lines) = anchors.get(&line.file) {
            return Ok(lines.contains(&line.number));
        }
        let lines = source::anchor(root, &line.file, anchor)?;
        let is_there = lines.contains(&line.number);
        anchors.insert(line.file, lines);
        Ok(is_there)
    }

    fn choose<'t>(&self, all: Vec<Found<'t>>, part: &Part) -> Result<Vec<Found<'t>>, String> {
        let what = format!("{}s of {} memory", self.access, self.space);
        if all.is_empty() {
            return Err(format!("warp {} has no {what} there", part.warp));
        }
        let Some(nth) = &self.nth else {
            return match all.len() {
                count if count > MOST => Err(format!(
                    "warp {} has {count} {what} there: choose with nth=, up to {MOST}",
                    part.warp
                )),
                _ => Ok(all),
            };
        };
        let chosen = nth.iter().map(|&number| {
            let found = number.checked_sub(1).and_then(|index| all.get(index));
            let count = all.len();
            found
                .copied()
                .ok_or_else(|| format!("nth={number}: warp {} has {count} {what} there", part.warp))
        });
        chosen.collect()
    }
}

/// `1,3,5-8`.
fn numbers(text: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("nth={text}: write numbers and ranges, such as 1,3,5-8");
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.parse().map_err(|_| wrong())?;
        let last: usize = last.parse().map_err(|_| wrong())?;
        if last.saturating_sub(first) >= MOST {
            return Err(wrong());
        }
        all.extend(first..=last);
    }
    match all.len() {
        0 => Err(wrong()),
        count if count > MOST => Err(format!("nth={text}: {MOST} at most")),
        _ => Ok(all),
    }
}
