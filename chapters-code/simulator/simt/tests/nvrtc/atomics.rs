//! Atomic operations of every type: totals that do not depend on the order of the threads, and the
//! values that one thread alone gets back.

use half::f16;

use crate::device::{Device, Element, pointer};

const FILES: [&str; 2] = ["kernels/totals.ptx", "nvrtc_12_9/totals.ptx"];
const GRID: u32 = 5;
const BLOCK: u32 = 96;
const THREADS: u32 = GRID * BLOCK;

/// Runs a kernel on one array of cells, in both files' version; they must agree.
fn cells<T: Element + PartialEq + std::fmt::Debug>(kernel: &str, before: &[T]) -> Vec<T> {
    let [first, second] = FILES.map(|file| {
        let device = Device::new(file);
        let array = device.array(before);
        device.complete(kernel, GRID, BLOCK, &[pointer(array)]);
        device.read::<T>(array)
    });
    assert_eq!(first, second);
    first
}

#[test]
fn totals_of_32_bits() {
    let n = THREADS as i32;
    let sum = n * (n - 1) / 2;
    let xor = (0..n).fold(0, |x, i| x ^ i.wrapping_mul(40503));
    let found = cells("totals_i32", &[0, 0, i32::MIN, i32::MAX, -1, 0, 0, 0, 0]);
    assert_eq!(found, [sum, -sum, n - 6, 6 - n, !6, -1, xor, n - 1, 1]);
}

#[test]
fn totals_of_unsigned() {
    let (mut up, mut down) = (0u32, 0u32);
    for _ in 0..THREADS {
        up = if up >= 9 { 0 } else { up + 1 };
        down = if down == 0 || down > 9 { 9 } else { down - 1 };
    }
    let found = cells("totals_u32", &[0, 0, 0, u32::MAX, 0]);
    let highest = (0..THREADS).map(|i| i << 24).max().unwrap();
    let sum = THREADS * (THREADS - 1);
    // Beyond index 255 the addition wraps around to 0.
    assert_eq!(found, [up, down, highest, 0, sum]);
}

#[test]
fn totals_of_64_bits() {
    for device in FILES.map(Device::new) {
        let (wide, signs) = (device.array(&[0u64; 4]), device.array(&[0i64; 2]));
        device.complete("totals_u64", GRID, BLOCK, &[pointer(wide), pointer(signs)]);
        let n = u64::from(THREADS);
        let sum = n * (n - 1) / 2;
        let expected = [sum << 20, (n - 1) << 40, u64::MAX, sum];
        assert_eq!(device.read::<u64>(wide), expected);
        assert_eq!(device.read::<i64>(signs), [1 - n as i64, n as i64 - 4]);
    }
}

#[test]
fn totals_of_floats() {
    for device in FILES.map(Device::new) {
        let (single, double) = (device.array(&[0.0f32]), device.array(&[0.0f64]));
        let (one, two) = (device.array(&[f16::ZERO; 2]), device.array(&[f16::ZERO; 2]));
        let arguments = [single, double, one, two].map(pointer);
        device.complete("totals_float", GRID, BLOCK, &arguments);
        // All partial sums are integers, or halves, that the formats represent.
        let sum = f64::from(THREADS * (THREADS - 1) / 2);
        assert_eq!(device.read::<f32>(single), [sum as f32]);
        assert_eq!(device.read::<f64>(double), [sum * 0.5]);
        let count = f16::from_f64(f64::from(THREADS));
        assert_eq!(device.read::<f16>(one)[0], count);
        assert_eq!(device.read::<f16>(two), [count, count + count]);
    }
}

#[test]
fn totals_in_shared_memory() {
    for device in FILES.map(Device::new) {
        let input: Vec<u32> = (0..THREADS).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
        let array = device.array(&input);
        let (counts, sum) = (device.array(&[0u32; 16]), device.array(&[0.0f64]));
        device.complete("totals_shared", GRID, BLOCK, &[array, counts, sum].map(pointer));
        let mut expected = [0; 16];
        input.iter().for_each(|x| expected[*x as usize % 16] += 1);
        assert_eq!(device.read::<u32>(counts), expected);
        let total = input.iter().map(|x| f64::from(*x)).sum::<f64>();
        assert_eq!(device.read::<f64>(sum), [total]);
    }
}

#[test]
fn one_thread_gets_old_values_back() {
    let device = Device::new("kernels/atomics.compute_80.ptx");
    let h = device.array(&[f16::ONE; 2]);
    let h2 = device.array(&[f16::ONE; 2]);
    // As bf16, 0x3f80 is 1 and 0x4000 is 2.
    let (b, b2) = (device.array(&[0x3f80u16, 0]), device.array(&[0x3f80u16; 2]));
    let s = device.array(&[1u16, 9]);
    device.complete("half_atomics", 1, 1, &[h, h2, b, b2, s].map(pointer));
    assert_eq!(device.read::<f16>(h)[0].to_f32(), 2.0);
    assert_eq!(device.read::<f16>(h2), [2.0, 3.0].map(f16::from_f32));
    assert_eq!(device.read::<u16>(b), [0x4000, 0]);
    assert_eq!(device.read::<u16>(b2), [0x4000, 0x4040]);
    assert_eq!(device.read::<u16>(s), [2, 9]);
}

#[test]
fn acquire_release_and_polling() {
    let device = Device::new("kernels/atomics.compute_80.ptx");
    let flag = device.array(&[0u32]);
    let data = device.array(&[40u32, 0, 5, 6, 0, 0]);
    device.complete("ordered", 1, 1, &[flag, data].map(pointer));
    assert_eq!(device.read::<u32>(flag), [1]);
    assert_eq!(device.read::<u32>(data), [80, 91, 5, 6, 1, 1]);
}
