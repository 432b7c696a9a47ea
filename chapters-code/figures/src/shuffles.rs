//! Scans by shuffles, step by step: of a block, whose warps scan their elements and then their sums; and of segments, where
//! a lane adds only what belongs to its segment.
//!
//! All values are those that the lanes had in the execution. Of 32 lanes the first ones are drawn.

use simt_report::{AccessKind, AccessSpace, Event, TracedAccess};
use svg::node::Node;
use svg::node::element::{Group, path::Data};

use crate::lanes;
use crate::shapes::{Frame, Picture, path, rectangle, step_group, text};

const LEFT: f64 = 22.0;
const TOP: f64 = 34.0;
const ROW: f64 = 54.0;
const HEIGHT: f64 = 22.0;
/// Lanes of a warp that are drawn besides the last one.
const FIRST: usize = 7;
/// From lane to lane of a block, and from warp to warp.
const PITCH: f64 = 21.0;
const WARP: f64 = 172.0;
/// From lane to lane of a warp with segments, and how many there are.
const WIDE: f64 = 42.0;
const SEGMENTED: usize = 8;

type Values = [u64; 32];
/// A value's bits as text.
type Format<'a> = &'a dyn Fn(u64) -> String;

/// What a warp did.
#[derive(Default)]
struct Warp {
    /// The shuffles: the source lane and the value before of each lane.
    shuffles: Vec<(Values, Values)>,
    /// The shuffles before the first barrier.
    before_barrier: Option<usize>,
    /// What each lane loaded and stored in global memory, and lane 31 first stored in shared memory.
    loaded: Vec<(u32, Vec<u64>)>,
    stored: Option<Vec<u64>>,
    aggregate: Option<u64>,
}

impl Warp {
    fn of(events: &[&Event], number: u32) -> Self {
        let mut warp = Self::default();
        for event in events {
            match event {
                Event::Shuffle { place, lanes, sources, values }
                    if place.warp == number && *lanes == u32::MAX =>
                {
                    let values = std::array::from_fn(|lane| values[lane].into());
                    let sources = std::array::from_fn(|lane| sources[lane].into());
                    warp.shuffles.push((sources, values));
                }
                Event::Access { place, access } if place.warp == number => warp.accesses(access),
                Event::BarrierPassed { .. } => {
                    warp.before_barrier.get_or_insert(warp.shuffles.len());
                }
                _ => {}
            }
        }
        warp
    }

    fn accesses(&mut self, access: &TracedAccess) {
        let values = access.values.iter().filter_map(|values| values.first().copied()).collect();
        match (access.space, access.access) {
            (AccessSpace::Global, AccessKind::Load) => self.loaded.push((access.bytes, values)),
            (AccessSpace::Global, AccessKind::Store) if access.lanes == u32::MAX => {
                self.stored.get_or_insert(values);
            }
            (AccessSpace::Shared, AccessKind::Store) if access.lanes == 1 << 31 => {
                self.aggregate = self.aggregate.or(values.first().copied());
            }
            _ => {}
        }
    }

    /// The values before the first shuffle and after each of the five of a scan, whose sums are `aggregate`.
    fn rows(&self, aggregate: u64) -> Result<Vec<Values>, String> {
        let is_up = |(sources, _): &&(Values, Values), by: usize| {
            (0..32).all(|lane| sources[lane] as usize == if lane < by { lane } else { lane - by })
        };
        let scan: Vec<_> = self.shuffles.iter().take(5).collect();
        let up = scan.iter().zip([1, 2, 4, 8, 16]).filter(|(shuffle, by)| is_up(shuffle, *by));
        if up.count() != 5 {
            return Err("the warp does not begin with a scan by shuffles".to_owned());
        }
        let mut rows: Vec<Values> = scan.iter().map(|(_, values)| *values).collect();
        // The kernel shuffles the results once more, by one lane.
        let is_result = |shuffle: &&(Values, Values)| {
            is_up(shuffle, 1) && (shuffle.1[0], shuffle.1[31]) == (rows[0][0], aggregate)
        };
        let last = self.shuffles[5..].iter().find(is_result);
        rows.push(last.ok_or("the results of the warp's scan are not shuffled again")?.1);
        Ok(rows)
    }

    /// What each lane of this warp reads from lane `number` behind the barrier, if all read from that lane.
    fn read_from(&self, number: u32) -> Option<u64> {
        let behind = &self.shuffles[self.before_barrier?..];
        let all = |sources: &Values| sources.iter().all(|&source| source == u64::from(number));
        behind.iter().find(|(sources, _)| all(sources)).map(|(_, v)| v[number as usize])
    }
}

/// A picture in the making: a group per step.
struct Steps {
    groups: Vec<Group>,
}

impl Steps {
    fn new(count: usize) -> Self {
        Self { groups: (1..=count).map(step_group).collect() }
    }

    fn label(&mut self, step: usize, label: &str) {
        let y = y_of(step);
        self.groups[step].append(text("step", [LEFT / 2.0, y + 15.0], step.to_string()));
        self.groups[step].append(text("start small halo", [LEFT, y - 6.0], label));
    }

    fn cell(&mut self, step: usize, class: &str, x: f64, wide: f64, value: &str) {
        let y = y_of(step);
        let group = &mut self.groups[step];
        group.append(rectangle(class, [x - wide / 2.0, y], [wide, HEIGHT]));
        group.append(text("small", [x, y + 15.0], value));
    }

    /// Arrows to a row from the row above it: from x to x, in the colour of other lanes or in that of the own one.
    fn arrows(&mut self, step: usize, class: &str, ways: &[(f64, f64)]) {
        let (top, y) = (y_of(step - 1) + HEIGHT, y_of(step));
        let data = ways.iter().fold(Data::new(), |data, &(from, to)| {
            data.move_to((from, top)).line_to((to, y - 2.0))
        });
        self.groups[step].append(path(class, data));
    }
}

fn y_of(step: usize) -> f64 {
    TOP + ROW * step as f64
}

fn joined(values: impl Iterator<Item = u64>, format: Format<'_>) -> String {
    values.map(format).collect::<Vec<_>>().join(", ")
}

/// Draws the scan of a block of two warps: the five shuffles of each, their sums in shared memory, what comes before each
/// warp, and the results.
///
/// # Errors
/// If the block has no two warps that scan by shuffles.
pub fn block_scan(events: &[&Event], kernel: &str, format: Format<'_>) -> Result<Picture, String> {
    let warps = [0, 1].map(|number| Warp::of(events, number));
    let mut steps = Steps::new(9);
    let mut said = vec![String::new(); 9];
    for (number, warp) in (0..2_u32).zip(&warps) {
        let of_warp = format!("warp {number}");
        let aggregate = warp.aggregate.ok_or("lane 31 stores no sum in shared memory")?;
        let rows = warp.rows(aggregate)?;
        let before = warp.read_from(number).ok_or("the lanes take no sum from one lane")?;
        let results = warp.stored.clone().ok_or("the warp stores no results")?;
        let left = LEFT + WARP * f64::from(number);
        let x = |lane: usize| left + PITCH * (lane.min(FIRST) as f64 + 0.5);
        let drawn: Vec<usize> = (0..FIRST).chain([31]).collect();
        for &lane in &drawn {
            let head = lane.to_string();
            steps.groups[0].append(text("small", [x(lane), TOP - 6.0], head));
        }
        steps.groups[0].append(text("step", [left + 4.0 * PITCH, 10.0], of_warp.as_str()));
        for (step, values) in rows.iter().enumerate() {
            let by = 1 << step.saturating_sub(1);
            let reads = |lane: usize| step > 0 && lane >= by;
            for &lane in &drawn {
                let class = if reads(lane) { "cell written" } else { "cell" };
                steps.cell(step, class, x(lane), PITCH - 2.0, &format(values[lane]));
            }
            if step > 0 {
                // The source of lane 31 is not drawn: it lies to the left of the lane.
                let from = |lane: usize| if lane == 31 { x(31) - 12.0 } else { x(lane - by) };
                let own: Vec<_> = drawn.iter().map(|&lane| (x(lane), x(lane))).collect();
                steps.arrows(step, "arrow own", &own);
                let readers = drawn.iter().filter(|&&lane| reads(lane));
                let ways: Vec<_> = readers.map(|&lane| (from(lane), x(lane))).collect();
                steps.arrows(step, "arrow", &ways);
            }
            let values = joined(drawn.iter().map(|&lane| values[lane]), format);
            said[step] += &format!(" The lanes 0 to 6 and 31 of {of_warp} hold {values}.");
        }
        steps.arrows(6, "arrow", &[(x(31), x(31))]);
        steps.cell(6, "cell written", x(31), PITCH - 2.0, &format(aggregate));
        said[6] += &format!(" {} in word {number}.", format(aggregate));
        steps.cell(7, "cell written", x(3), 3.0 * PITCH, &format(before));
        said[7] += &format!(" Before {of_warp} comes {}.", format(before));
        for &lane in &drawn {
            steps.cell(8, "cell written", x(lane), PITCH - 2.0, &format(results[lane]));
        }
        let values = joined(drawn.iter().map(|&lane| results[lane]), format);
        said[8] += &format!(" Of {of_warp}: {values}.");
    }
    let labels = [
        "the elements",
        "from 1 lane to the left",
        "from 2 lanes to the left",
        "from 4 lanes to the left",
        "from 8 lanes to the left: only lane 31 is drawn",
        "from 16 lanes to the left",
        "lane 31 stores the sum of its warp in shared memory",
        "a barrier; each warp scans the sums: what comes before it",
        "each lane adds what comes before its warp: the results",
    ];
    let starts = |step: usize| match step {
        0 => "Before the first step.".to_owned(),
        1..=5 => format!(
            "Step {step}: each lane adds the value of the lane {} to its left.",
            1 << (step - 1)
        ),
        6 => "Step 6: lane 31 stores the sum of its warp in shared memory:".to_owned(),
        7 => "Step 7: behind a barrier each warp scans these sums.".to_owned(),
        _ => "Step 8: each lane adds what comes before its warp, and stores the result.".to_owned(),
    };
    for (step, label) in labels.into_iter().enumerate() {
        if step > 0 {
            steps.label(step, label);
        }
        said[step] = starts(step) + &said[step];
    }
    Ok(drawn(
        "block-scan",
        format!("The scan of a block of two warps by shuffles in {kernel}."),
        steps,
        said,
        LEFT + 2.0 * WARP,
    ))
}

fn drawn(
    class: &'static str,
    title: String,
    steps: Steps,
    said: Vec<String>,
    width: f64,
) -> Picture {
    let height = y_of(steps.groups.len() - 1) + HEIGHT + 4.0;
    let mut drawing = Group::new();
    steps.groups.into_iter().for_each(|group| drawing.append(group));
    Picture { title, class, frames: vec![Frame { drawing, width, height }], said, has_steps: true }
}

/// Draws the segmented scan of the first eight lanes of a warp: how far back each lane's segment goes, and which lanes add
/// what they read.
///
/// # Errors
/// If the warp loads no head flags, does not scan by shuffles, or changes a value that the flags do not explain.
pub fn reach(
    events: &[&Event],
    warp: u32,
    kernel: &str,
    format: Format<'_>,
) -> Result<Picture, String> {
    let own = Warp::of(events, warp);
    let flags = own.loaded.iter().find(|(bytes, values)| *bytes == 1 && values.len() == 32);
    let flags = &flags.ok_or_else(|| format!("warp {warp} loads no 32 head flags"))?.1;
    let aggregate = own.aggregate.ok_or("lane 31 stores no sum in shared memory")?;
    let rows = own.rows(aggregate)?;
    let is_head = |lane: usize| flags[lane] != 0;
    let first = |lane: usize| (0..=lane).rev().find(|&lane| is_head(lane)).unwrap_or(0);
    let x = |lane: usize| LEFT + WIDE * (lane as f64 + 0.5);
    let mut steps = Steps::new(5);
    for lane in 0..SEGMENTED {
        steps.groups[0].append(text("small", [x(lane), 12.0], format!("lane {lane}")));
    }
    // Step 0: the elements with their heads. Step 1: the reach. Then a step per shuffle.
    let shuffles = [(0, 0), (2, 1), (3, 2), (4, 4)];
    for (number, &(step, by)) in shuffles.iter().enumerate() {
        let adds = |lane: usize| by > 0 && lane - first(lane) >= by;
        let before = rows[number.saturating_sub(1)];
        for (lane, &value) in rows[number].iter().enumerate().take(SEGMENTED) {
            let class = if adds(lane) { "cell written" } else { "cell" };
            if !adds(lane) && before[lane] != value {
                return Err(format!("lane {lane} changes, and its flags do not say why"));
            }
            steps.cell(step, class, x(lane), WIDE - 6.0, &format(value));
            let bar = format!("M{} {}v{}", x(lane) - WIDE / 2.0, y_of(step) - 6.0, HEIGHT + 12.0);
            if is_head(lane) {
                steps.groups[step].append(path("head-bar", bar));
            }
        }
    }
    for lane in 0..SEGMENTED {
        let y = y_of(0) + HEIGHT + 8.0 + 5.5 * lane as f64;
        let back = x(first(lane)) - WIDE / 2.0 + 6.0;
        let group = &mut steps.groups[1];
        group.append(path("arrow", format!("M{} {y}H{back}", x(lane) + 10.0)));
        let [low, high] = [y - 2.5, y + 2.5];
        group.append(path(
            "head",
            format!("M{} {low}L{back} {y}L{} {high}Z", back + 5.0, back + 5.0),
        ));
    }
    steps.groups[1].append(text("step", [LEFT / 2.0, y_of(0) + HEIGHT + 30.0], "1"));
    for &(step, by) in &shuffles[1..] {
        let adds = (0..SEGMENTED).filter(|&lane| lane - first(lane) >= by);
        let ways: Vec<_> = adds.map(|lane| (x(lane - by), x(lane))).collect();
        let own: Vec<_> = (0..SEGMENTED).map(|lane| (x(lane), x(lane))).collect();
        steps.arrows(step, "arrow own", &own);
        steps.arrows(step, "arrow", &ways);
        steps.label(step, &format!("offset {by}"));
    }
    let heads: Vec<_> =
        lanes(0xff).filter(|&lane| is_head(lane as usize)).map(|l| l.to_string()).collect();
    let values = |number: usize| joined(rows[number][..SEGMENTED].iter().copied(), format);
    let mut said = vec![format!(
        "The lanes 0 to 7 hold {}. Heads are at the lanes {}.",
        values(0),
        heads.join(", ")
    )];
    let since: Vec<_> = (0..SEGMENTED).map(|lane| (lane - first(lane)).to_string()).collect();
    said.push(format!("Lanes since the head, from lane 0 on: {}.", since.join(", ")));
    for (number, &(_, by)) in shuffles.iter().enumerate().skip(1) {
        let adds = (0..SEGMENTED).filter(|&lane| lane - first(lane) >= by);
        let adds: Vec<_> = adds.map(|lane| lane.to_string()).collect();
        let who = if adds.is_empty() {
            "no lane adds".to_owned()
        } else {
            format!("the lanes {} add", adds.join(", "))
        };
        said.push(format!("Offset {by}: {who} what they read. The lanes hold {}.", values(number)));
    }
    Ok(drawn(
        "reach",
        format!("How far each lane of a warp adds in {kernel}."),
        steps,
        said,
        LEFT + WIDE * SEGMENTED as f64 + 4.0,
    ))
}

#[cfg(test)]
mod tests {
    use simt_report::Place;

    use super::*;

    /// The events of a block of two warps that scan ones, in segments of three where `flags` are loaded.
    fn events(flags: bool) -> Vec<Event> {
        let place = |warp| Place { block: 0, warp, line: "k.cu:1".into() };
        let access = |space, access, bytes, lanes: u32, values: Vec<u64>| TracedAccess {
            access,
            space,
            bytes,
            array: String::new(),
            base: 0,
            allocation_bytes: 0,
            lanes,
            addresses: vec![0; values.len()],
            values: values.into_iter().map(|value| vec![value]).collect(),
            cost: 1,
        };
        let up = |by: usize| (0..32).map(|l| if l < by { l } else { l - by } as u32).collect();
        let own = |lane: usize, by: usize| if flags { lane % 3 >= by } else { lane >= by };
        let mut events = Vec::new();
        for behind in [false, true] {
            for warp in 0..2 {
                let mut shuffle = |sources: Vec<u32>, values: &[u32]| {
                    let (lanes, values) = (u32::MAX, values.to_vec());
                    events.push(Event::Shuffle { place: place(warp), lanes, sources, values });
                };
                let mut values: Vec<u32> = vec![if behind { 0 } else { 1 }; 32];
                for by in [1, 2, 4, 8, 16] {
                    shuffle(up(by), &values);
                    let before = values.clone();
                    let adds = (0..32).filter(|&lane| own(lane, by));
                    adds.for_each(|lane| values[lane] += before[lane - by]);
                }
                if behind {
                    shuffle(vec![warp; 32], &[vec![0], vec![32; 31]].concat());
                    let results = (0..32).map(|lane| 32 * u64::from(warp) + lane).collect();
                    let stored =
                        access(AccessSpace::Global, AccessKind::Store, 4, u32::MAX, results);
                    events.push(Event::Access { place: place(warp), access: stored });
                } else {
                    shuffle(up(1), &values);
                    let sum = vec![values[31].into()];
                    let stored = access(AccessSpace::Shared, AccessKind::Store, 4, 1 << 31, sum);
                    events.push(Event::Access { place: place(warp), access: stored });
                    let heads = (0..32).map(|lane| (lane % 3 == 0).into()).collect();
                    let loaded = access(AccessSpace::Global, AccessKind::Load, 1, u32::MAX, heads);
                    events.push(Event::Access { place: place(warp), access: loaded });
                }
            }
            events.push(Event::BarrierPassed { block: 0, warps: vec![0, 1] });
        }
        events
    }

    #[test]
    fn a_block_scans_warps_and_their_sums() {
        let events = events(false);
        let picture = block_scan(&events.iter().collect::<Vec<_>>(), "k", &|bits| bits.to_string());
        let picture = picture.expect("drawn");
        assert_eq!(picture.said.len(), 9);
        assert!(
            picture.said[5].ends_with("of warp 1 hold 1, 2, 3, 4, 5, 6, 7, 32."),
            "{:?}",
            picture.said
        );
        assert!(picture.said[7].ends_with("Before warp 0 comes 0. Before warp 1 comes 32."));
        assert!(picture.said[8].ends_with("Of warp 1: 32, 33, 34, 35, 36, 37, 38, 63."));
        assert!(picture.frames[0].width <= 366.0);
        assert!(block_scan(&[], "k", &|bits| bits.to_string()).is_err());
    }

    #[test]
    fn a_lane_adds_within_its_segment() {
        let events = events(true);
        let format = |bits: u64| bits.to_string();
        let picture = reach(&events.iter().collect::<Vec<_>>(), 0, "k", &format).expect("drawn");
        assert_eq!(
            picture.said[1],
            "Lanes since the head, from lane 0 on: 0, 1, 2, 0, 1, 2, 0, 1."
        );
        assert_eq!(
            picture.said[3],
            "Offset 2: the lanes 2, 5 add what they read. The lanes hold 1, 2, 3, 1, 2, 3, 1, 2."
        );
        assert!(picture.said[4].starts_with("Offset 4: no lane adds"));
        assert!(picture.frames[0].width <= 366.0);
    }

    #[test]
    fn a_value_that_the_flags_do_not_explain_is_refused() {
        let mut events = events(true);
        for event in &mut events {
            if let Event::Access { access, .. } = event
                && access.bytes == 1
            {
                access.values = vec![vec![1]; 32];
            }
        }
        let refused = reach(&events.iter().collect::<Vec<_>>(), 0, "k", &|bits| bits.to_string());
        assert!(refused.expect_err("lane 1 adds").contains("lane 1 changes"));
    }
}
