//! Coalescing: what the memory makes of a warp's request.
//!
//! Here stand the rungs, a line each, in tables by what they do: a rung is a kernel file of its own,
//! `kernels/<rung>.cu`, compiled to PTX beside it. The launches, in plain cudarc, are below and, of the
//! reads with a known number of bytes under way, in [`bytes_in_flight`]. What each asks of the memory is
//! predicted in [`traffic`], without running it.

pub mod broken;
pub mod bytes_in_flight;
pub mod chapter;
pub mod indices;
pub mod particles;
pub mod patterns;
pub mod reference;
pub mod task;
pub mod traffic;

use cudarc::driver::{LaunchConfig, PushKernelArg};
pub use harness::rung::{Ready, Rung, Setup};
use harness::{Error, buffer, kernel, rung, rung::Rungs};

pub use crate::task::Task;

/// Copies of everything: the ladder.
#[rustfmt::skip] // a table
pub const COPIES: &[Rung] = &[
    rung!("scalar", |s| copy(s, "scalar", 1),
        "4 bytes a thread"),
    rung!("vec2", |s| copy(s, "vec2", 2),
        "8 bytes a thread"),
    rung!("packs", |s| copy(s, "packs", 4),
        "16 bytes a thread"),
    rung!("four_packs", |s| copy(s, "four_packs", 16),
        "four times 16 bytes a thread"),
    rung!("bulk", bulk,
        "4 KiB a block, by no thread at all", ["bulk.compute_90.ptx"]),
];

/// Copies that are shifted by an offset.
#[rustfmt::skip]
pub const OFFSETS: &[Rung] = &[
    rung!("offset_loads", |s| shift(s, "offset_loads", 1),
        "loads begin at the offset"),
    rung!("offset_stores", |s| shift(s, "offset_stores", 1),
        "stores begin at the offset"),
    rung!("four_loads", |s| shift(s, "four_loads", 4),
        "stores are packs, loads are four elements each"),
    rung!("two_packs", |s| shift(s, "two_packs", 4),
        "packs on both sides: two aligned ones for each that is not"),
    rung!("shuffled", |s| shift(s, "shuffled", 4),
        "each pack loaded once: the next one comes from the next lane"),
];

/// Copies of one element of several.
#[rustfmt::skip]
pub const STRIDES: &[Rung] = &[
    rung!("strided_loads", |s| stride(s, "strided_loads"),
        "loads are a stride apart"),
    rung!("strided_stores", |s| stride(s, "strided_stores"),
        "stores are a stride apart"),
];

/// Sums of pairs.
#[rustfmt::skip]
pub const PAIRS: &[Rung] = &[
    rung!("two_loads", |s| sums(s, "two_loads"),
        "a thread loads its two elements one by one"),
    rung!("past_l1", |s| sums(s, "past_l1"),
        "likewise, and the L1 keeps nothing"),
    rung!("read_only", |s| sums(s, "read_only"),
        "likewise, by the read-only path"),
    rung!("one_load", |s| sums(s, "one_load"),
        "both elements in one access of 8 bytes"),
];

/// Updates of particles.
#[rustfmt::skip]
pub const PARTICLES: &[Rung] = &[
    rung!("aos", |s| update(s, "aos", 1),
        "an array of structures"),
    rung!("aos_packs", |s| update(s, "aos_packs", 1),
        "the same in accesses of 16 bytes"),
    rung!("aos_staged", |s| update(s, "aos_staged", 1),
        "the same through shared memory, side by side"),
    rung!("soa", |s| update(s, "soa", 1),
        "a structure of arrays"),
    rung!("soa_packs", |s| update(s, "soa_packs", 4),
        "the same, four particles a thread"),
    rung!("aosoa", |s| update(s, "aosoa", 1),
        "an array of structures of arrays of 32"),
];

/// Permutations.
#[rustfmt::skip]
pub const GATHERS: &[Rung] = &[
    rung!("gather", |s| permute(s, "gather", 1),
        "loads go where indices say"),
    rung!("gather_read_only", |s| permute(s, "gather_read_only", 1),
        "likewise, by the read-only path"),
    rung!("gather_four", |s| permute(s, "gather_four", 4),
        "four elements a thread"),
    rung!("scatter", |s| permute(s, "scatter", 1),
        "stores go where indices say"),
];

/// Reads.
#[rustfmt::skip]
pub const BYTES_IN_FLIGHT: &[Rung] = &[
    rung!("bytes_in_flight", bytes_in_flight::read,
        "reads with so many loads of a thread under way"),
];

/// All rungs: table by table, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[
    COPIES,
    OFFSETS,
    STRIDES,
    PAIRS,
    PARTICLES,
    GATHERS,
    BYTES_IN_FLIGHT,
    broken::BROKEN,
]);

/// Threads of a block.
const THREADS: u32 = 256;

/// The launch for so many threads: one block at least.
fn threads(wanted: u64) -> LaunchConfig {
    kernel::grid(wanted.div_ceil(THREADS.into()).max(1), THREADS)
}

/// A kernel that makes a case's results from its input, `each` a thread.
pub(crate) fn copy(s: &Setup<'_>, entry: &str, each: u64) -> Result<Ready, Error> {
    let n = Task::of(&s.case).results(s.case.elements());
    copy_by(s, entry, threads(n.div_ceil(each)))
}

/// Elements of a block of bulk.cu, and its threads.
const CHUNK: u64 = 1024;
const BULK_THREADS: u32 = 32;

/// A copy by chunks, a block each.
fn bulk(s: &Setup<'_>) -> Result<Ready, Error> {
    let chunks = s.case.elements().div_ceil(CHUNK).max(1);
    copy_by(s, "bulk", kernel::grid(chunks, BULK_THREADS))
}

/// A kernel that makes a case's results from its input.
fn copy_by(s: &Setup<'_>, entry: &str, config: LaunchConfig) -> Result<Ready, Error> {
    let n = Task::of(&s.case).results(s.case.elements());
    let kernel = s.entry(entry)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |input, out| {
        if n == 0 {
            return Ok(()); // nothing to move
        }
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        // SAFETY: input and output are as long as the case's task says for n results, and both aligned to
        // 16 bytes; blocks and grid are those of the kernel's header.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// Sums of pairs: two elements of the input each.
fn sums(s: &Setup<'_>, entry: &str) -> Result<Ready, Error> {
    copy(s, entry, 1)
}

/// A kernel whose last argument says where: an offset or a stride.
fn displaced(s: &Setup<'_>, entry: &str, by: u64, each: u64) -> Result<Ready, Error> {
    let n = Task::of(&s.case).results(s.case.elements());
    let kernel = s.entry(entry)?;
    let config = threads(n.div_ceil(each));
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |input, out| {
        if n == 0 {
            return Ok(()); // nothing to move
        }
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n).arg(&by);
        // SAFETY: of a case's elements, n results shifted or strided by `by` leave neither side (see
        // `Coalescing::check`); both are aligned to 16 bytes; blocks have 256 threads.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// A copy that is shifted by the case's offset, `each` elements a thread.
pub(crate) fn shift(s: &Setup<'_>, entry: &str, each: u64) -> Result<Ready, Error> {
    let offset = s.case.parameters.offset.unwrap_or(0);
    displaced(s, entry, offset, each)
}

/// A copy of one element of each stride.
fn stride(s: &Setup<'_>, entry: &str) -> Result<Ready, Error> {
    let stride = s.case.parameters.stride.unwrap_or(1);
    displaced(s, entry, stride, 1)
}

/// A step of all particles, `each` a thread, in the place of the input's copy.
pub(crate) fn update(s: &Setup<'_>, entry: &str, each: u64) -> Result<Ready, Error> {
    let n = Task::of(&s.case).results(s.case.elements());
    let kernel = s.entry(entry)?;
    let config = threads(n.div_ceil(each));
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |_, particles| {
        if n == 0 {
            return Ok(()); // nobody to move
        }
        let mut launch = stream.launch_builder(&function);
        launch.arg(particles).arg(&n).arg(&particles::DT);
        // SAFETY: there are 8 n elements at least, aligned to 16 bytes; blocks of 256 threads, enough of
        // them.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// A copy by the case's indices, which are on the device from here on, `each` a thread.
pub(crate) fn permute(s: &Setup<'_>, entry: &str, each: u64) -> Result<Ready, Error> {
    let n = s.case.elements();
    let kernel = s.entry(entry)?;
    let config = threads(n.div_ceil(each));
    let indices = buffer::upload(s.device, &indices::of(&s.case))?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |input, out| {
        if n == 0 {
            return Ok(()); // nothing to move
        }
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(&indices).arg(out).arg(&n);
        // SAFETY: input, output and indices have n elements, and every index is below n; blocks of
        // 256 threads, enough of them.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
