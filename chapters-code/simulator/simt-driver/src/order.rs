//! Races between the operations of streams: kernels, copies and fills that nothing orders.
//!
//! If races are looked for, each operation gets a [`Stamp`] when a stream takes it: its number in the stream, and how
//! much of every other stream comes before it. What orders operations:
//!
//! | earlier and later operation | ordered by |
//! | --- | --- |
//! | of one stream | their order |
//! | of a stream and the legacy one, in one context, unless the stream is non-blocking | their order |
//! | of two streams | an event that the first one records after its operation and the second one waits for before its own |
//! | of one graph | the edges of the graph |
//! | a copy between two devices in the legacy stream, and all other work of both devices | their order |
//! | any | a wait of the host in between, for a stream, an event or a context, or a query that finds it done |
//! | a kernel, and what follows a kernel that has seen its flag | the flag, written after a fence |
//!
//! A copy to or from memory of the host whose call returns only when it is done counts as a wait for its stream:
//! `cuMemcpyHtoD`, and each copy to pageable memory. `cuMemsetD32`, `cuMemcpyDtoD` and their like do not wait, as
//! NVIDIA's manual says. All threads of the host count as one.
//!
//! **Can miss:** two kernels of one group, if only their order in the group says that they race (`together.rs` looks
//! at each of their accesses instead); kernels of which one has seen a flag of the other (all of the first then counts
//! as done before all of the second); what lies more than [`MOST_RUNS`] runs of accesses back.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;

use simt::{Extent, Footprint};
use simt_report::Race;

use crate::capture::{Lane, lane};
use crate::context::{self, Context};
use crate::error::Result;
use crate::graph::Step;
use crate::handles::Handle;
use crate::options;
use crate::report;
use crate::state::{driver, lock};
use crate::stream;
use crate::strict;

/// Runs of accesses that are kept, at most: some 40 MB.
const MOST_RUNS: usize = 1 << 20;
/// Operations that are kept, at most.
const MOST: usize = 1 << 12;

/// For each line of operations, by its index, how many of them come before.
#[derive(Clone, Debug, Default, PartialEq)]
struct Clock(Vec<u32>);

/// A moment in a stream: what comes before it.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Which lines the clock is about: see [`Order::age`].
    age: u64,
    clock: Clock,
}

/// Where an operation stands among the others.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// Operations that streams have taken before.
    number: u64,
    moment: Moment,
    line: usize,
    context: Handle,
    /// Its stream, in words.
    stream: String,
}

/// An operation that has run.
pub struct Done {
    /// Where it stands.
    pub stamp: Stamp,
    /// What it has accessed.
    pub footprint: Footprint,
    /// For a kernel of a group, the group's number: its races with the others of the group are known.
    pub group: Option<u64>,
}

/// Operations one after another: of a stream, or of a branch of the graphs that run in it.
struct Line {
    context: Handle,
    device: usize,
    /// The stream; `None` for the legacy one.
    lane: Option<Lane>,
    branch: usize,
    /// Whether it and the legacy stream wait for each other.
    blocking: bool,
    clock: Clock,
}

#[derive(Default)]
struct Order {
    /// Changes when all lines are forgotten.
    age: u64,
    lines: Vec<Line>,
    /// What the host knows to be done.
    host: Clock,
    /// For each device, by its number, what comes before all that it takes next.
    devices: Vec<Clock>,
    /// What has run, and the host does not know it.
    done: VecDeque<Done>,
    /// Launches that have seen a flag of others: those first.
    flags: Vec<(Stamp, Stamp)>,
    /// Memory that was freed while the launches of a group may have run, whose accesses are not noted yet.
    freed: Vec<Range<u64>>,
    /// Operations that streams have taken.
    taken: u64,
}

static ORDER: Mutex<Option<Order>> = Mutex::new(None);

impl Clock {
    fn of(&self, line: usize) -> u32 {
        self.0.get(line).copied().unwrap_or_default()
    }

    fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }

    fn advance(&mut self, line: usize) {
        if self.0.len() <= line {
            self.0.resize(line + 1, 0);
        }
        self.0[line] += 1;
    }

    fn knows(&self, stamp: &Stamp) -> bool {
        self.of(stamp.line) >= stamp.moment.clock.of(stamp.line)
    }
}

/// Calls `look` with the order of operations, if races are looked for.
fn with<T>(look: impl FnOnce(&mut Order) -> T) -> Option<T> {
    let mut order = lock(&ORDER);
    if !options::looks_for_races() {
        *order = None;
        return None;
    }
    Some(look(order.get_or_insert_default()))
}

/// Whether operations of several streams may run, so that loads that no store of their own launch may meet can race.
pub fn has_streams() -> bool {
    let several = with(|order| order.lines.len() > 1).unwrap_or_default();
    several || driver().is_ok_and(|driver| !driver.streams.find(|_| true).is_empty())
}

/// The stamp of an operation that a stream takes now; `None` if races are not looked for. `devices` are those between
/// which it copies.
pub fn stamp(
    stream: Handle,
    context: &Context,
    devices: Option<[usize; 2]>,
) -> Result<Option<Stamp>> {
    let (lane, blocking) = (lane(stream), stream::is_blocking(stream)?);
    Ok(with(|order| {
        let line = order.line(context, lane, blocking);
        let mut clock = order.now(line);
        clock.advance(line);
        if let Some(devices) = devices.filter(|_| lane.is_none()) {
            order.meet(&mut clock, devices);
        }
        order.lines[line].clock = clock.clone();
        order.stamp(clock, line, name(stream, context))
    }))
}

/// The stamps of the steps of a graph that a stream takes now. `whole` is the graph's own.
pub fn stamp_steps(whole: &Stamp, steps: &[Step]) -> Vec<Stamp> {
    with(|order| order.stamp_steps(whole, steps)).unwrap_or_default()
}

/// What comes before what a stream takes next: what an event notes.
pub fn moment(stream: Handle, context: &Context) -> Result<Moment> {
    let (lane, blocking) = (lane(stream), stream::is_blocking(stream)?);
    let moment = with(|order| {
        let line = order.line(context, lane, blocking);
        Moment { age: order.age, clock: order.now(line) }
    });
    Ok(moment.unwrap_or_default())
}

/// Notes that a stream waits for what came before a moment.
pub fn wait(stream: Handle, context: &Context, moment: &Moment) -> Result {
    let (lane, blocking) = (lane(stream), stream::is_blocking(stream)?);
    with(|order| {
        let line = order.line(context, lane, blocking);
        if moment.age == order.age {
            order.lines[line].clock.join(&moment.clock);
        }
    });
    Ok(())
}

/// Notes that the host knows that a stream has nothing left to do.
pub fn host_waited(stream: Handle, context: &Context) -> Result {
    host_knows(&moment(stream, context)?);
    Ok(())
}

/// Notes that the host knows that no stream of a context has anything left to do.
pub fn host_waited_for_context(context: Handle) {
    with(|order| {
        let mut clock = Clock::default();
        order.lines.iter().filter(|l| l.context == context).for_each(|l| clock.join(&l.clock));
        order.host_knows(&clock);
    });
}

/// Notes that the host knows what came before a moment.
pub fn host_knows(moment: &Moment) {
    with(|order| {
        if moment.age == order.age {
            order.host_knows(&moment.clock);
        }
    });
}

impl Stamp {
    /// The moment at which the operation is done.
    pub fn moment(&self) -> &Moment {
        &self.moment
    }
}

/// Reports the races of an operation that has run with those before it.
pub fn note(stamp: Stamp, footprint: Footprint) {
    let done = Done { stamp, footprint, group: None };
    let races = with(|order| order.add_all(vec![done]));
    races.into_iter().flatten().for_each(report);
}

/// Does so for the operations of a group. `flags` has pairs of launches of which the second has seen a flag of the
/// first.
pub fn note_group(mut done: Vec<Done>, flags: Vec<(Stamp, Stamp)>) {
    done.sort_by_key(|done| done.stamp.number);
    let races = with(|order| {
        let is_of_now = |stamp: &Stamp| stamp.moment.age == order.age;
        order.flags.extend(flags.into_iter().filter(|(a, b)| is_of_now(a) && is_of_now(b)));
        let freed = std::mem::take(&mut order.freed);
        for done in &mut done {
            freed.iter().for_each(|range| done.footprint.forget(range));
        }
        order.add_all(done)
    });
    races.into_iter().flatten().for_each(report);
}

/// Reports a race of operations of these contexts.
fn report((race, contexts): (Race, [Handle; 2])) {
    report::add_race(race);
    let contexts = contexts.map(|context| driver().ok()?.contexts.get(context));
    strict::note(contexts.iter().flatten().map(|context| &**context));
}

/// Forgets accesses to memory that is freed: what is allocated there later is something else.
pub fn freed(range: &Range<u64>) {
    let may_run = context::any_peers();
    with(|order| {
        order.done.iter_mut().for_each(|done| done.footprint.forget(range));
        if may_run {
            order.freed.push(range.clone());
        }
    });
}

/// Names a stream, and its device if there are several.
fn name(stream: Handle, context: &Context) -> String {
    let name = match stream::stream(stream) {
        Ok(Some(stream)) => format!("stream {}", stream.id),
        _ if stream::named(stream).0 == 2 => "the thread's default stream".into(),
        _ => "the default stream".into(),
    };
    match context::on_several_devices() {
        true => format!("{name} of device {}", context.ordinal),
        false => name,
    }
}

impl Order {
    /// The line of a stream.
    fn line(&mut self, context: &Context, lane: Option<Lane>, blocking: bool) -> usize {
        let (context, device) = (context.handle, context.ordinal);
        self.find(Line { context, device, lane, branch: 0, blocking, clock: Clock::default() })
    }

    fn find(&mut self, new: Line) -> usize {
        let key = |line: &Line| (line.context, line.lane, line.branch);
        self.lines.iter().position(|line| key(line) == key(&new)).unwrap_or_else(|| {
            self.lines.push(new);
            self.lines.len() - 1
        })
    }

    /// Orders an operation with this clock behind all work of two devices, and before all that they take next.
    fn meet(&mut self, clock: &mut Clock, devices: [usize; 2]) {
        let theirs = self.lines.iter().filter(|line| devices.contains(&line.device));
        theirs.for_each(|line| clock.join(&line.clock));
        let most = devices.into_iter().max().unwrap_or_default();
        if self.devices.len() <= most {
            self.devices.resize_with(most + 1, Clock::default);
        }
        devices.iter().for_each(|device| self.devices[*device].join(clock));
    }

    fn stamp(&mut self, clock: Clock, line: usize, stream: String) -> Stamp {
        self.taken += 1;
        let (moment, context) = (Moment { age: self.age, clock }, self.lines[line].context);
        Stamp { number: self.taken, moment, line, context, stream }
    }

    /// What comes before what a line takes next.
    fn now(&self, line: usize) -> Clock {
        let own = &self.lines[line];
        let mut clock = self.host.clone();
        if let Some(before) = self.devices.get(own.device) {
            clock.join(before);
        }
        for other in self.lines.iter().filter(|other| other.context == own.context) {
            let legacy = own.lane.is_none() || other.lane.is_none();
            if own.lane == other.lane || legacy && own.blocking && other.blocking {
                clock.join(&other.clock);
            }
        }
        clock
    }

    /// A step that follows the last one of a line goes on there, so that a chain takes one line.
    fn stamp_steps(&mut self, whole: &Stamp, steps: &[Step]) -> Vec<Stamp> {
        let mut stamps: Vec<Stamp> = Vec::new();
        if whole.moment.age != self.age {
            return stamps;
        }
        let Line { context, device, lane, blocking, .. } = self.lines[whole.line];
        let mut ends: Vec<Option<usize>> = vec![None];
        for (index, step) in steps.iter().enumerate() {
            let mut clock = whole.moment.clock.clone();
            step.before.iter().for_each(|before| clock.join(&stamps[*before].moment.clock));
            let goes_on = |end: &Option<usize>| end.is_none_or(|end| step.before.contains(&end));
            let branch = ends.iter().position(goes_on).unwrap_or_else(|| {
                ends.push(None);
                ends.len() - 1
            });
            ends[branch] = Some(index);
            let new = Line { context, device, lane, branch, blocking, clock: Clock::default() };
            let line = self.find(new);
            clock.advance(line);
            self.lines[line].clock.join(&clock);
            stamps.push(self.stamp(clock, line, format!("a graph in {}", whole.stream)));
        }
        stamps
    }

    fn host_knows(&mut self, clock: &Clock) {
        let clock = self.with_flags(clock);
        self.host.join(&clock);
        let host = &self.host;
        self.done.retain(|done| !host.knows(&done.stamp));
        self.flags.retain(|(_, later)| !host.knows(later));
        if self
            .lines
            .iter()
            .all(|line| line.clock.0.iter().enumerate().all(|(l, n)| host.of(l) >= *n))
        {
            *self = Self { age: self.age + 1, ..Self::default() };
        }
    }

    /// What comes before a moment, with what the launches before it have seen by flags.
    fn with_flags(&self, clock: &Clock) -> Clock {
        let mut all = clock.clone();
        loop {
            let before = all.clone();
            let seen = self.flags.iter().filter(|(_, later)| before.knows(later));
            seen.for_each(|(earlier, _)| all.join(&earlier.moment.clock));
            if all == before {
                return all;
            }
        }
    }

    fn add_all(&mut self, done: Vec<Done>) -> Vec<(Race, [Handle; 2])> {
        let is_of_now =
            |done: &Done| done.stamp.moment.age == self.age && !done.footprint.is_empty();
        let done: Vec<_> = done.into_iter().filter(is_of_now).collect();
        done.into_iter().flat_map(|done| self.add(done)).collect()
    }

    fn add(&mut self, new: Done) -> Vec<(Race, [Handle; 2])> {
        let before = &new.stamp.moment.clock;
        let is_apart = |old: &&Done| new.group.is_none() || old.group != new.group;
        let unordered = self.done.iter().filter(is_apart).filter(|old| !before.knows(&old.stamp));
        let unordered: Vec<&Done> = unordered.collect();
        let seen = unordered.iter().filter(|old| old.footprint.passes_flag_to(&new.footprint));
        self.flags
            .extend(seen.map(|old| (old.stamp.clone(), new.stamp.clone())).collect::<Vec<_>>());
        let known = self.with_flags(before);
        let race = |old: &&Done| {
            let is_ordered = known.knows(&old.stamp)
                || self.with_flags(&old.stamp.moment.clock).knows(&new.stamp);
            let streams = [&old.stamp, &new.stamp].map(|stamp| stamp.stream.as_str());
            let race = || old.footprint.race(&new.footprint, allocation, streams);
            let race = if is_ordered { None } else { race() };
            race.map(|race| (race, [old.stamp.context, new.stamp.context]))
        };
        let races = unordered.iter().filter_map(race).collect();
        self.keep(new);
        races
    }

    /// Keeps an operation until the host knows that it is done, if there is room.
    fn keep(&mut self, new: Done) {
        self.done.push_back(new);
        let mut runs: usize = self.done.iter().map(|done| done.footprint.runs()).sum();
        while self.done.len() > MOST || runs > MOST_RUNS && self.done.len() > 1 {
            runs -= self.done.pop_front().map_or(0, |done| done.footprint.runs());
        }
    }
}

fn allocation(address: u64) -> Option<Extent> {
    driver().ok()?.devices.iter().find_map(|device| device.memory.snapshot().extent(address))
}
