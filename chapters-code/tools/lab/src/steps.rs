//! A traced launch, one instruction of a warp after another.

use figures::memory::{Touched, Word};
use figures::strip::Progress;
use figures::tiles::Tag;
use figures::tree::Storage;
use figures::{Picture, lanes, page as html};
use serde::Serialize;
use simt_report::{
    AccessKind, AccessSpace, Event, InstructionClass, LaunchReport, Place, TracedAccess,
};

use crate::fold::Fold;
use crate::memory::{self, Launched};
use crate::registers::{self, Register, Text, Thread, Variable};
use crate::tree::{self, Grown};
use crate::value;

/// Bytes of shared memory that are shown at most.
const MOST_SHARED: usize = 1 << 16;
/// Values of a row of a tree, at most: of a wider tree the last steps are drawn.
const WIDEST_TREE: usize = 32;
/// Blocks of a launch that are looked at, at most.
const MOST_BLOCKS: usize = 1 << 16;
/// Warps whose trees are drawn, at most.
const MOST_TREES: u32 = 4;
/// What the title of arrays says of a launch that runs together with others.
const TOGETHER: &str = " Others run at the same time: of an array that is not read-only, only what this launch has stored or \
    read is shown.";

/// An instruction of a warp, or a barrier that lets warps pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The index of the event in the trace.
    pub event: usize,
    /// The warp; none if a barrier lets the warps of the block pass.
    pub warp: Option<u32>,
    /// `file.cu:12`; empty for a barrier.
    pub line: String,
    /// The class of the instruction, or `passed` for a barrier.
    pub class: String,
    /// The active lanes, a bit per lane.
    pub active: u32,
    /// Whether a step by lines stops here.
    pub is_stop: bool,
}

/// What a step looks like.
#[derive(Clone, Debug, Default, Serialize)]
pub struct View {
    /// The instruction in PTX.
    pub ptx: String,
    /// What the lanes load, store, exchange or compute, in words per lane; empty if they do not.
    pub values: Vec<String>,
    /// The variables of the lane that was asked for, after the step.
    pub variables: Vec<Variable>,
    /// The lane's registers.
    pub registers: Vec<Register>,
    /// Pictures as HTML.
    pub pictures: Vec<String>,
}

/// The steps of a block, in the order of execution.
pub fn steps(launch: &LaunchReport, block: u64) -> Vec<Step> {
    let events = launch.trace.iter().flat_map(|trace| &trace.events).enumerate();
    let step = |(event, it): (usize, &Event)| match it {
        Event::Instruction { place, class, active } if place.block == block => Some(Step {
            event,
            warp: Some(place.warp),
            line: place.line.clone(),
            class: class.name().into(),
            active: *active,
            is_stop: false,
        }),
        Event::BarrierPassed { block: of, .. } if *of == block => {
            let (line, class) = (String::new(), "passed".into());
            Some(Step { event, warp: None, line, class, active: 0, is_stop: false })
        }
        _ => None,
    };
    events.filter_map(step).collect()
}

/// The blocks that the trace has events of, in order.
pub fn blocks(launch: &LaunchReport) -> Vec<u64> {
    let events = launch.trace.iter().flat_map(|trace| &trace.events);
    let mut blocks: Vec<u64> = events
        .filter_map(|event| match event {
            Event::Instruction { place, .. } => Some(place.block),
            _ => None,
        })
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// A block of a launch whose steps are looked at.
pub struct Of<'a> {
    /// The launch, with its trace.
    pub launch: &'a LaunchReport,
    /// The block's number in the grid.
    pub block: u64,
    /// The PTX of the launch.
    pub ptx: &'a Text<'a>,
    /// The type in which values are shown.
    pub dtype: &'a str,
    /// What the lab knows of the launch besides its trace.
    pub launched: &'a Launched,
    /// The kernel's source.
    pub source: &'a str,
    /// What the tags of status words say.
    pub tags: &'a [Tag],
    /// Gives a line of source as code.
    pub quote: &'a dyn Fn(&str) -> String,
}

/// The step whose event has this index: its values, shared memory and the registers of a lane after it, and the access
/// to memory that it makes.
pub fn view(of: &Of<'_>, event: usize, lane: u32) -> View {
    let &Of { launch, ptx, dtype, .. } = of;
    let Some(trace) = launch.trace.as_ref().filter(|trace| event < trace.events.len()) else {
        return View::default();
    };
    let own = effects(&trace.events, event);
    let text = registers::instruction(trace, ptx, event).unwrap_or_default();
    let mut view = View { ptx: text, ..View::default() };
    if let Some((active, words)) = registers::results(trace, ptx, event, dtype) {
        view.values = by_lane(active, words.into_iter());
    }
    if let Some(Event::Instruction { place, .. }) = trace.events.get(event) {
        let thread = Thread { block: place.block, warp: place.warp, lane };
        view.registers = registers::registers(trace, ptx, thread, event, dtype);
        let names = &of.launched.names;
        view.variables = registers::variables(names, trace, thread, event, &view.registers);
    }
    for effect in own {
        if let Some(values) = of_effect(effect, dtype) {
            view.values = values;
        }
    }
    view.pictures = pictures(of, &trace.events, event, own);
    view
}

/// What the lanes load, store or exchange, in words.
fn of_effect(effect: &Event, dtype: &str) -> Option<Vec<String>> {
    match effect {
        Event::Access { access, .. } => {
            let has_values = access.values.iter().any(|values| !values.is_empty());
            has_values.then(|| of_access(access, dtype))
        }
        Event::Shuffle { lanes, sources, values, .. } => {
            let own = sources.iter().zip(values);
            let words = own.map(|(source, &bits)| {
                format!("{} (reads lane {source})", value::text(dtype, bits.into(), 4))
            });
            Some(by_lane(*lanes, words))
        }
        _ => None,
    }
}

/// The pictures of a step with these effects, those that most steps have first.
fn pictures(of: &Of<'_>, events: &[Event], event: usize, own: &[Event]) -> Vec<String> {
    let &Of { launch, block, dtype, launched, .. } = of;
    let last = event + own.len();
    let mut all = Vec::new();
    let mut add =
        |id: &str, picture: Option<Picture>| all.extend(picture.map(|one| titled(id, &one)));
    let words = shared(launch, block, &events[..=last], own, of);
    let named = launched.shared_in_words();
    add(
        "lab-shared",
        (!words.is_empty()).then(|| {
            let picture = figures::memory::draw(&words, &launch.kernel);
            Picture { title: format!("{}{named}", picture.title), ..picture }
        }),
    );
    add(
        "lab-arrays",
        memory::arrays(launched, events, block, [event, last], dtype)
            .map(|strips| figures::arrays::draw(&strips, &launch.kernel))
            .map(|picture| match launched.is_together {
                true => Picture { title: format!("{}{TOGETHER}", picture.title), ..picture },
                false => picture,
            }),
    );
    for effect in own {
        if let Event::Access { place, access } = effect {
            add("lab-access", picture(place, access, &launch.kernel, of.quote));
        }
    }
    let declared = figures::ring::declared(of.source);
    add("lab-ring", figures::ring::at(launch, block, &declared, last));
    let format = |bits, bytes| value::text(dtype, bits, bytes);
    add("lab-tiles", figures::tiles::at(launch, block, last, of.tags, &format));
    if value::size(dtype) == 4 && own.iter().any(figures::tiles::is_look) {
        let format = |bits| value::text(dtype, bits, 4);
        add("lab-look-back", figures::look_back::at(launch, [event, last], &format));
    }
    add("lab-links", links(launch, events, last));
    let blocks = progress(launch, block, event);
    add("lab-strip", (blocks.len() > 1).then(|| figures::strip::draw(&blocks, &launch.kernel)));
    all
}

/// What the launch has moved to and from other devices up to an event; none if that is nothing.
fn links(launch: &LaunchReport, events: &[Event], until: usize) -> Option<Picture> {
    let links = memory::links(launch.device?, events, until);
    let picture = figures::links::draw(&links, &launch.kernel).ok()?;
    let title = "The bytes that this launch has moved from device to device so far.".into();
    Some(Picture { title, ..picture })
}

/// How far each block of a launch is at an event of the block `current`.
fn progress(launch: &LaunchReport, current: u64, event: usize) -> Vec<Progress> {
    let count = launch.grid.iter().map(|&extent| extent as usize).product::<usize>();
    let mut blocks = vec![Progress::Waiting; count.min(MOST_BLOCKS)];
    let mut exited = vec![0; blocks.len()];
    let threads: u32 = launch.block.iter().product();
    for it in launch.trace.iter().flat_map(|trace| &trace.events).take(event + 1) {
        let number = it.block() as usize;
        let Some(block) = blocks.get_mut(number) else { continue };
        if let Event::Instruction { class: InstructionClass::Exit, active, .. } = it {
            exited[number] += active.count_ones();
        }
        *block = if exited[number] < threads { Progress::Resident } else { Progress::Ended };
    }
    if let Some(block) = blocks.get_mut(current as usize) {
        *block = Progress::Current;
    }
    blocks
}

/// The active lanes of the block's warps over time, as HTML.
///
/// # Errors
/// If there are more warps than a picture has room for.
pub fn timeline(launch: &LaunchReport, block: u64) -> Result<String, String> {
    let events = launch.trace.iter().flat_map(|trace| &trace.events);
    let own = events
        .filter(|event| matches!(event, Event::Instruction { place, .. } if place.block == block));
    let bands = figures::timeline::bands(&own.collect::<Vec<_>>());
    let picture = figures::timeline::draw(&bands, None, &launch.kernel)?;
    Ok(figure("lab-timeline", &picture))
}

/// A tree that a block folds, step by step.
#[derive(Clone, Debug, Serialize)]
pub struct GrowingTree {
    /// Where the tree is folded.
    pub title: String,
    /// The tree as HTML, each stage with its number from 1.
    pub picture: String,
    /// For each stage the index of the event in the trace at which it is complete.
    pub ends: Vec<usize>,
}

/// The trees that a block folds in its shared memory, and its warps in registers.
pub fn trees(launch: &LaunchReport, block: u64, fold: Fold<'_>) -> Vec<GrowingTree> {
    let events = launch.trace.iter().flat_map(|trace| &trace.events).enumerate();
    let own = events.filter(|(_, event)| event.block() == block);
    let (indices, events): (Vec<usize>, Vec<&Event>) = own.unzip();
    let mut trees = Vec::new();
    let mut add = |title: String, storage, grown: Result<Grown, String>| {
        let Ok(Grown { mut tree, ends }) = grown else { return };
        if tree.width() > WIDEST_TREE {
            match tree.of_first(WIDEST_TREE) {
                Ok(narrow) => tree = narrow,
                Err(_) => return,
            }
        }
        let later = &ends[ends.len() - tree.stages.len()..];
        let format = |bits| fold.text(bits);
        let picture = figures::tree::draw(&tree, storage, &launch.kernel, &format);
        trees.push(GrowingTree {
            title,
            picture: figure(&format!("lab-tree-{}", trees.len()), &picture),
            ends: later.iter().map(|&end| indices[end]).collect(),
        });
    };
    add("The tree in shared memory".into(), Storage::Shared, tree::in_shared(&events, fold));
    for warp in 0..MOST_TREES {
        let title = format!("The tree in the registers of warp {warp}");
        add(title, Storage::Registers, tree::in_registers(&events, warp, fold));
    }
    trees
}

/// The effects of an instruction, which follow its event in the trace.
fn effects(events: &[Event], instruction: usize) -> &[Event] {
    let Some(Event::Instruction { place, .. }) = events.get(instruction) else {
        return &[];
    };
    let behind = &events[instruction + 1..];
    let is_own = |event: &&Event| match event {
        Event::Access { place: of, .. }
        | Event::Shuffle { place: of, .. }
        | Event::Mbarrier { place: of, .. } => (of.block, of.warp) == (place.block, place.warp),
        _ => false,
    };
    &behind[..behind.iter().take_while(is_own).count()]
}

fn by_lane(mask: u32, words: impl Iterator<Item = String>) -> Vec<String> {
    let mut all = vec![String::new(); 32];
    lanes(mask).zip(words).for_each(|(lane, words)| all[lane as usize] = words);
    all
}

fn of_access(access: &TracedAccess, dtype: &str) -> Vec<String> {
    let words = access.values.iter().map(|values| {
        let bytes = access.bytes / values.len().max(1) as u32;
        let texts: Vec<_> = values.iter().map(|&bits| value::text(dtype, bits, bytes)).collect();
        texts.join(", ")
    });
    by_lane(access.lanes, words)
}

/// The lanes and the banks or sectors that they access; none if the book's pictures have no such access.
fn picture(
    place: &Place,
    access: &TracedAccess,
    kernel: &str,
    quote: &dyn Fn(&str) -> String,
) -> Option<Picture> {
    let drawn = figures::Access {
        lanes: access.lanes,
        addresses: &access.addresses,
        base: access.base,
        bytes: access.bytes,
        cost: access.cost,
        verb: access.access.verb(),
        line: quote(&place.line),
    };
    let picture = match access.space {
        AccessSpace::Shared => figures::banks::draw(&[drawn], kernel),
        AccessSpace::Global => figures::sectors::draw(&[drawn], kernel),
    };
    picture.ok()
}

fn titled(id: &str, picture: &Picture) -> String {
    format!("<p class=\"title\">{}</p>\n{}", html::escape(&picture.title), figure(id, picture))
}

/// A picture in a box of its kind.
pub(crate) fn figure(id: &str, picture: &Picture) -> String {
    format!("<div class=\"drawn {}\">\n{}</div>\n", picture.class, html::drawings_as(id, picture))
}

/// The shared memory of a block after these events, of which `current` are the last.
fn shared(
    launch: &LaunchReport,
    block: u64,
    events: &[Event],
    current: &[Event],
    of: &Of<'_>,
) -> Vec<Word> {
    let bytes = (launch.static_shared + launch.dynamic_shared) as usize;
    let mut held = vec![Held::default(); bytes.min(MOST_SHARED).div_ceil(4)];
    for (place, access) in events.iter().filter_map(|event| in_shared(event, block)) {
        for Element { lane, word, content } in elements(access) {
            let Some(held) = held.get_mut(word) else { continue };
            held.content = content;
            // What is read tells the value that an atomic or a copy has left.
            if access.access != AccessKind::Load {
                held.writer = Some(32 * place.warp + lane);
            }
        }
    }
    for (_, access) in current.iter().filter_map(|event| in_shared(event, block)) {
        let touched = match access.access {
            AccessKind::Load => Touched::Read,
            AccessKind::Store | AccessKind::Atomic => Touched::Written,
        };
        for Element { word, .. } in elements(access) {
            if let Some(held) = held.get_mut(word) {
                held.touched = touched;
            }
        }
    }
    let words = held.iter().enumerate();
    words
        .map(|(index, held)| held.drawn(of.dtype, of.launched.shared_at(4 * index as u64)))
        .collect()
}

fn in_shared(event: &Event, block: u64) -> Option<(&Place, &TracedAccess)> {
    match event {
        Event::Access { place, access }
            if place.block == block && access.space == AccessSpace::Shared =>
        {
            Some((place, access))
        }
        _ => None,
    }
}

/// What a word of shared memory holds.
#[derive(Clone, Copy, Debug, Default)]
enum Stored {
    /// Nothing has written the word.
    #[default]
    Nothing,
    /// The trace does not hold the value: an atomic left it.
    Unknown,
    /// The bits of a value, and its bytes.
    Value(u64, u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Held {
    content: Stored,
    writer: Option<u32>,
    touched: Touched,
}

impl Held {
    fn drawn(&self, dtype: &str, name: String) -> Word {
        let value = match self.content {
            Stored::Nothing => String::new(),
            Stored::Unknown => "?".into(),
            Stored::Value(bits, bytes) => value::text(dtype, bits, bytes),
        };
        Word { value, name, writer: self.writer, touched: self.touched }
    }
}

/// An element that a lane accesses, and the word that it begins in. Of elements that share a word the last counts.
struct Element {
    lane: u32,
    word: usize,
    content: Stored,
}

fn elements(access: &TracedAccess) -> Vec<Element> {
    let mut all = Vec::new();
    for (index, (lane, &address)) in lanes(access.lanes).zip(&access.addresses).enumerate() {
        let values = access.values.get(index).map_or(&[][..], |values| &values[..]);
        if values.is_empty() {
            all.push(Element { lane, word: address as usize / 4, content: Stored::Unknown });
        }
        let bytes = access.bytes / values.len().max(1) as u32;
        for (number, &bits) in values.iter().enumerate() {
            let word = (address as usize + number * bytes as usize) / 4;
            all.push(Element { lane, word, content: Stored::Value(bits, bytes) });
        }
    }
    all
}
