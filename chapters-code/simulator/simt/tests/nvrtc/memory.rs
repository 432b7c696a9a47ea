//! Variables with initialisers in every space, generic addresses, vectors, asynchronous copies.

use crate::device::{Device, pointer, scalar};

const FILE: &str = "kernels/memory.ptx";

/// Where `n` makes the kernel write: dynamic shared memory, a global variable, or shared memory.
#[test]
fn spaces() {
    for n in [0usize, 2, 3, 4] {
        let device = Device::new(FILE);
        let input = device.array(&[1i32, 0x0102_0304, 3, 4].repeat(8));
        let out = device.array(&[0.0f64; 10]);
        let (shorts, bytes) = (device.array(&[0i16; 20]), device.array(&[7u8; 24]));
        let mut arguments = [input, out, shorts, bytes].map(pointer).to_vec();
        arguments.push(scalar(n as i32));
        device.complete("spaces", 1, 1, &arguments);
        let wide = [1.5, f64::NAN, 3e30, 1.5, -2.0][n];
        let weight = [1.0, 2.0, 0.0, -4.0, 1.0][n];
        let small = [1.0, -2.0][n & 1];
        let doubles = device.read::<f64>(out);
        // For an odd `n` it reads the shared element that nobody has written.
        if n & 1 == 0 {
            assert_eq!(doubles[2 * n], weight + small + wide, "n = {n}");
        }
        assert_eq!(doubles[2 * n + 1], 14.0, "n = {n}");
        let shorts = &device.read::<i16>(shorts)[4 * n..4 * n + 4];
        let text = i16::from(b"hello"[n]);
        assert_eq!((shorts[0], shorts[3]), (1, text), "n = {n}");
        if n < 3 {
            let dynamic = 0x0102_0304i32.to_le_bytes()[n];
            assert_eq!(shorts[2], i16::from(dynamic), "n = {n}");
        }
        assert_eq!(device.read::<u8>(bytes)[4 * n], shorts[1] as u8, "n = {n}");
    }
}

#[test]
fn asynchronous_copies() {
    let device = Device::new(FILE);
    let values: Vec<i32> = (0..128).map(|i| i * 3).collect();
    let small = device.array(b"01234567\x11\x22\x33\x44");
    for n in 0..=4 {
        let (input, out) = (device.array(&values), device.array(&[0i32; 128]));
        let mut arguments = [input, out, small].map(pointer).to_vec();
        arguments.push(scalar(n));
        device.complete("asynchronous", 1, 32, &arguments);
        let mut copied = [0u8; 4];
        copied[..n as usize].copy_from_slice(&[0x11, 0x22, 0x33, 0x44][..n as usize]);
        let found = device.read::<i32>(out);
        for i in 0..32 {
            let from = 4 * (i ^ 1);
            let mut expected = values[from..from + 4].to_vec();
            expected[3] += i32::from_le_bytes(copied);
            // The clocks do not run backwards.
            expected[0] *= i32::from(i > 0);
            assert_eq!(found[4 * i..4 * i + 4], expected, "thread {i}, {n} bytes");
        }
    }
}
