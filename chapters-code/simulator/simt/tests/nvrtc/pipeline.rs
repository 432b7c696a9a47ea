//! Warps with roles, between them mbarriers and bulk copies: right under every schedule, and without
//! a false alarm.

use simt::{LaunchReport, Options};

use crate::device::{Device, pointer, scalar, shape};

const FILE: &str = "kernels/pipeline.compute_90.ptx";
/// Blocks, as many as an H200 has multiprocessors.
const BLOCKS: u32 = 132;
/// Elements of a tile.
const TILE: usize = 1024;

fn options(seed: u64) -> Options {
    Options::default().with(|options| {
        options.seed = seed;
        options.races = true;
        options.instruction_limit = 1 << 28;
    })
}

#[track_caller]
fn nothing_found(report: &LaunchReport) {
    assert!(report.races.is_empty(), "{:#?}", report.races);
}

/// Scans so many elements, and compares.
fn scan(n: usize, seed: u64) {
    let device = Device::new(FILE);
    let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let (input, out) = (device.array(&values), device.array(&vec![0u32; n]));
    let tiles = n.div_ceil(TILE);
    let status = device.array(&vec![0u64; tiles]);
    let mut arguments = [input, out, status].map(pointer).to_vec();
    arguments.push(scalar(n as u64 / 4));
    let blocks = BLOCKS.min(tiles as u32);
    let report = device.launch("scan_in_roles", shape(blocks, 256), &arguments, &options(seed));
    if let Some(fault) = report.fault {
        panic!("{n} elements, seed {seed}: {fault}");
    }
    nothing_found(&report);
    let sums = values.iter().scan(0u32, |sum, value| {
        *sum = sum.wrapping_add(*value);
        Some(*sum)
    });
    let expected: Vec<u32> = sums.collect();
    let wrong = device.read::<u32>(out).iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "{n} elements, seed {seed}");
}

/// The ring of stages goes round twice, and the last tile is not a whole one.
#[test]
fn a_scan_in_roles() {
    let n = BLOCKS as usize * TILE * 4 + 5 * TILE + 36;
    (0..4).for_each(|seed| scan(n, seed));
}

#[test]
fn a_scan_in_roles_of_few_tiles() {
    for n in [4, TILE, TILE + 4, 7 * TILE - 8] {
        (0..12).for_each(|seed| scan(n, seed));
    }
}

#[test]
fn through_shared_memory_and_back() {
    let device = Device::new(FILE);
    let values: Vec<u32> = (0..256 * 40).collect();
    for seed in 0..6 {
        let (input, out) = (device.array(&values), device.array(&vec![0u32; values.len()]));
        let arguments = [input, out].map(pointer);
        let report = device.launch("through_shared", shape(40, 64), &arguments, &options(seed));
        assert_eq!(report.fault, None);
        nothing_found(&report);
        let expected = values.iter().map(|v| if v % 4 == 0 { v + 1 } else { *v });
        assert_eq!(device.read::<u32>(out), expected.collect::<Vec<_>>());
    }
}
