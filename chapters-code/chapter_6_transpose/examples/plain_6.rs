//! `cargo run --example plain_6`: the transpose of a matrix, by tiles. A whole program, in plain
//! cudarc.
//!
//! A block reads the rows of a tile into shared memory, and writes the tile's columns as rows of
//! the output: neighboring threads always access neighboring elements of global memory.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// The sides of the matrix. They differ, and neither is a multiple of `TILE`: mistakes at the edges
/// would show.
const ROWS: usize = 1000;
const COLS: usize = 700;

/// The side of a tile.
const TILE: usize = 32;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/padded.ptx"));
    // A transpose only moves elements, so its kernel is named after their size: 4 bytes.
    let kernel = context.load_module(ptx)?.load_function("transpose_4")?;

    // Row by row, each element another one.
    let input: Vec<f32> = (0..ROWS * COLS).map(|i| i as f32).collect();
    let matrix = stream.clone_htod(&input)?;
    let mut out = stream.alloc_zeros::<f32>(ROWS * COLS)?;

    // One block per tile, one thread per element. The tile is in static shared memory, whose size
    // the kernel says.
    let config = LaunchConfig {
        grid_dim: ((ROWS.div_ceil(TILE) * COLS.div_ceil(TILE)) as u32, 1, 1),
        block_dim: (TILE as u32, TILE as u32, 1),
        shared_mem_bytes: 0,
    };
    // The leading dimensions: from one row to the next there are as many elements as a row has.
    let (ld_in, ld_out) = (COLS, ROWS);
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&matrix).arg(&mut out);
    launch.arg(&ROWS).arg(&COLS).arg(&ld_in).arg(&ld_out);
    // SAFETY: padded.cu is `(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t
    // ld_out)`. It reads a matrix of `rows` rows and writes one of `cols` rows, which the buffers
    // hold.
    unsafe { launch.launch(config)? };
    let out = stream.clone_dtoh(&out)?;
    stream.synchronize()?;

    let mut expected = vec![0.0; ROWS * COLS];
    for row in 0..ROWS {
        for col in 0..COLS {
            expected[col * ROWS + row] = input[row * COLS + col];
        }
    }
    ensure!(out == expected, "transpose of {ROWS} x {COLS} elements: wrong");
    println!("{}: transpose of {ROWS} x {COLS} elements: right", context.name()?);
    Ok(())
}
