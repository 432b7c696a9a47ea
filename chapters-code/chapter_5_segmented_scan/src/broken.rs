//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use chapter_3_scan::problem::one_thread_per_element;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Dtype, Element, Kind, Ladder, Launch, Op, Prepared, PtxText, kernel::grid, ptx};

use crate::{
    Case, Matrix, Rung, Segments, Task,
    pairs::Level,
    problem::{Product, SegmentedScan, products_only, scans_only},
    rungs::{levels, scan_per_segment, spmv_tiles},
};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<SegmentedScan<T>> {
    vec![
        // A struct of a flag and a value takes eight bytes of shared memory, not five.
        (FLAGS_NOT_JOINED, |p, rung| levels::with_pairs(4, p, rung)),
        (ONE_BUFFER, |p, rung| levels::with_pairs(4, p, rung)),
        (EXCLUSIVE_LEAKS, levels::shuffle),
        (BORDER_IGNORED, |p, rung| levels::with_offsets_by(ADD_TO_ALL, p, rung)),
        (PREVIOUS_BLOCK_ONLY, previous_block_only),
        (MISSING_BARRIER, scan_per_segment::block),
    ]
}

/// The broken products, each with its launch.
pub fn broken_products() -> Ladder<Product> {
    vec![(PREVIOUS_TILE_ONLY, |p, rung| spmv_tiles::with_carries_by(ADD_PREVIOUS_TILE, p, rung))]
}

/// The kernels of border_ignored.cu: they add what is open before a block to all its elements.
const ADD_TO_ALL: PtxText = ptx!("kernels/broken/border_ignored.ptx");
/// The kernels of previous_block_only.cu: they add the aggregate of the block before.
const ADD_PREVIOUS: PtxText = ptx!("kernels/broken/previous_block_only.ptx");

/// The kernel of previous_tile_only.cu: it adds what the tile before left open.
const ADD_PREVIOUS_TILE: PtxText = ptx!("kernels/broken/previous_tile_only.ptx");

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*)
            .refuses(scans_only)
            // A block of 256 has a head, and what is open before it.
            .adapts(|case| scan_of(case, Kind::Inclusive, Segments::Of(100)))
    };
}

static FLAGS_NOT_JOINED: Rung = broken!(
    "flags_not_joined",
    "hillis_steele",
    [Result],
    "an operator on pairs that forgets to combine the flags"
);
static ONE_BUFFER: Rung = broken!(
    "one_buffer",
    "hillis_steele",
    [Races, Result],
    "Hillis and Steele's steps over pairs in one buffer"
);
static EXCLUSIVE_LEAKS: Rung = broken!(
    "exclusive_leaks",
    "shuffle",
    [Result],
    "an exclusive scan by a shift: it leaks over the heads"
)
.adapts(|case| scan_of(case, Kind::Exclusive, Segments::Of(64)));
static BORDER_IGNORED: Rung = broken!(
    "border_ignored",
    "shuffle",
    levels::SHUFFLE.ptx,
    [Result],
    "what is open before a block, added to all its elements"
);
static PREVIOUS_BLOCK_ONLY: Rung = broken!(
    "previous_block_only",
    "shuffle",
    levels::SHUFFLE.ptx,
    [Result],
    "a block gets the aggregate of the block before it, and of no other"
)
.adapts(|case| scan_of(case, Kind::Inclusive, Segments::Giant));
static MISSING_BARRIER: Rung = broken!(
    "missing_barrier",
    "block_per_segment",
    [Races, Result],
    "one block per segment, without the barrier that ends a round"
)
.adapts(|case| scan_of(case, Kind::Inclusive, Segments::Giant));
static PREVIOUS_TILE_ONLY: Rung = broken!(
    "previous_tile_only",
    "spmv_tiles",
    spmv_tiles::RUNG.ptx,
    [Result],
    "a row gets what the tile before left open, and nothing of the tiles before that one"
)
.refuses(products_only)
// More than three tiles.
.adapts(|case| adapted(case, 1 << 15, Task::Multiply(Matrix::LongRow)));

/// A scan in such segments, about as large as the case, but of more than two blocks.
fn scan_of(case: &Case, kind: Kind, segments: Segments) -> Case {
    adapted(case, 4096, Task::Scan(kind, segments))
}

/// A case of sums of `f32` with this task, of an odd number of elements, `least` or more. Cases of another kind of
/// task stay as they are.
fn adapted(case: &Case, least: u64, task: Task) -> Case {
    let n = case.elements().max(least) | 1;
    match case.task.is_like(task) {
        true => Case { seed: case.seed, task, ..Case::vector(n, Dtype::F32, Op::Sum) },
        false => *case,
    }
}

/// The fault: the aggregates of blocks are added as they are, without a scan of them.
fn previous_block_only<T: Element>(
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?;
    let module = p.device.context.load_module(Ptx::from_src(ADD_PREVIOUS))?;
    let add = module.load_function(&p.operator())?; // such as sum_f32
    let tile = 256u64;
    let mut level = Level::new(p, p.n.div_ceil(tile).max(1))?;
    let config = grid(level.blocks, tile as u32);
    Ok(Launch::new(kernel.clone(), config, 5 + 5 + 2 + 1, move |p: &mut SegmentedScan<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.flags).arg(&mut out).arg(&p.n);
        launch.arg(&mut level.values).arg(&mut level.heads);
        launch.arg(&mut level.reached);
        // SAFETY: as in the rung `shuffle`, whose kernel it is.
        unsafe { launch.launch(config)? };
        let mut launch = p.device.stream.launch_builder(&add);
        launch.arg(&mut out).arg(&p.n).arg(&level.values);
        launch.arg(&level.reached).arg(&tile);
        // SAFETY: previous_block_only.cu updates out[0 .. n], and reads a value and a length for each block.
        unsafe { launch.launch(one_thread_per_element(p.n)) }.map(drop)
    }))
}
