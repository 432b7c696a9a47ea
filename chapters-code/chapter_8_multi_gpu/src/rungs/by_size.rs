//! The rung that suits the size of the arrays.

use harness::Prepared;

use super::{flags, low_latency, push};
use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `by_size`.
pub static RUNG: Rung = Rung::new(
    "by_size",
    "words with flags for small arrays, flags for middle ones, stores only for large ones",
    flags::FLAGS.ptx,
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// From this number of elements on, two shots take less time than one.
const TWO_SHOT: usize = 1 << 17;

/// From this number of elements on, stores take less time than loads.
const PUSH: usize = 1 << 22;

/// As the rung that is chosen.
pub fn prepare(p: &Collective, _rung: &Rung) -> Prepared<Collective> {
    match p.n {
        ..TWO_SHOT => low_latency::prepare(p, &low_latency::RUNG),
        TWO_SHOT..PUSH => flags::flags(p, &flags::FLAGS),
        PUSH.. => push::push(p, &push::PUSH),
    }
}
