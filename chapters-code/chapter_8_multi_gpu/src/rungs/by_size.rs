//! One shot for small arrays, two for large ones.

use harness::{Error, Launch, Rung};

use super::{flags, one_shot};
use crate::problem::{AllReduce, vectors_only};

/// One shot for small arrays, two for large ones.
pub static RUNG: Rung =
    Rung::new("by_size", "one shot for small arrays, two for large ones", flags::RUNG.ptx)
        .refuses(vectors_only);

/// The largest array, in bytes, for which one shot is taken.
const ONE_SHOT: usize = 256 << 10;

/// As the rung that is chosen.
pub fn prepare(p: &AllReduce, _rung: &Rung) -> Result<Launch<AllReduce>, Error> {
    match p.n * size_of::<f32>() <= ONE_SHOT {
        true => one_shot::prepare(p, &one_shot::RUNG),
        false => flags::prepare(p, &flags::RUNG),
    }
}
