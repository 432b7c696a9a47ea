//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use cudarc::driver::{CudaView, PushKernelArg};
use harness::{Case, Dtype, Error, Op, Parameters, Shape, broken};

use crate::{FOUR_EACH, Ready, Rung, SMALL, Setup, in_place::swapped, layout::Layout, tiled};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "missing_barrier",
        |s| tiled(s, &SMALL),
        [Races, Result],
        "no barrier between filling the tile and reading it"
    ),
    broken!(
        "swizzle_one_side",
        |s| tiled(s, &SMALL),
        [Result],
        "permuted when it is filled, and not when it is read"
    ),
    broken!(
        "width_for_height",
        |s| tiled(s, &SMALL),
        [Result],
        "the output's rows as long as the input's: right for squares"
    ),
    broken!(
        "in_place_tiles",
        in_place_tiles,
        [Races, Result],
        "the kernel with two arrays, given one twice",
        ["coarsened.ptx"]
    ),
    broken!(
        "in_place_swaps",
        |s| swapped(s, &FOUR_EACH),
        [Races, Result],
        "every thread swaps its pair, and so does the pair's other thread"
    ),
    broken!(
        "one_bounds_check",
        |s| tiled(s, &SMALL),
        [Result],
        "the input's bounds stand for the output's"
    ),
    broken!(
        "unchecked_edge",
        |s| tiled(s, &SMALL),
        [Result, Guard, Fault],
        "no bounds at all: right for multiples of 32"
    ),
];

/// What brings out the fault of a broken rung, at about the size that was asked for.
///
/// The last one leaves its arrays, by a row, so that it does no harm on a GPU; the simulator stops it.
pub fn case_for(rung: &str, case: &Case) -> Case {
    let side = case.elements().isqrt().max(64) / 32 * 32;
    let (rows, cols) = match rung {
        "in_place_tiles" | "in_place_swaps" => (side, side),
        "one_bounds_check" => (side + 5, side),
        "unchecked_edge" => (side + 31, side + 31),
        // More rows than columns: rows of the output too short to leave it, but not to overlap.
        _ => (side + 32, side),
    };
    // Those that leave a row of the output find a gap behind it, and do no harm.
    let ld = (rung == "one_bounds_check").then_some(cols + 32);
    Case {
        shape: Shape::Matrix { rows, cols },
        seed: case.seed,
        parameters: Parameters {
            ld,
            ..Parameters::default()
        },
        ..Case::vector(0, Dtype::F32, Op::Sum)
    }
}

/// `coarsened`, told that its output is where its input is.
fn in_place_tiles(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let bytes = s.case.dtype.size() as u64;
    let kernel = s.entry(&format!("transpose_{bytes}"))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = FOUR_EACH.config(&layout, bytes, 1);
    Ok(Ready::new(kernel, config, 0, move |_, matrix| {
        let Layout {
            rows,
            cols,
            ld_in,
            ld_out,
            ..
        } = layout;
        let mut launch = stream.launch_builder(&function);
        let input: CudaView<'_, u8> = matrix.as_view();
        launch.arg(&input).arg(&input);
        launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
        // SAFETY: reads and writes one matrix of `rows` rows, ld_in elements apart, which is square:
        // nothing outside it, though in an order that makes no sense.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
