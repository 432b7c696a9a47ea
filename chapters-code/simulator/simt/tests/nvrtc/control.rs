//! Device functions, structures by value, `switch`, arrays in local memory, in the output of both
//! ends of the 12 series.

use crate::device::{Device, pointer, scalar};

const FILES: [&str; 2] = ["kernels/control.ptx", "nvrtc_12_9/control.ptx"];

fn mix(mut a: f32, b: f32, k: i32) -> f32 {
    if k == 3 {
        return a;
    }
    for i in 0..k {
        a = a * b + i as f32;
        if a > 1e6 {
            return b;
        }
    }
    a + b
}

#[test]
fn calls_with_structures() {
    for device in FILES.map(Device::new) {
        for n in [0, 1, 2, 3, 9, 40] {
            let values = [1.5f32, 2.25, 3.0, 4.0, 5.0];
            let out = device.array(&values);
            let (first, second, tail) = (0.125f64, 6i32, *b"\x01\x05\x02\x03\x04");
            let mut pair = [scalar(first), scalar(second), tail.to_vec()].concat();
            pair.resize(24, 0);
            device.complete("calls", 1, 1, &[pointer(out), pair, scalar(n)]);
            let other = first + f64::from(mix(second as f32, 2.0, tail[1].into()));
            let sum = f64::from(mix(2.25, 3.0, n)) + other + f64::from(second);
            let sum = sum + f64::from(tail[n as usize & 3]);
            assert_eq!(device.read::<f32>(out)[..2], [sum as f32, 4.0], "n = {n}");
        }
    }
}

/// What `dispatch` leaves of `out`.
fn dispatch(mut out: [i32; 10], k: i32) -> [i32; 10] {
    match k {
        0 => out[0] = 3,
        1 => (out[1], out[0]) = (out[0], out[0] + 1),
        2 => out[2] = 5,
        3 => {
            out[3] = 6;
            return out;
        }
        4 => (out[4], out[5]) = (out[9], 8),
        5 => out[5] = 8,
        6 => out[6] = out[1] / 3,
        7 => {}
        _ => out[7] = -1,
    }
    out[8] = k;
    out
}

#[test]
fn switches() {
    for device in FILES.map(Device::new) {
        for k in -1..9 {
            let before = [10, -20, 30, 40, 50, 60, 70, 80, 90, 100];
            let out = device.array(&before);
            device.complete("dispatch", 1, 1, &[pointer(out), scalar(k)]);
            assert_eq!(device.read::<i32>(out), dispatch(before, k), "k = {k}");
        }
    }
}

fn local_array(input: &[i32], n: usize) -> i32 {
    let mut buffer: Vec<i32> = input[..16].iter().map(|x| x * 3).collect();
    let bytes: Vec<u8> = input[n..n + 8].iter().map(|x| *x as u8).collect();
    for i in (n..16).step_by(n) {
        match buffer[i] {
            ..0 => continue,
            99 => break,
            _ => buffer[(i * 7) & 15] += i32::from(bytes[i & 7]),
        }
    }
    buffer[n & 15] + i32::from(bytes[n & 7])
}

#[test]
fn local_arrays() {
    let input: Vec<i32> = (0..40).map(|i| i * 37 % 101 - 20).collect();
    for device in FILES.map(Device::new) {
        let array = device.array(&input);
        for n in 1..20 {
            let out = device.array(&[0, 4, 0]);
            let arguments = [pointer(array), pointer(out), scalar(n as i32)];
            device.complete("local_array", 1, 1, &arguments);
            assert_eq!(device.read::<i32>(out)[0], local_array(&input, n), "n = {n}");
        }
    }
}
