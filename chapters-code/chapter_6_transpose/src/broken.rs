//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Dtype, Element, Ladder, Launch, Op, Prepared, Shape, ptx};

use crate::{
    Case, MatrixParameters, Rung,
    problem::{Destination, Layout, Matrices, matrices_only, squares_only},
    rungs::{in_place, tiles},
};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<Matrices<T>> {
    vec![
        (MISSING_BARRIER, tiles::one_per_thread),
        (SWIZZLE_ONE_SIDE, tiles::one_per_thread),
        (WIDTH_FOR_HEIGHT, tiles::one_per_thread),
        (IN_PLACE_TILES, in_place_tiles),
        (IN_PLACE_SWAPS, in_place::prepare),
        (ONE_BOUNDS_CHECK, tiles::one_per_thread),
        (UNCHECKED_EDGE, tiles::one_per_thread),
    ]
}

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*)
            .refuses(matrices_only)
            // More rows than columns: a row of the output is too short to leave it, but overlaps others.
            .adapts(|case| enlarged(case, 32, 0))
    };
}

static MISSING_BARRIER: Rung = broken!(
    "missing_barrier",
    "padded",
    [Races, Result],
    "no barrier between filling the tile and reading it"
);
static SWIZZLE_ONE_SIDE: Rung = broken!(
    "swizzle_one_side",
    "swizzled",
    [Result],
    "a tile that is permuted when it is filled, and not when it is read"
);
static WIDTH_FOR_HEIGHT: Rung = broken!(
    "width_for_height",
    "padded",
    [Result],
    "output rows as long as input rows, which is right for squares"
);
static IN_PLACE_TILES: Rung = broken!(
    "in_place_tiles",
    "coarsened",
    ptx!("kernels/coarsened.ptx"),
    [Races, Result],
    "the kernel for two arrays, launched with one array as both"
)
.refuses(squares_only)
.adapts(|case| enlarged(case, 0, 0));
static IN_PLACE_SWAPS: Rung = broken!(
    "in_place_swaps",
    "in_place",
    [Races, Result],
    "both threads of a pair of elements swap the pair"
)
.refuses(squares_only)
.adapts(|case| enlarged(case, 0, 0));
static ONE_BOUNDS_CHECK: Rung = broken!(
    "one_bounds_check",
    "padded",
    [Result],
    "one bounds check, of the input, for the output too"
)
.adapts(|case| {
    // Elements beyond a row of the output fall into the gap behind it, and do no harm.
    let case = enlarged(case, 5, 0);
    let ld = Some(Layout::of(&case).cols + 32);
    let parameters = MatrixParameters { ld, ..case.task };
    case.with(parameters)
});
static UNCHECKED_EDGE: Rung = broken!(
    "unchecked_edge",
    "padded",
    [Result, Guard, Fault],
    "no bounds check at all, which is right for multiples of 32"
)
// The kernel leaves its arrays by one row, which does no harm on a GPU. The simulator stops it.
.adapts(|case| enlarged(case, 31, 31));

/// A square of about the size of the case, whose side is a multiple of 32, with more rows and columns.
fn enlarged(case: &Case, rows: u64, cols: u64) -> Case {
    let side = case.elements().isqrt().max(64) / 32 * 32;
    Case {
        shape: Shape::Matrix { rows: side + rows, cols: side + cols },
        seed: case.seed,
        ..Case::vector(0, Dtype::F32, Op::Sum)
    }
}

/// Launched as `coarsened`, with one array as input and output.
fn in_place_tiles<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?;
    let config = LaunchConfig {
        grid_dim: (p.layout.tiles(32, 32), 1, 1),
        block_dim: (32, 8, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config, Destination::InPlace, move |p: &mut Matrices<T>| {
        let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
        let square = p.square.view();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&square).arg(&square);
        launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
        // SAFETY: coarsened.cu is `(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t
        // ld_out)`. It reads and writes one square matrix and nothing outside it. Which elements it reads
        // depends on the order of the blocks, and the judge expects a wrong result.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
