//! What a library offers: the kernel that is faster at the size.

use harness::{Element, Prepared};

use super::rounds::{ALL_GATHER, WARP_SPECIALIZED, all_gather, warp_specialized};
use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `by_size`.
pub static RUNG: Rung = Rung::new(
    "by_size",
    "all_gather up to 32 MiB of input, warp_specialized beyond",
    ALL_GATHER.ptx,
)
.refuses(vectors_only);

/// Up to 32 MiB all_gather is faster: its blocks work together on a tile, so a single round ends sooner.
pub fn prepare<T: Element>(p: &PrefixScan<T>, _: &Rung) -> Prepared<PrefixScan<T>> {
    if p.case.input_bytes() <= 32 << 20 {
        all_gather(p, &ALL_GATHER)
    } else {
        warp_specialized(p, &WARP_SPECIALIZED)
    }
}
