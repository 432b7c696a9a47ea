//! What the lab knows of a traced launch besides its trace: the names of the source, and the memory before the launch.
//! With the trace this gives the memory at every step.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use figures::arrays::{Element, SECTOR, Strip};
use figures::memory::Touched;
use ptx::ir::Kernel;
use simt_report::{AccessKind, AccessSpace, Event, Link, TracedAccess};

use crate::arrays::{Array, Arrays};
use crate::data::Data;
use crate::devices::Devices;
use crate::lines::Written;
use crate::names::Names;
use crate::replay::Memory;
use crate::value;

/// Arrays that are drawn at most, and rows of each.
const MOST_ARRAYS: usize = 4;
const ROWS: u64 = 2;

/// A launch that was traced.
#[derive(Clone, Debug, Default)]
pub struct Launched {
    /// The variables of the kernel.
    pub names: Arc<Names>,
    /// The instructions that a reader has written.
    pub(crate) written: Arc<Written>,
    /// The arrays that the parameters point to.
    pub arrays: Arrays,
    /// The shared variables.
    pub(crate) shared: Vec<Shared>,
    /// The memory before the launch.
    pub(crate) before: Memory,
    /// Whether it ran together with launches of other devices, which may store to what this one reads.
    pub(crate) is_together: bool,
}

/// A shared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    name: String,
    /// The offsets in the block's shared memory.
    range: Range<u64>,
    /// The bytes of an element, if it is an array and they are known.
    element: Option<u32>,
}

impl Shared {
    /// The shared variables of a kernel, in the order of their offsets.
    pub fn of(kernel: &Kernel, data: &Data) -> Vec<Self> {
        let all = kernel.shared_variables.iter().map(|(name, offset, bytes)| {
            let (name, start) = (simt::source_name(name), u64::from(*offset));
            // Dynamic shared memory goes on to the end.
            let end = if *bytes == 0 { u64::MAX } else { start + u64::from(*bytes) };
            Self { name: name.to_owned(), range: start..end, element: data.element_of(name) }
        });
        let mut all: Vec<Self> = all.collect();
        all.sort_by_key(|one| one.range.start);
        all
    }

    /// The element that begins at an offset, or the place in the variable.
    fn at(&self, offset: u64) -> String {
        let Self { name, range, element } = self;
        let inside = offset - range.start;
        match element.map(u64::from) {
            Some(element) if inside.is_multiple_of(element) => {
                format!("{name}[{}]", inside / element)
            }
            None if inside == 0 && range.end - range.start <= 8 => name.clone(),
            _ => format!("{name}+{inside}B"),
        }
    }
}

impl Launched {
    /// What begins at an offset in shared memory; empty if nothing with a name does.
    pub(crate) fn shared_at(&self, offset: u64) -> String {
        let found = self.shared.iter().rfind(|one| one.range.contains(&offset));
        found.map_or_else(String::new, |one| one.at(offset))
    }

    /// Where the shared variables begin, as a sentence; empty if there are none.
    pub(crate) fn shared_in_words(&self) -> String {
        let all =
            self.shared.iter().map(|one| format!("{} from word {}", one.name, one.range.start / 4));
        let all: Vec<String> = all.collect();
        if all.is_empty() { String::new() } else { format!(" {}.", all.join(", ")) }
    }
}

/// What a block has touched of an array.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// The event and the address of the last access by the block.
    last: Option<(usize, u64)>,
    /// The bytes of an element, by the narrowest access.
    bytes: Option<u32>,
    /// Whether the launch accesses it at all.
    is_used: bool,
}

/// The arrays that a launch uses, around what a block touches from one event to another; none if it uses none with a
/// name.
pub(crate) fn arrays(
    launched: &Launched,
    events: &[Event],
    block: u64,
    [event, last]: [usize; 2],
    dtype: &str,
) -> Option<Vec<Strip>> {
    let all = launched.arrays.all();
    let uses = uses(&launched.arrays, events, block, last);
    let mut shown: Vec<usize> = (0..all.len()).filter(|&index| uses[index].is_used).collect();
    if shown.len() > MOST_ARRAYS {
        shown.sort_by_key(|&index| std::cmp::Reverse(uses[index].last));
        shown.truncate(MOST_ARRAYS);
        shown.sort_unstable();
    }
    let current = &events[event.min(events.len())..events.len().min(last + 1)];
    let strip = |index: usize| {
        let of = Shown { launched, array: &all[index], dtype };
        of.strip(uses[index], &events[..events.len().min(last + 1)], current)
    };
    let strips: Vec<Strip> = shown.into_iter().map(strip).collect();
    (!strips.is_empty()).then_some(strips)
}

/// The accesses to device memory among events.
fn accesses(events: &[Event]) -> impl Iterator<Item = (usize, u64, &TracedAccess)> {
    events.iter().enumerate().filter_map(|(index, event)| match event {
        Event::Access { place, access } if access.space == AccessSpace::Global => {
            Some((index, place.block, access))
        }
        _ => None,
    })
}

fn uses(arrays: &Arrays, events: &[Event], block: u64, until: usize) -> Vec<Use> {
    let mut uses = vec![Use::default(); arrays.all().len()];
    for (index, of, access) in accesses(events) {
        let Some(&first) = access.addresses.first() else { continue };
        let found = arrays.behind(first);
        let found = found.and_then(|found| arrays.all().iter().position(|one| one == found));
        let Some(found) = found else { continue };
        let Use { last, bytes, is_used } = &mut uses[found];
        *is_used = true;
        let of_element = access.bytes / access.values.first().map_or(1, Vec::len).max(1) as u32;
        *bytes = Some(bytes.map_or(of_element, |bytes| bytes.min(of_element)));
        if of == block && index <= until {
            *last = Some((index, first));
        }
    }
    uses
}

/// An array that is drawn.
struct Shown<'a> {
    launched: &'a Launched,
    array: &'a Array,
    dtype: &'a str,
}

impl Shown<'_> {
    fn strip(&self, used: Use, events: &[Event], current: &[Event]) -> Strip {
        let Array { name, start, end, element, declared, .. } = self.array;
        let bytes =
            element.or(used.bytes).filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8)).unwrap_or(4);
        let row = Strip::of_row(bytes) as u64 * u64::from(bytes);
        let touched = self.touched(current);
        let now = touched.keys().next().map(|&byte| byte / row * row);
        let focus = now.or(used.last.map(|(_, address)| address / row * row));
        let from = focus.unwrap_or(0).max(start / row * row);
        let window = from..(from + ROWS * row).min(end.next_multiple_of(bytes.into()));
        let content = self.content(&window, events);
        let dtype = dtype_of(declared).unwrap_or(self.dtype);
        let elements = (window.clone()).step_by(bytes as usize).zip(content.chunks(bytes as usize));
        let elements = elements.map(|(address, content)| {
            let content: Option<Vec<u8>> = content.iter().copied().collect();
            let value =
                content.map_or_else(String::new, |content| value::of_bytes(dtype, &content));
            let touched = touched.range(address..address + u64::from(bytes)).next();
            Element { value, touched: touched.map_or(Touched::No, |(_, touched)| *touched) }
        });
        let sectors = touched.keys().map(|byte| byte / u64::from(SECTOR) * u64::from(SECTOR));
        let others: BTreeSet<u64> = sectors.filter(|sector| !window.contains(sector)).collect();
        Strip {
            name: name.clone(),
            first: (from as i64 - *start as i64) / i64::from(bytes),
            bytes,
            elements: elements.collect(),
            other_sectors: others.len(),
        }
    }

    /// The bytes of the array that the current step touches.
    fn touched(&self, current: &[Event]) -> BTreeMap<u64, Touched> {
        let mut touched = BTreeMap::new();
        for (_, _, access) in accesses(current) {
            let kind = match access.access {
                AccessKind::Load => Touched::Read,
                AccessKind::Store | AccessKind::Atomic => Touched::Written,
            };
            for &address in &access.addresses {
                if self.launched.arrays.behind(address) == Some(self.array) {
                    let bytes = address..address + u64::from(access.bytes);
                    touched.extend(bytes.map(|byte| (byte, kind)));
                }
            }
        }
        touched
    }

    /// The content of a range of addresses after events; none for a byte that is not known.
    fn content(&self, window: &Range<u64>, events: &[Event]) -> Vec<Option<u8>> {
        let mut content = vec![None; (window.end - window.start) as usize];
        let mut write = |address: u64, byte: Option<u8>| {
            if window.contains(&address) {
                content[(address - window.start) as usize] = byte;
            }
        };
        let before = match self.launched.is_together && !self.array.is_read_only {
            true => &[][..],
            false => &self.launched.before[..],
        };
        for (start, bytes) in before {
            let from = window.start.saturating_sub(*start) as usize;
            let count = (window.end - window.start) as usize;
            for (index, byte) in bytes.iter().enumerate().skip(from).take(count) {
                write(start + index as u64, Some(*byte));
            }
        }
        for (_, _, access) in accesses(events) {
            for (index, &address) in access.addresses.iter().enumerate() {
                if address >= window.end || address + u64::from(access.bytes) <= window.start {
                    continue;
                }
                let values = access.values.get(index).map_or(&[][..], Vec::as_slice);
                let of_value = access.bytes / values.len().max(1) as u32;
                for byte in 0..access.bytes {
                    let value = values.get((byte / of_value.max(1)) as usize);
                    let known =
                        value.map(|bits| (bits >> (8 * (byte % of_value.max(1)).min(7))) as u8);
                    write(address + u64::from(byte), known);
                }
            }
        }
        content
    }
}

/// The type of values, as [`value::text`] knows it, of a declared type; none for a type that may be any.
fn dtype_of(declared: &str) -> Option<&'static str> {
    Some(match declared {
        "float" | "f32" => "f32",
        "double" | "f64" => "f64",
        "__half" | "f16" => "f16",
        "__nv_bfloat16" | "bf16" => "bf16",
        "int" | "i32" => "i32",
        "i8" | "signed char" => "i8",
        "u16" | "unsigned short" => "u16",
        "i16" | "short" => "i16",
        "unsigned" | "unsigned int" | "u32" | "u8" | "unsigned char" => "u32",
        "u64" | "size_t" | "unsigned long long" => "u64",
        "i64" | "long long" => "i64",
        _ => return None,
    })
}

/// What a launch on a device has moved to and from others up to an event, in sectors.
pub(crate) fn links(own: u32, events: &[Event], until: usize) -> Vec<Link> {
    let mut links = Vec::new();
    for (_, _, access) in accesses(&events[..events.len().min(until + 1)]) {
        let others = access.addresses.iter().filter(|address| Devices::device_of(**address) != own);
        let sectors = others.flat_map(|&address| {
            let last = address + u64::from(access.bytes.max(1)) - 1;
            address / u64::from(SECTOR)..=last / u64::from(SECTOR)
        });
        for sector in sectors.collect::<BTreeSet<u64>>() {
            let bytes = u64::from(SECTOR);
            let to = Devices::device_of(sector * bytes);
            let mut link = Link { from: own, to, ..Link::default() };
            match access.access {
                AccessKind::Load => link.read_bytes = bytes,
                AccessKind::Store => link.written_bytes = bytes,
                AccessKind::Atomic => link.atomic_bytes = bytes,
            }
            link.add_to(&mut links);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use simt_report::Place;

    use super::*;

    fn event(access: AccessKind, addresses: &[u64], bits: &[u64]) -> Event {
        let access = TracedAccess {
            access,
            space: AccessSpace::Global,
            bytes: 4,
            array: String::new(),
            base: 0,
            allocation_bytes: 0,
            lanes: u32::MAX >> (32 - addresses.len()),
            addresses: addresses.to_vec(),
            values: bits.iter().map(|&bits| vec![bits]).collect(),
            cost: 1,
        };
        Event::Access { place: Place { block: 0, warp: 0, line: "k.cu:1".into() }, access }
    }

    #[test]
    fn arrays_have_what_was_stored_and_read() {
        let array = Array {
            name: "out".into(),
            start: 0x7000,
            end: 0x7400,
            element: Some(4),
            declared: "unsigned".into(),
            is_read_only: false,
        };
        let before = vec![(0x7000, [5, 0, 0, 0].repeat(0x100))];
        let launched =
            Launched { arrays: Arrays::from_all(vec![array]), before, ..Launched::default() };
        let events = [
            event(AccessKind::Store, &[0x7004], &[9]),
            event(AccessKind::Atomic, &[0x7008], &[]),
            event(AccessKind::Load, &[0x7200, 0x7204, 0x73fc], &[7, 5, 5]),
        ];
        let strip = |at: usize| {
            let mut strips = arrays(&launched, &events, 0, [at, at], "f32").expect("an array");
            strips.remove(0)
        };
        let values = |strip: &Strip| {
            strip.elements[..4].iter().map(|one| one.value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(values(&strip(0)), ["5", "9", "5", "5"]);
        assert_eq!(strip(0).elements[1].touched, Touched::Written);
        assert_eq!(values(&strip(1)), ["5", "9", "", "5"]);
        let mut together = Launched { is_together: true, ..launched.clone() };
        let strips =
            |launched: &Launched| arrays(launched, &events, 0, [0, 0], "f32").expect("an array");
        assert_eq!(values(&strips(&together)[0]), ["", "9", "", ""], "others may store there");
        let mut array = together.arrays.all()[0].clone();
        array.is_read_only = true;
        together.arrays = Arrays::from_all(vec![array]);
        assert_eq!(values(&strips(&together)[0]), ["5", "9", "5", "5"]);
        let later = strip(2);
        assert_eq!((later.first, later.elements.len(), later.other_sectors), (128, 64, 1));
        assert_eq!(values(&later), ["7", "5", "5", "5"]);
        assert_eq!(
            [0, 1, 2].map(|index| later.elements[index].touched),
            [Touched::Read, Touched::Read, Touched::No]
        );
    }

    #[test]
    fn shared_elements_have_names() {
        let shared = |name: &str, range, element| Shared { name: name.into(), range, element };
        let shared = vec![
            shared("sums", 0..64, Some(8)),
            shared("next", 64..68, None),
            shared("tile", 128..u64::MAX, None),
        ];
        let launched = Launched { shared, ..Launched::default() };
        let names = [0, 4, 8, 64, 100, 128, 136].map(|offset| launched.shared_at(offset));
        assert_eq!(names, ["sums[0]", "sums+4B", "sums[1]", "next", "", "tile+0B", "tile+8B"]);
        assert_eq!(
            launched.shared_in_words(),
            " sums from word 0, next from word 16, tile from word 32."
        );
    }

    #[test]
    fn links_carry_sectors() {
        let far = simt::DEVICE_BASE + (1 << 40);
        let events = [
            event(AccessKind::Load, &[simt::DEVICE_BASE, far, far + 4, far + 32], &[0; 4]),
            event(AccessKind::Store, &[far], &[1]),
        ];
        let read = Link { from: 0, to: 1, read_bytes: 64, ..Link::default() };
        assert_eq!(links(0, &events, 0), [read]);
        assert_eq!(links(0, &events, 1), [Link { written_bytes: 32, ..read }]);
        assert_eq!(links(1, &events, 1)[0].to, 0);
    }
}
