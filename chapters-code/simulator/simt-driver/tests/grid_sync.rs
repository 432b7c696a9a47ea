//! `this_grid().sync()` of cooperative groups, compiled from NVIDIA's headers.

use crate::common::{self, code, context, in_own_process, load};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, DriverError, PushKernelArg};

const PTX: &str = include_str!("kernels/grid_sync.ptx");
const THREADS: usize = 64;

/// What is left in the first array after some rounds, each with a barrier of the whole grid.
fn rotate(
    context: &std::sync::Arc<CudaContext>,
    kernel: &str,
    (blocks, rounds): (usize, u32),
    cooperative: bool,
) -> Result<Vec<u32>, DriverError> {
    let kernel = load(context, PTX, kernel);
    let stream = context.default_stream();
    let start: Vec<u32> = (0..(blocks * THREADS) as u32).map(|i| i * 100).collect();
    let mut first = stream.clone_htod(&start)?;
    let mut second = stream.clone_htod(&start)?;
    let config = common::blocks(blocks as u32, THREADS as u32);
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut first).arg(&mut second).arg(&rounds);
    // SAFETY: the arguments are those of the kernel, and each thread has its elements.
    unsafe {
        if cooperative {
            launch.launch_cooperative(config)?;
        } else {
            launch.launch(config)?;
        }
    }
    stream.clone_dtoh(if rounds % 2 == 0 { &first } else { &second })
}

#[test]
fn all_blocks_wait_for_each_other() {
    let context = context();
    // From one block to more than the host has threads, and as many as may be resident.
    for grid in [(1, 3), (2, 1), (7, 6), (40, 5), (132 * 32, 2)] {
        let found = rotate(&context, "rotate_rounds", grid, true).unwrap();
        let (blocks, rounds) = grid;
        let shift = rounds as usize * THREADS;
        let moved = |i| ((i + shift) % (blocks * THREADS)) as u32 * 100 + rounds;
        let expected: Vec<u32> = (0..blocks * THREADS).map(moved).collect();
        assert_eq!(found, expected, "{grid:?}");
    }
}

#[test]
fn a_plain_launch_has_no_barrier_of_the_grid() {
    let found = rotate(&context(), "rotate_rounds", (2, 2), false);
    assert_eq!(code(found), CUresult::CUDA_ERROR_LAUNCH_FAILED);
}

#[test]
#[ignore = "run by the other test"]
fn program() {
    let kernel = std::env::var("KERNEL").unwrap();
    let context = context();
    let free = || context.mem_get_info().unwrap().0;
    rotate(&context, &kernel, (5, 4), true).unwrap();
    let before = free();
    rotate(&context, &kernel, (5, 4), true).unwrap();
    assert_eq!(free(), before, "the barrier of a launch is freed with it");
}

#[test]
fn races_are_found_only_without_it() {
    for (kernel, is_race) in [("rotate_rounds", false), ("rotate_without_sync", true)] {
        let variables = [("SIMT_RACES", "1"), ("KERNEL", kernel)];
        let run = in_own_process("grid_sync::program", &variables);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.success(), "{said}");
        let race = format!("race in kernel `{kernel}`");
        assert_eq!(said.contains(&race), is_race, "{said}");
        assert_eq!(said.contains("simt:"), is_race, "{said}");
    }
}
