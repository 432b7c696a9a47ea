//! Shuffles, votes, matches and reductions of a warp; sums of a block.

use crate::device::{Device, pointer};

const FILE: &str = "kernels/collectives.compute_80.ptx";

#[test]
fn warp_operations() {
    let device = Device::new(FILE);
    for factor in [1u32, 3, 0x0765_4321, 0xdead_beef] {
        let values: Vec<u32> = (0..32).map(|i| factor.wrapping_mul(i + 1)).collect();
        let (input, out) = (device.array(&values), device.array(&[0u32; 32]));
        device.complete("warp_operations", 1, 32, &[input, out].map(pointer));
        let up = |i: usize| values[i.saturating_sub(1)];
        let mixed = (0..32).map(|i| values[i].wrapping_add(up(i) ^ values[i]));
        let most = mixed.clone().max().unwrap();
        let v = most.wrapping_add(mixed.fold(0, |a, b| a ^ b));
        // From here on all lanes hold the same.
        let all = u32::MAX;
        let ballot = if v > 7 { all } else { 0 };
        let votes = ballot + u32::from(v > 8).wrapping_add(u32::from((v as i32) < 0));
        let sum = [all, votes, 1, 1, v].iter().fold(all, |a, b| a.wrapping_add(*b));
        assert_eq!(device.read::<u32>(out), [sum; 32], "{factor:#x}");
    }
}

#[test]
fn block_sums() {
    let device = Device::new(FILE);
    let values: Vec<f64> = (0..32).map(|i| f64::from(i) * 0.5 - 3.0).collect();
    let input = device.array(&values);
    let (out, whole) = (device.array(&[0.0f64]), device.array(&[0i64]));
    let singles = device.array(&[0.0f32; 2]);
    let arguments = [input, out, whole, singles].map(pointer);
    device.complete("block_sums", 1, 32, &arguments);
    let sum: f64 = values.iter().sum();
    assert_eq!(device.read::<f64>(out), [sum]);
    let truncated = values.iter().map(|x| *x as i64).sum::<i64>();
    assert_eq!(device.read::<i64>(whole), [truncated]);
    assert_eq!(device.read::<f32>(singles), [sum as f32, 16.0]);
}
