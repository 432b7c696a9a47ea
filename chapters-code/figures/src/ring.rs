//! A ring of stages that warps hand to each other by mbarriers: what each stage holds, who has arrived and who waits,
//! at the moments at which a copy starts or a phase is complete; and the same over time, a row per stage and per role.
//!
//! Which mbarriers there are stands in the source. All else is read off the trace: a *role* is the warps that start copies,
//! arrive and wait at the same kinds of mbarriers.

use std::collections::{BTreeMap, BTreeSet};

use simt_report::{Event, LaunchReport, MbarrierUse, UsedMbarrier};
use svg::node::Node;
use svg::node::element::Group;

use crate::shapes::{Frame, Picture, rectangle, text};

const WIDTH: f64 = 366.0;
const LEFT: f64 = 54.0;
const BOX: f64 = 30.0;
const ROW: f64 = 30.0;
const LINE: f64 = 16.0;
/// Moments that are drawn at most.
const MOST: usize = 12;
/// Bytes of an mbarrier.
const BYTES: u32 = 8;

/// An mbarrier, as the source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// The stage whose mbarrier it is; none if there is one for all.
    pub stage: Option<usize>,
}

/// The mbarriers that a source declares, in their order in memory: `Mbarrier full[STAGES];` or `Mbarrier known;`.
pub fn declared(source: &str) -> Vec<Declared> {
    let constant = |name: &str| {
        let (_, value) = source.split_once(&format!("constexpr unsigned {name} = "))?;
        value.split(';').next()?.parse().ok()
    };
    let mut all = Vec::new();
    for line in source.lines() {
        let Some((field, _)) =
            line.trim().strip_prefix("Mbarrier ").and_then(|l| l.split_once(';'))
        else {
            continue;
        };
        for one in field.split(',').map(str::trim) {
            match one.strip_suffix(']').and_then(|one| one.split_once('[')) {
                Some((name, count)) => {
                    let count = count.parse().ok().or_else(|| constant(count)).unwrap_or(0);
                    let of = |stage| Declared { name: name.into(), stage: Some(stage) };
                    all.extend((0..count).map(of));
                }
                None => all.push(Declared { name: one.into(), stage: None }),
            }
        }
    }
    all
}

/// What a stage holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Content {
    #[default]
    Empty,
    Coming(usize),
    Full(usize),
}

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    phase: u32,
    arrived: u32,
    /// The arrivals of a phase, once one is complete.
    needed: Option<u32>,
}

/// Warps that use the mbarriers in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    pub(crate) warps: Vec<u32>,
    pub(crate) name: String,
}

/// A use of an mbarrier by a warp, with the index of its event.
pub(crate) type Used<'a> = (usize, u32, &'a Declared, &'a UsedMbarrier);

/// The uses of a block's ring.
pub(crate) struct Ring<'a> {
    pub(crate) uses: Vec<Used<'a>>,
    pub(crate) roles: Vec<Role>,
    /// The kinds of mbarriers of a stage, in order.
    kinds: Vec<&'a str>,
    /// The kind at which the copying warp waits before it fills a stage anew.
    pub(crate) empties: &'a str,
    pub(crate) stages: usize,
}

impl<'a> Ring<'a> {
    /// The ring of a block; `roles` name the roles, in the order of their first warps.
    pub(crate) fn of(
        launch: &'a LaunchReport,
        block: u64,
        declared: &'a [Declared],
        roles: &[&str],
    ) -> Result<Self, String> {
        let events = launch.trace.iter().flat_map(|trace| &trace.events).enumerate();
        let own = events.filter_map(|(event, it)| match it {
            Event::Mbarrier { place, used } if place.block == block => {
                Some((event, place.warp, used))
            }
            _ => None,
        });
        let own: Vec<_> = own.collect();
        let base = own.iter().map(|(.., used)| used.mbarrier).min();
        let base = base.ok_or_else(|| format!("block {block} uses no mbarriers"))?;
        let name = |(event, warp, used): (usize, u32, &'a UsedMbarrier)| {
            let declared = declared.get(((used.mbarrier - base) / BYTES) as usize);
            Some((event, warp, declared?, used))
        };
        let uses: Option<Vec<Used<'a>>> = own.into_iter().map(name).collect();
        let uses = uses.ok_or("the source declares fewer mbarriers than the kernel uses")?;
        let mut kinds: Vec<&str> = Vec::new();
        for of in declared.iter().filter(|of| of.stage.is_some()) {
            if !kinds.contains(&&of.name[..]) {
                kinds.push(&of.name);
            }
        }
        let copies = |used: &UsedMbarrier| used.does == MbarrierUse::StartCopy;
        let copier = uses.iter().find(|(.., used)| copies(used)).map(|&(_, warp, ..)| warp);
        let copier = copier.ok_or_else(|| format!("block {block} copies nothing"))?;
        let waits =
            |used: &UsedMbarrier| matches!(used.does, MbarrierUse::Wait | MbarrierUse::Pass);
        let awaited = uses.iter().find(|(_, warp, _, used)| *warp == copier && waits(used));
        let empties = awaited.map(|(.., of, _)| &of.name[..]).or(kinds.last().copied());
        let stages = uses.iter().filter_map(|(.., of, _)| of.stage).max().unwrap_or(0) + 1;
        let roles = roles_of(&uses, roles)?;
        Ok(Self { uses, roles, kinds, empties: empties.unwrap_or_default(), stages })
    }

    fn role(&self, warp: u32) -> &Role {
        let own = self.roles.iter().find(|role| role.warps.contains(&warp));
        own.unwrap_or(&self.roles[0])
    }
}

/// The roles of the warps, in the order of their first warps.
fn roles_of(uses: &[Used<'_>], names: &[&str]) -> Result<Vec<Role>, String> {
    // The names of mbarriers, each with what is done there.
    type Habits<'a> = BTreeSet<(&'a str, u8)>;
    let mut by_warp: BTreeMap<u32, Habits<'_>> = BTreeMap::new();
    for (_, warp, of, used) in uses {
        let what = match used.does {
            MbarrierUse::Initialise => continue,
            MbarrierUse::Arrive => 0,
            MbarrierUse::Wait | MbarrierUse::Pass => 1,
            MbarrierUse::StartCopy | MbarrierUse::EndCopy => 2,
        };
        by_warp.entry(*warp).or_default().insert((&of.name, what));
    }
    let mut found: Vec<(Habits<'_>, Vec<u32>)> = Vec::new();
    for (warp, what) in by_warp {
        match found.iter_mut().find(|(known, _)| *known == what) {
            Some((_, warps)) => warps.push(warp),
            None => found.push((what, vec![warp])),
        }
    }
    if !names.is_empty() && names.len() != found.len() {
        let warps: Vec<_> = found.iter().map(|(_, warps)| numbers(warps)).collect();
        return Err(format!(
            "roles={}: the kernel has {} roles, {}",
            names.join(","),
            found.len(),
            warps.join("; ")
        ));
    }
    let roles = found.into_iter().enumerate().map(|(index, (_, warps))| {
        let name = names.get(index).map_or_else(|| numbers(&warps), |name| (*name).to_owned());
        Role { warps, name }
    });
    Ok(roles.collect())
}

/// `warp 3`, `warps 0 to 15` or `warps 0, 2`.
pub(crate) fn numbers(warps: &[u32]) -> String {
    match warps {
        [one] => format!("warp {one}"),
        [first, .., last] if (last - first) as usize + 1 == warps.len() => {
            format!("warps {first} to {last}")
        }
        _ => format!("warps {}", warps.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The ring at one moment.
struct State<'a> {
    stages: Vec<Content>,
    counters: BTreeMap<(&'a str, Option<usize>), Counter>,
    /// Where each warp waits.
    waiting: BTreeMap<u32, &'a Declared>,
    tiles: usize,
}

impl<'a> State<'a> {
    /// Applies a use. A sentence, where a copy has started or a phase is complete.
    fn apply(
        &mut self,
        ring: &Ring<'_>,
        warp: u32,
        of: &'a Declared,
        used: &UsedMbarrier,
    ) -> Option<String> {
        let counter = self.counters.entry((&of.name, of.stage)).or_default();
        let complete = *counter;
        match used.does {
            MbarrierUse::Arrive => counter.arrived += used.lanes.count_ones(),
            MbarrierUse::Wait => drop(self.waiting.insert(warp, of)),
            MbarrierUse::Pass => drop(self.waiting.remove(&warp)),
            _ => {}
        }
        let stage = of.stage?;
        if used.does == MbarrierUse::StartCopy {
            let tile = self.tiles;
            self.tiles += 1;
            self.stages[stage] = Content::Coming(tile);
            return Some(format!(
                "{} starts the copy of tile {tile} into stage {stage}.",
                capitalised(&ring.role(warp).name)
            ));
        }
        if !used.completes {
            return None;
        }
        let arrived = counter.arrived;
        *counter = Counter { phase: complete.phase + 1, arrived: 0, needed: Some(arrived) };
        let mut said = format!(
            "Phase {} of `{}` of stage {stage} is complete, with {arrived} arrival{}",
            complete.phase,
            of.name,
            if arrived == 1 { "" } else { "s" }
        );
        let content = &mut self.stages[stage];
        match *content {
            Content::Coming(tile) if used.does == MbarrierUse::EndCopy => {
                *content = Content::Full(tile);
                said += &format!(" and {} bytes: tile {tile} has come", used.bytes);
            }
            Content::Full(tile) if of.name == ring.empties => {
                *content = Content::Empty;
                said += &format!(": tile {tile} has been read, and the stage is empty");
            }
            _ => {}
        }
        Some(said + ".")
    }
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Draws the ring of a block at its first moments. `names` name the roles, in the order of their first warps; without
/// names a role is called by its warps.
///
/// # Errors
/// If the block has no ring, or another number of roles.
pub fn draw(
    launch: &LaunchReport,
    block: u64,
    declared: &[Declared],
    names: &[&str],
) -> Result<Picture, String> {
    let ring = Ring::of(launch, block, declared, names)?;
    let mut picture = Picture {
        title: format!("The ring of {} stages in {}.", ring.stages, launch.kernel),
        class: "ring",
        frames: Vec::new(),
        said: Vec::new(),
        has_steps: true,
    };
    for (state, said) in moments(&ring, usize::MAX).into_iter().take(MOST) {
        picture.said.push(format!("{said} {}", waiting_in_words(&ring, &state).join("; ")));
        picture.frames.push(frame(&ring, &state));
    }
    Ok(picture)
}

/// Draws the ring of a block as it is after an event; none if nothing has used the ring by then.
pub fn at(
    launch: &LaunchReport,
    block: u64,
    declared: &[Declared],
    event: usize,
) -> Option<Picture> {
    let ring = Ring::of(launch, block, declared, &[]).ok()?;
    let state = moments(&ring, event).pop().map(|(state, _)| state)?;
    let mut said = waiting_in_words(&ring, &state);
    said.extend(ring.kinds.iter().map(|kind| parities_in_words(&ring, &state, kind)));
    Some(Picture {
        title: format!("The ring of {} stages.", ring.stages),
        class: "ring",
        frames: vec![frame(&ring, &state)],
        said,
        has_steps: false,
    })
}

/// The parity of the current phase of each stage's mbarrier of a kind.
fn parities_in_words(ring: &Ring<'_>, state: &State<'_>, kind: &str) -> String {
    let parities = (0..ring.stages).map(|stage| {
        let counter = state.counters.get(&(kind, Some(stage))).copied().unwrap_or_default();
        (counter.phase % 2).to_string()
    });
    let parities: Vec<String> = parities.collect();
    format!("Parity of the phase of `{kind}`, stage by stage: {}", parities.join(", "))
}

/// The states at which something happens, each with a sentence; the last one is the state after event `until`.
fn moments<'a>(ring: &Ring<'a>, until: usize) -> Vec<(State<'a>, String)> {
    let mut state = State {
        stages: vec![Content::Empty; ring.stages],
        counters: BTreeMap::new(),
        waiting: BTreeMap::new(),
        tiles: 0,
    };
    // What a phase needs is known from the first that is complete.
    let mut needed: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all = Vec::new();
    let mut whole = state.copied();
    for &(_, warp, of, used) in &ring.uses {
        whole.apply(ring, warp, of, used);
        let counter = whole.counters.get(&(&of.name[..], of.stage)).and_then(|c| c.needed);
        if let Some(count) = counter {
            needed.entry(&of.name).or_insert(count);
        }
    }
    for &(_, warp, of, used) in ring.uses.iter().take_while(|(event, ..)| *event <= until) {
        let said = state.apply(ring, warp, of, used);
        for ((name, _), counter) in &mut state.counters {
            counter.needed = needed.get(name).copied();
        }
        if let Some(said) = said {
            all.push((state.copied(), said));
        }
    }
    if until != usize::MAX && state.tiles > 0 {
        all.push((state, String::new()));
    }
    all
}

impl State<'_> {
    fn copied(&self) -> Self {
        Self {
            stages: self.stages.clone(),
            counters: self.counters.clone(),
            waiting: self.waiting.clone(),
            tiles: self.tiles,
        }
    }
}

fn frame(ring: &Ring<'_>, state: &State<'_>) -> Frame {
    let mut drawing = Group::new();
    let pitch = ((WIDTH - LEFT) / ring.stages as f64).clamp(38.0, 120.0);
    let middle = |stage: usize| LEFT + pitch * (stage as f64 + 0.5);
    drawing.append(text("end small", [LEFT - 6.0, 14.0], "stage"));
    for (stage, content) in state.stages.iter().enumerate() {
        let (class, label) = match *content {
            Content::Empty => ("cell dead", String::new()),
            Content::Coming(tile) => ("cell", format!("copy {tile}")),
            Content::Full(tile) => ("cell written", format!("tile {tile}")),
        };
        drawing.append(text("step", [middle(stage), 14.0], stage.to_string()));
        let corner = [middle(stage) - pitch / 2.0 + 2.0, 20.0];
        drawing.append(rectangle(class, corner, [pitch - 4.0, BOX]));
        drawing.append(text("small", [middle(stage), 39.0], label));
    }
    let mut y = 20.0 + BOX;
    for &kind in &ring.kinds {
        y += ROW;
        drawing.append(text("end small", [LEFT - 6.0, y - 8.0], kind));
        for stage in 0..ring.stages {
            let counter = state.counters.get(&(kind, Some(stage))).copied().unwrap_or_default();
            let of = counter.needed.map_or(String::new(), |needed| format!("/{needed}"));
            let arrived = format!("{}{of}", counter.arrived);
            drawing.append(text("step", [middle(stage), y - 14.0], arrived));
            let phase = format!("phase {}", counter.phase);
            let phase = if pitch < 44.0 { format!("ph. {}", counter.phase) } else { phase };
            drawing.append(text("small", [middle(stage), y - 2.0], phase));
        }
    }
    for line in waiting_in_words(ring, state) {
        y += LINE;
        drawing.append(text("start small", [4.0, y + 4.0], line.replace('`', "")));
    }
    let width = WIDTH.max(LEFT + pitch * ring.stages as f64);
    Frame { drawing, width, height: y + 12.0 }
}

/// For each role, how many of its warps wait for what.
fn waiting_in_words(ring: &Ring<'_>, state: &State<'_>) -> Vec<String> {
    let words = ring.roles.iter().map(|role| {
        let mut waits: Vec<(String, usize)> = Vec::new();
        for of in role.warps.iter().filter_map(|warp| state.waiting.get(warp)) {
            let stage = of.stage.map_or(String::new(), |stage| format!(" of stage {stage}"));
            let what = format!("`{}`{stage}", of.name);
            match waits.iter_mut().find(|(known, _)| *known == what) {
                Some((_, count)) => *count += 1,
                None => waits.push((what, 1)),
            }
        }
        let all = role.warps.len();
        let name = capitalised(&role.name);
        if waits.is_empty() {
            return format!("{name}: no warp waits at the ring");
        }
        let waits = waits.iter().map(|(what, count)| match all {
            1 => format!("waits for {what}"),
            _ => format!("{count} of {all} warps wait for {what}"),
        });
        format!("{name}: {}", waits.collect::<Vec<_>>().join(", "))
    });
    words.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use simt_report::{Place, Trace};

    use super::*;

    const SOURCE: &str = "constexpr unsigned STAGES = 2;\n    Mbarrier full[STAGES];  // come\n    \
                          Mbarrier empty[STAGES];\n    Mbarrier known;\n    Mbarrier& one = a;\n";

    /// A block in which warp 2 copies tiles into two stages, and warps 0 and 1 read them.
    pub(crate) fn launch() -> LaunchReport {
        let mut events = Vec::new();
        let mut add = |warp, mbarrier: u32, does, completes| {
            let place = Place { block: 0, warp, line: "k.cu:1".into() };
            let bytes = if does == MbarrierUse::EndCopy { 64 } else { 0 };
            let used =
                UsedMbarrier { mbarrier: 16 + 8 * mbarrier, does, lanes: 1, completes, bytes };
            events.push(Event::Mbarrier { place, used });
        };
        (0..4).for_each(|mbarrier| add(0, mbarrier, MbarrierUse::Initialise, false));
        for tile in 0..3 {
            let stage = tile % 2;
            if tile == 2 {
                add(2, 2, MbarrierUse::Pass, false);
            }
            add(2, stage, MbarrierUse::Arrive, false);
            add(2, stage, MbarrierUse::StartCopy, false);
            (0..2).for_each(|warp| add(warp, stage, MbarrierUse::Wait, false));
            add(2, stage, MbarrierUse::EndCopy, true);
            (0..2).for_each(|warp| add(warp, stage, MbarrierUse::Pass, false));
            (0..2).for_each(|warp| add(warp, 2 + stage, MbarrierUse::Arrive, warp == 1));
        }
        LaunchReport {
            kernel: "k".into(),
            trace: Some(Trace { events, ..Trace::default() }),
            ..LaunchReport::default()
        }
    }

    #[test]
    fn mbarriers_are_those_of_the_source() {
        let names = declared(SOURCE);
        let names: Vec<_> = names.iter().map(|of| (&of.name[..], of.stage)).collect();
        let stages = ["full", "full", "empty", "empty"].into_iter().zip([0, 1, 0, 1].map(Some));
        assert_eq!(names[..4], stages.collect::<Vec<_>>());
        assert_eq!(names[4], ("known", None));
        assert_eq!(names.len(), 5, "{names:?}");
        let in_one_line = declared("Mbarrier full[2], empty[2];");
        assert_eq!(in_one_line, declared("Mbarrier full[2];\nMbarrier empty[2];"));
    }

    #[test]
    fn stages_fill_and_empty() {
        let picture = draw(&launch(), 0, &declared(SOURCE), &["readers", "copier"]).expect("drawn");
        assert_eq!((picture.frames.len(), picture.said.len()), (9, 9));
        assert!(picture.said[0].starts_with("Copier starts the copy of tile 0 into stage 0."));
        assert!(
            picture.said[1].starts_with(
                "Phase 0 of `full` of stage 0 is complete, with 1 arrival and 64 bytes: tile 0 has come."
            ) && picture.said[1].contains("Readers: 2 of 2 warps wait for `full` of stage 0"),
            "{}",
            picture.said[1]
        );
        assert!(picture.said[2].contains("with 2 arrivals: tile 0 has been read"));
        let last = picture.frames[8].drawing.to_string();
        assert_eq!((last.matches("cell dead").count(), last.matches("0/2").count()), (2, 2));
        assert!(picture.frames[7].width <= WIDTH);
        let refused = draw(&launch(), 0, &declared(SOURCE), &["all"]).expect_err("two roles");
        assert!(refused.contains("2 roles, warps 0 to 1; warp 2"), "{refused}");
        assert!(draw(&LaunchReport::default(), 0, &[], &[]).is_err());
    }

    #[test]
    fn the_lab_sees_the_ring_after_an_event() {
        let (launch, names) = (launch(), declared(SOURCE));
        assert!(at(&launch, 0, &names, 3).is_none(), "only initialised");
        let picture = at(&launch, 0, &names, 7).expect("drawn");
        assert_eq!(picture.said[0], "Warps 0 to 1: 2 of 2 warps wait for `full` of stage 0");
        assert_eq!(picture.said[2], "Parity of the phase of `full`, stage by stage: 0, 0");
        let last = at(&launch, 0, &names, usize::MAX - 1).expect("drawn");
        assert_eq!(last.said[2], "Parity of the phase of `full`, stage by stage: 0, 1");
        assert!(picture.frames[0].drawing.to_string().contains("copy 0"));
    }
}
