//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Case, Dtype, Element, Kind, Ladder, Launch, Op, Prepared, PtxText, Rung, ptx};

use crate::{
    Matrix, SegmentParameters, Segments,
    pairs::{Level, add_block_offsets, one_thread_per_element},
    problem::{
        scan::{SegmentedScan, scans_only},
        spmv::{Product, products_only},
    },
    rungs::{block_per_segment, hillis_steele, shuffle, spmv_tiles},
    task::Task,
};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<SegmentedScan<T>> {
    vec![
        // A struct of a flag and a value takes eight bytes of shared memory, not five.
        (FLAGS_NOT_JOINED, |p, rung| hillis_steele::with_pairs(4, p, rung)),
        (ONE_BUFFER, |p, rung| hillis_steele::with_pairs(4, p, rung)),
        (EXCLUSIVE_LEAKS, shuffle::prepare),
        (BORDER_IGNORED, |p, rung| shuffle::with_offsets_by(ADD_TO_ALL, p, rung)),
        (PREVIOUS_BLOCK_ONLY, previous_block_only),
        (MISSING_BARRIER, block_per_segment::prepare),
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
    shuffle::RUNG.ptx,
    [Result],
    "what is open before a block, added to all its elements"
);
static PREVIOUS_BLOCK_ONLY: Rung = broken!(
    "previous_block_only",
    "shuffle",
    shuffle::RUNG.ptx,
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
.adapts(long_row);

/// The product of a matrix with a long row, about as large as the case, but of more than three tiles. Cases of other
/// tasks stay as they are.
fn long_row(case: &Case) -> Case {
    if !matches!(Task::of(case), Task::Multiply(_)) {
        return *case;
    }
    let matrix = Some(Matrix::LongRow);
    Case { seed: case.seed, ..Case::vector(case.elements().max(1 << 15) | 1, Dtype::F32, Op::Sum) }
        .with(SegmentParameters { matrix, ..SegmentParameters::default() })
}

/// A scan of sums of `f32` in such segments, about as large as the case, but of more than two blocks. Cases
/// of other tasks stay as they are, and have no broken rungs.
fn scan_of(case: &Case, kind: Kind, segments: Segments) -> Case {
    if !matches!(Task::of(case), Task::Scan(_)) {
        return *case;
    }
    Case { seed: case.seed, ..Case::vector(case.elements().max(4096) | 1, Dtype::F32, Op::Sum) }
        .with(SegmentParameters {
            kind: Some(kind),
            segments: Some(segments),
            ..SegmentParameters::default()
        })
}

/// The fault: the aggregates of blocks are added as they are, without a scan of them.
fn previous_block_only<T: Element>(
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?;
    let add = add_block_offsets(p, ADD_PREVIOUS)?;
    let tile = 256u64;
    let mut level = Level::new(p, p.n.div_ceil(tile).max(1))?;
    let config = LaunchConfig {
        grid_dim: (level.blocks as u32, 1, 1),
        block_dim: (tile as u32, 1, 1),
        shared_mem_bytes: 0,
    };
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
