//! `cargo run --example plain_5`: an inclusive scan that begins again at every head flag. A whole
//! program, in plain cudarc.
//!
//! Three launches, as in chapter 3: each block scans its tile, one block scans what the tiles
//! leave, and the elements before a tile's first head get what is open before the tile. A tile
//! leaves a pair: a value, and whether it has a head.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements: at most `TILE` * `TILE`, so that one block can scan the pairs of all tiles.
const N: usize = 1_000_000;

/// Elements per tile, which are the threads per block: the most that a block can have.
const TILE: usize = 1024;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/hillis_steele.ptx"));
    let scan = context.load_module(ptx)?.load_function("inclusive_sum_f32")?;
    let ptx = Ptx::from_src(include_str!("../kernels/add_block_offsets.ptx"));
    let add_block_offsets = context.load_module(ptx)?.load_function("sum_f32")?;

    // Integers whose sums are below 2^24: no f32 is rounded. A head at every square number: the
    // segments grow, up to 1,999 elements.
    let input: Vec<f32> = (0..N).map(|i| (i % 7) as f32).collect();
    let input_flags: Vec<u8> = (0..N).map(|i| u8::from(i.isqrt().pow(2) == i)).collect();
    let tiles = N.div_ceil(TILE);
    let values = stream.clone_htod(&input)?;
    let flags = stream.clone_htod(&input_flags)?;
    let mut out = stream.alloc_zeros::<f32>(N)?;
    let mut sums = stream.alloc_zeros::<f32>(tiles)?;
    let mut heads = stream.alloc_zeros::<u8>(tiles)?;
    let mut reached = stream.alloc_zeros::<u32>(tiles)?;
    let mut scanned = stream.alloc_zeros::<f32>(tiles)?;
    // The pair of the second launch's only block, which is not used.
    let mut last_sum = stream.alloc_zeros::<f32>(1)?;
    let mut last_head = stream.alloc_zeros::<u8>(1)?;
    let mut last_reached = stream.alloc_zeros::<u32>(1)?;

    // The scans have two pairs of shared memory per thread: a step reads one array and writes the
    // other.
    let pairs = 2 * TILE * (size_of::<f32>() + size_of::<u8>());
    let config = |blocks: usize, shared: usize| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (TILE as u32, 1, 1),
        shared_mem_bytes: shared as u32,
    };
    let mut launch = stream.launch_builder(&scan);
    launch.arg(&values).arg(&flags).arg(&mut out).arg(&N);
    launch.arg(&mut sums).arg(&mut heads).arg(&mut reached);
    // SAFETY: hillis_steele.cu is `(const f32* in, const u8* flags, f32* out, size_t n, f32*
    // values, u8* heads, u32* reached)`. It reads in[0 .. n] and their flags, writes out[0 .. n],
    // and the other three per block.
    unsafe { launch.launch(config(tiles, pairs))? };

    let mut launch = stream.launch_builder(&scan);
    launch.arg(&sums).arg(&heads).arg(&mut scanned).arg(&tiles);
    launch.arg(&mut last_sum).arg(&mut last_head).arg(&mut last_reached);
    // SAFETY: as above, with one block.
    unsafe { launch.launch(config(1, pairs))? };

    let mut launch = stream.launch_builder(&add_block_offsets);
    launch.arg(&mut out).arg(&N).arg(&scanned).arg(&reached).arg(&TILE);
    // SAFETY: add_block_offsets.cu is `(f32* out, size_t n, const f32* scanned, const u32* reached,
    // size_t items_per_block)`. It updates out[0 .. n], and reads one element of scanned and of
    // reached per tile.
    unsafe { launch.launch(config(tiles, 0))? };
    let out = stream.clone_dtoh(&out)?;
    stream.synchronize()?;

    let mut expected = Vec::with_capacity(N);
    let mut sum = 0.0;
    for (&x, &flag) in input.iter().zip(&input_flags) {
        sum = if flag != 0 { x } else { sum + x };
        expected.push(sum);
    }
    ensure!(out == expected, "segmented scan of {N} elements: wrong");
    println!("{}: segmented scan of {N} elements: right", context.name()?);
    Ok(())
}
