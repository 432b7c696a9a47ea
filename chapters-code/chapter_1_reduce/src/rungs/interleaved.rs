//! A tree in shared memory whose steps have a stride that doubles. These rungs are launched as `sequential`.

use harness::{Rung, ptx};

use crate::problem::vectors_only;

/// The rung `interleaved_modulo`. In step k, the threads whose index is a multiple of 2^(k+1) work.
pub static MODULO: Rung = Rung::new(
    "interleaved_modulo",
    "a tree in shared memory; every 2^k-th thread works",
    ptx!("kernels/interleaved_modulo.ptx"),
)
.refuses(vectors_only);

/// The rung `interleaved_mask`.
pub static MASK: Rung = Rung::new(
    "interleaved_mask",
    "the same with a mask in place of the remainder",
    ptx!("kernels/interleaved_mask.ptx"),
)
.refuses(vectors_only);

/// The rung `interleaved_strided`.
pub static STRIDED: Rung = Rung::new(
    "interleaved_strided",
    "neighbouring threads work, on strided words: bank conflicts",
    ptx!("kernels/interleaved_strided.ptx"),
)
.refuses(vectors_only);
