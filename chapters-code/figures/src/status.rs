//! Status words, by which blocks pass the values of their tiles along: a tag in the upper half of a word, and a value or
//! half of one in the lower half.

use simt_report::{AccessKind, AccessSpace, Event, Place, TracedAccess};

use crate::lanes;

/// Bytes of a status word.
pub(crate) const WORD: u64 = 8;

/// An access to status words, by the functions of one of these files.
pub(crate) fn access<'e>(
    event: &'e Event,
    files: &[&str],
) -> Option<(&'e Place, &'e TracedAccess)> {
    match event {
        Event::Access { place, access } => {
            let is_word = access.space == AccessSpace::Global && u64::from(access.bytes) == WORD;
            let is_of = |file: &&str| place.line.contains(&format!("{file}:"));
            (is_word && files.iter().any(is_of)).then_some((place, access))
        }
        _ => None,
    }
}

/// The words of an access: lane, address and bits.
pub(crate) fn words(access: &TracedAccess) -> impl Iterator<Item = (u32, u64, u64)> {
    let values = access.values.iter().map(|values| values.first().copied().unwrap_or(0));
    let of_lanes = lanes(access.lanes).zip(&access.addresses).zip(values);
    of_lanes.map(|((lane, &address), bits)| (lane, address, bits))
}

/// Whether an access stores.
pub(crate) fn is_store(access: &TracedAccess) -> bool {
    access.access == AccessKind::Store
}
