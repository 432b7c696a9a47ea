//! Describes races between launches that run at the same time, on one device or on two.

use std::collections::BTreeSet;

use simt_report::{Missing, Race, RaceAccess, RaceKind};

use super::{in_words, list, name, race};
use crate::access::AccessSpace;
use crate::facts::{Facts, Relation};
use crate::races::{Event, Fenced, Finding};
use crate::shape::LaunchShape;

/// Describes a race of two launches. Returns `None` if it is of one launch.
pub(super) fn describe_race(
    grid: &LaunchShape<'_>,
    finding: &Finding,
    blocks: [u64; 2],
) -> Option<Race> {
    let Finding::Global { first, second, address, fenced, .. } = finding else {
        return None;
    };
    let neighbours = grid.neighbours()?;
    let relation = neighbours.relation(blocks[0]);
    if relation == Relation::Same {
        return None;
    }
    let (other, own) = (neighbours.group.launch_of(blocks[0])?, &neighbours.own);
    let (a, b) = (access(&other, blocks[0], first), access(own, blocks[1], second));
    let location = (AccessSpace::Global, *address);
    let (missing, cure) = if relation == Relation::OtherDevice {
        let systems = [other.is_of_system_scope(first.pc), own.is_of_system_scope(second.pc)];
        lacking(first, second, *fenced, systems, [other.device, own.device].into())
    } else {
        let cure = "and nothing orders the two launches: an event between their streams is missing, or a \
                    fence and an atomic";
        (Missing::LaunchOrder, cure.into())
    };
    let on = match relation {
        Relation::OtherDevice => devices(&[other.device, own.device].into()),
        _ => format!("two launches on device {}", own.device),
    };
    let message = format!(
        "race of {on}: {}: {}, then {}, {cure}",
        in_words(grid, location),
        whose(&a, &other),
        whose(&b, own)
    );
    let kind = RaceKind::unordered(first.kind(), second.kind());
    Some(race(grid, kind, location, [a, b], missing, message))
}

/// Says what would order two accesses on different devices.
fn lacking(
    first: &Event,
    second: &Event,
    fenced: Fenced,
    systems: [bool; 2],
    on: BTreeSet<u32>,
) -> (Missing, String) {
    let on = devices(&on);
    let narrow =
        |scope: &str| format!("the scope is {scope}, the threads are on {on}: use system scope");
    if first.both_strong(second) && !first.is_asynchronous() && !second.is_asynchronous() {
        let of = |event: &Event| if event.is_of_block_scope() { "cta" } else { "gpu" };
        let cure = match systems {
            [false, true] => format!("where of the first access {}", narrow(of(first))),
            [true, false] => format!("where of the second access {}", narrow(of(second))),
            _ => format!("where of each access {}", narrow(of(first))),
        };
        return (Missing::SystemScope, cure);
    }
    let with = "with a fence and a flag in between, where of";
    let cure = match fenced {
        Fenced::OnDevice => format!("{with} the fence {}: __threadfence_system()", narrow("gpu")),
        Fenced::InBlock => format!("{with} the fence {}: __threadfence_system()", narrow("cta")),
        Fenced::ByFlagOnDevice => format!("{with} the flag {}", narrow("gpu")),
        Fenced::No | Fenced::RaisedByAnother | Fenced::ReadByAnother => {
            "with no __threadfence_system() and atomic of system scope in between".to_owned()
        }
    };
    (Missing::ThreadfenceSystem, cure)
}

/// Names devices.
fn devices(numbers: &BTreeSet<u32>) -> String {
    list("device", "devices", numbers).unwrap_or_default()
}

fn access(facts: &Facts, block: u64, event: &Event) -> RaceAccess {
    RaceAccess {
        line: facts.line(event.pc),
        device: Some(facts.device),
        block: facts.block_index(block),
        warp: event.warp(),
        lane: event.lane(),
        access: event.kind().into(),
    }
}

/// Describes an access by any launch.
fn whose(e: &RaceAccess, facts: &Facts) -> String {
    format!(
        "{} by device {}, kernel `{}`, {}, warp {}, lane {} at {}",
        e.access,
        facts.device,
        facts.kernel(),
        name(e.block),
        e.warp,
        e.lane,
        e.line
    )
}
