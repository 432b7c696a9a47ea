//! One kernel per device: a tile is stored, transposed, where it belongs in the memory of another device.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Task, matrix},
};

/// The rung `transpose_push`.
pub static RUNG: Rung = Rung::new(
    "transpose_push",
    "one kernel: a tile is stored, transposed, where it belongs in another device's memory",
    ptx!("kernels/transpose_push.ptx"),
)
.refuses(|_, case| Task::Transpose.refusal(case));

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    in_tiles("transpose_push", 32, p, rung)
}

/// As [`prepare`], by a kernel of this name with tiles of `side` rows and columns.
pub fn in_tiles(kernel: &str, side: usize, p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.devices.kernels(rung.ptx, kernel)?;
    let (rows, cols) = matrix(&p.case);
    let (row_part, col_part) = (p.devices.part(rows), p.part());
    let config = LaunchConfig {
        grid_dim: ((row_part.div_ceil(side) * cols.div_ceil(side)).max(1) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
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
            // SAFETY: transpose_push.cu is `(const float* in, Pointers out, int device, size_t rows, size_t cols, size_t
            // row_part, size_t col_part, size_t all_rows)`. It reads `rows` rows of `cols` elements, and writes them to
            // columns of the results, whose rows have `all_rows` elements.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
}
