//! What a library offers: the kernel that is faster at the size.

use harness::{Element, Prepared};

use super::{all_gather, warp_specialized};
use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `by_size`.
pub static RUNG: Rung = Rung::new(
    "by_size",
    "all_gather up to 32 MiB of input, warp_specialized beyond",
    all_gather::RUNG.ptx,
)
.refuses(vectors_only);

/// Up to 32 MiB all_gather is faster: its blocks work together on a tile, so a single round ends sooner.
pub fn prepare<T: Element>(p: &PrefixScan<T>, _: &Rung) -> Prepared<PrefixScan<T>> {
    if p.case.input_bytes() <= 32 << 20 {
        all_gather::prepare(p, &all_gather::RUNG)
    } else {
        warp_specialized::prepare(p, &warp_specialized::RUNG)
    }
}
