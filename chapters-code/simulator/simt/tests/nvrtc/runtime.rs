//! `printf`, `assert`, `trap` and `exit`; and the kernels whose results are compared elsewhere, a
//! function at a time, run to their end.

use half::f16;
use simt::FaultKind;

use crate::device::{Device, pointer, scalar};

/// Runs `printing` with the same value in all threads.
fn printing(value: i32) -> Result<(), simt::Fault> {
    let device = Device::new("kernels/printing.ptx");
    let input = device.array(&[value; 32]);
    device.run("printing", 1, 2, &[pointer(input), scalar(1.5f32)])
}

#[test]
fn printing_does_not_fault() {
    for value in [0, 4, 11] {
        assert_eq!(printing(value), Ok(()), "{value}");
    }
}

#[test]
fn a_failed_assertion_tells_its_condition() {
    let fault = printing(7).expect_err("it asserts");
    assert_eq!(fault.kind, FaultKind::Assert);
    for part in ["n >= 0 && v != 7", "printing.cu:8", "printing", "thread (0,0,0)"] {
        assert!(fault.message.contains(part), "`{part}` is not in: {fault}");
    }
}

#[test]
fn a_trap_is_told() {
    let fault = printing(9).expect_err("it traps");
    assert_eq!(fault.kind, FaultKind::Trap);
    assert!(fault.message.contains("printing.cu:9"), "{fault}");
}

#[test]
fn mathematics_ends() {
    let device = Device::new("kernels/mathematics.ptx");
    let values: Vec<f64> = (0..32).map(|i| f64::from(i) * 1.75 - 11.0).collect();
    let singles: Vec<f32> = values.iter().map(|x| *x as f32).collect();
    device.complete("doubles", 1, 32, &[pointer(device.array(&values))]);
    device.complete("singles", 1, 32, &[pointer(device.array(&singles))]);
    let (l, u) = (device.array(&[-77i64; 40]), device.array(&[99u64; 40]));
    let (i, v) = (device.array(&[-5i32; 40]), device.array(&[6u32; 40]));
    let (s, b) = (device.array(&[-7i16; 40]), device.array(&[9u8; 40]));
    device.complete("integers", 1, 32, &[l, u, i, v, s, b].map(pointer));
}

#[test]
fn halves_end() {
    let device = Device::new("kernels/halves.compute_80.ptx");
    let values: Vec<f16> = (0..80).map(|i| f16::from_f32(i as f32 * 0.25)).collect();
    let half = |scale: f32| {
        let scaled: Vec<f16> = values.iter().map(|x| x * f16::from_f32(scale)).collect();
        device.array(&scaled)
    };
    let (ints, floats) = (device.array(&[0i32; 40]), device.array(&[2.5f32; 80]));
    device.complete("halves", 1, 32, &[half(1.0), half(2.0), half(0.0), ints, floats].map(pointer));
    device.complete("pairs", 1, 32, &[half(1.0), half(2.0), half(0.0), floats].map(pointer));
    let brain = [half(1.0), half(2.0), half(0.0), half(0.0), floats];
    device.complete("brain", 1, 32, &brain.map(pointer));
}

#[test]
fn every_atomic_ends() {
    let device = Device::new("kernels/atomics.compute_80.ptx");
    let (i, u) = (device.array(&[0i32; 4]), device.array(&[0u32; 4]));
    let (l, s) = (device.array(&[0u64; 2]), device.array(&[0i64; 2]));
    let (f, d) = (device.array(&[0.0f32; 2]), device.array(&[0.0f64; 2]));
    device.complete("atomics", 2, 64, &[i, u, l, f, d, s].map(pointer));
}
