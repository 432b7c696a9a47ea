//! One kernel per device: a tile is stored, transposed, where it belongs in the memory of another device.

use cudarc::driver::PushKernelArg;
use harness::{Launch, Prepared, Refusal, kernel::grid, ptx};

use crate::{
    Case, Rung,
    problem::{Collective, Task, matrix},
};

/// The rung `transpose_push`.
pub static TRANSPOSE_PUSH: Rung = Rung::new(
    "transpose_push",
    "one kernel: a tile is stored, transposed, where it belongs in another device's memory",
    ptx!("kernels/transpose_push.ptx"),
)
.refuses(|_, case| Task::Transpose.refusal(case));

/// Tiles of 32 x 32 elements.
pub fn tiles_of_32(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    in_tiles("transpose_push", 32, p, rung)
}

/// The rung `transpose_packs`.
pub static TRANSPOSE_PACKS: Rung = Rung::new(
    "transpose_packs",
    "tiles of 64 x 64 elements, and 16 bytes per access to the memory of a device",
    ptx!("kernels/transpose_packs.ptx"),
)
.refuses(whole_packs_only);

/// Tiles of 64 x 64 elements.
pub fn tiles_of_64(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    in_tiles("transpose_packs", 64, p, rung)
}

fn whole_packs_only(_rung: &Rung, case: &Case) -> Option<Refusal> {
    let (rows, cols) = matrix(case);
    let has_whole_packs = rows.is_multiple_of(4) && cols.is_multiple_of(4);
    Task::Transpose.refusal(case).or_else(|| {
        let reason = "is for matrices whose rows and columns are multiples of 4";
        (!has_whole_packs).then_some(Refusal::because(reason))
    })
}

/// One kernel per device, of this name, with tiles of `side` rows and columns. Before them and after them, all streams meet.
fn in_tiles(kernel: &str, side: usize, p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.devices.kernels(rung.ptx, kernel)?;
    let (rows, cols) = matrix(&p.case);
    let (row_part, col_part) = (p.devices.part(rows), p.part());
    let tiles = row_part.div_ceil(side) * cols.div_ceil(side);
    let config = grid(tiles.max(1) as u64, 256);
    let row_parts = p.devices.parts(rows);

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let outs = p.out_addresses();
        p.devices.fork()?;
        for (rank, (begin, end)) in (0_i32..).zip(&row_parts) {
            let (d, own) = (rank as usize, end - begin);
            if own * cols == 0 {
                continue;
            }
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&p.inputs[d]).arg(&outs).arg(&rank).arg(&own).arg(&cols);
            launch.arg(&row_part).arg(&col_part).arg(&rows);
            // SAFETY: transpose_push.cu and transpose_packs.cu are `(const float* in, Pointers out, int device, size_t rows,
            // size_t cols, size_t row_part, size_t col_part, size_t all_rows)`. They read `rows` rows of `cols` elements, and
            // write them to columns of the results, whose rows have `all_rows` elements. The sides are whole packs for
            // transpose_packs.cu, by `whole_packs_only`.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
}
