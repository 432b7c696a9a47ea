//! Transpositions of a matrix that is spread by rows: by copies between the devices, or by kernels that store to them.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Refusal, kernel::grid, ptx};

use crate::{
    Case, Rung,
    problem::{Collective, Shared, Task, matrix},
};

/// The rung `transpose_exchange`.
pub static TRANSPOSE_EXCHANGE: Rung = Rung::new(
    "transpose_exchange",
    "each device transposes its rows, blocks are copied as an all-to-all, and are unpacked",
    ptx!("kernels/transpose_exchange.ptx"),
)
.refuses(|_, case| Task::Transpose.refusal(case));

/// Two kernels per device, and one copy per pair of devices between them.
pub fn exchange(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let mut kernels = Vec::new();
    for device in p.devices.iter() {
        let module = device.context.load_module(Ptx::from_src(rung.ptx))?;
        kernels.push((module.load_function("turn")?, module.load_function("unpack")?));
    }
    let (rows, cols) = matrix(&p.case);
    let (row_parts, col_parts) = (p.devices.parts(rows), p.parts());
    let (row_part, col_part) = (p.devices.part(rows), p.part());
    let tiles = move |rows: usize| rows.div_ceil(32) * cols.div_ceil(32);
    let turned = Shared::<f32>::scratch(&p.devices, row_part * cols)?;
    let received = Shared::<f32>::scratch(&p.devices, col_part * rows)?;
    let most = p.devices[0].resident_blocks(256) as usize;
    let (first, config) = (kernels[0].0.clone(), grid(tiles(row_part).max(1) as u64, 256));

    // ANCHOR: exchange
    Ok(Launch::new(first, config, (), move |p: &mut Collective| {
        if p.n == 0 {
            return Ok(());
        }
        let devices = p.devices.len();
        p.devices.fork_copies()?;
        for (d, (begin, end)) in row_parts.iter().enumerate() {
            let own = end - begin;
            let mut launch = p.devices.streams[d].launch_builder(&kernels[d].0);
            launch.arg(&p.inputs[d]).arg(&turned.addresses().0[d]).arg(&own).arg(&cols);
            // SAFETY: `turn` is `(const float* in, float* out, size_t rows, size_t cols)`. Both have own * cols elements.
            unsafe { launch.launch(grid(tiles(own).max(1) as u64, 256))? };
        }
        p.devices.meet_copies()?;
        for k in 0..devices {
            for (d, (begin, end)) in col_parts.iter().enumerate() {
                let from = (d + k) % devices;
                let (height, width) = (end - begin, row_parts[from].1 - row_parts[from].0);
                let source = turned.addresses().0[from] + (4 * begin * width) as u64;
                let to = received.addresses().0[d] + (4 * height * row_parts[from].0) as u64;
                if height * width > 0 {
                    // SAFETY: both are blocks of height * width elements, and nothing else uses the second.
                    unsafe { p.devices.copy(from, source, d, to, height * width)? };
                }
            }
        }
        for (d, (begin, end)) in col_parts.iter().enumerate() {
            let (own, mut out) = (end - begin, p.outs[d].view_mut());
            let mut launch = p.devices.streams[d].launch_builder(&kernels[d].1);
            launch.arg(&received.addresses().0[d]).arg(&mut out);
            launch.arg(&own).arg(&rows).arg(&row_part);
            // SAFETY: `unpack` is `(const float* received, float* out, size_t rows, size_t cols, size_t part)`. Both have
            // own * rows elements.
            unsafe { launch.launch(grid((own * rows).div_ceil(256).clamp(1, most) as u64, 256))? };
        }
        p.devices.join_copies()
    }))
    // ANCHOR_END: exchange
}

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

/// One kernel per device, of this name, with tiles of `side` rows and columns. Before them and after them, all streams
/// meet.
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
            // SAFETY: transpose_push.cu and transpose_packs.cu are `(const float* in, Pointers out, int device, size_t
            // rows, size_t cols, size_t row_part, size_t col_part, size_t all_rows)`. They read `rows` rows of `cols`
            // elements, and write them to columns of the results, whose rows have `all_rows` elements. The sides are
            // whole packs for transpose_packs.cu, by `whole_packs_only`.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
}
