//! Each device transposes its rows, the devices exchange blocks, and each lays what it has received side by side.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task, matrix},
};

/// The rung `transpose_exchange`.
pub static RUNG: Rung = Rung::new(
    "transpose_exchange",
    "each device transposes its rows, blocks are copied as an all-to-all, and are unpacked",
    ptx!("kernels/transpose_exchange.ptx"),
)
.refuses(|_, case| Task::Transpose.refusal(case));

/// Two kernels per device, and one copy per pair of devices between them.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
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

    // ANCHOR: enqueue
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
    // ANCHOR_END: enqueue
}
