//! Rows of a matrix with 16-byte loads. A short row gets as many lanes as it keeps busy, a long one several blocks.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, buffer, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

/// The rung `rows_coarsened`.
pub static RUNG: Rung = Rung::new(
    "rows_coarsened",
    "rows of a matrix: 16 bytes per load, four loads in flight, long rows split among blocks",
    ptx!("kernels/rows_coarsened.ptx"),
)
.refuses(matrices_only);

/// Elements per thread that are worth a block of their own.
const SPAN: u64 = 256 * 16;

/// One launch, or a second one where several blocks share a row.
pub fn prepare(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    // Blocks of 256 threads: one row each where a warp per row would leave the device idle.
    let resident = u64::from(p.device.resident_blocks(256));
    let is_split = p.rows < 8 * resident && p.cols >= SPAN;
    let spans = if is_split { (resident / p.rows.max(1)).clamp(1, p.cols / SPAN) } else { 1 };
    let config = |threads: u64, rows_per_block: u64, spans: u64| LaunchConfig {
        grid_dim: (p.rows.div_ceil(rows_per_block).max(1) as u32, spans as u32, 1),
        block_dim: (threads as u32, rows_per_block as u32, 1),
        shared_mem_bytes: 0,
    };
    // Four packs of 4 elements for each of a row's lanes, all in flight at once. Head and tail of a row take 3 lanes.
    let narrow = |cols: u64| cols.div_ceil(16).next_power_of_two().clamp(4, 32);
    let first_config = match is_split {
        true => config(256, 1, spans),
        false => config(narrow(p.cols), 256 / narrow(p.cols), 1),
    };
    let second_config = config(narrow(spans), 256 / narrow(spans), 1);
    // A thread's packs, one at a time, head and tail; within a pack; and then the threads.
    let of = |n: u64, threads: u64| n.div_ceil(4 * threads) + 4 + 2 + 11;
    let mut depth = of(p.cols.div_ceil(spans), u64::from(first_config.block_dim.0));
    if spans > 1 {
        depth += of(spans, narrow(spans));
    }
    // A partial result per span of each row.
    let mut partials = buffer::scratch::<f32>(&p.device, spans * p.rows)?;

    let promise = Axis::Rows { depth };
    Ok(Launch::new(kernel.clone(), first_config, promise, move |p: &mut MatrixReduction| {
        let mut out = p.row_results.view_mut();
        let mut first = p.device.stream.launch_builder(&kernel);
        first.arg(&p.input);
        if spans == 1 {
            first.arg(&mut out).arg(&p.rows).arg(&p.cols);
            // SAFETY: rows_coarsened.cu is `(const f32* in, f32* out, size_t rows, size_t cols)`. It reads
            // in[0 .. rows * cols] and writes out[0 .. rows].
            return unsafe { first.launch(first_config) }.map(drop);
        }
        first.arg(&mut partials).arg(&p.rows).arg(&p.cols);
        // SAFETY: as above, but it writes partials[0 .. rows * spans].
        unsafe { first.launch(first_config)? };

        let mut second = p.device.stream.launch_builder(&kernel);
        second.arg(&partials).arg(&mut out).arg(&p.rows).arg(&spans);
        // SAFETY: reads partials[0 .. rows * spans] as a matrix of `spans` columns, and writes
        // out[0 .. rows].
        unsafe { second.launch(second_config) }.map(drop)
    }))
}
