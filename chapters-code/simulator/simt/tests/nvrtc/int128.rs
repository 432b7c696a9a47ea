//! Division and multiplication of 128-bit integers, against Rust's.

use crate::device::{Device, pointer};

/// Pairs of integers that each kernel is given.
const PAIRS: usize = 8192;
const BLOCK: u32 = 128;

/// Reproducible integers of every length from 0 to 128 bits.
struct Random(u64);

impl Random {
    /// The next 64 bits (Steele, Lea and Flood 2014).
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number whose length in bits is as likely as any other.
    fn number(&mut self) -> u128 {
        let bits = self.word() % 129;
        let number = u128::from(self.word()) << 64 | u128::from(self.word());
        // Runs of ones and of zeros make quotients that a first estimate misses.
        let number = match self.word() % 4 {
            0 => number | number >> 1 | number >> 2,
            1 => u128::MAX << (self.word() % 128),
            _ => number,
        };
        number.checked_shr(128 - bits as u32).unwrap_or(0)
    }
}

/// Runs a kernel that makes `N` integers of each pair, and returns them with the pair.
fn run<const N: usize>(kernel: &str) -> Vec<([u128; 2], [u128; N])> {
    let mut random = Random(1);
    let pairs: Vec<[u128; 2]> =
        (0..PAIRS).map(|_| [random.number(), random.number().max(1)]).collect();
    let device = Device::new("kernels/int128.ptx");
    let operands = [0, 1].map(|i| {
        let halves = pairs.iter().flat_map(|pair| [pair[i] as u64, (pair[i] >> 64) as u64]);
        device.array(&halves.collect::<Vec<u64>>())
    });
    let outs = [(); N].map(|()| device.array(&vec![0u64; 2 * PAIRS]));
    let arguments: Vec<Vec<u8>> = operands.into_iter().chain(outs).map(pointer).collect();
    device.complete(kernel, PAIRS as u32 / BLOCK, BLOCK, &arguments);
    let results = outs.map(|out| device.read::<u64>(out));
    let integer =
        |halves: &[u64], i: usize| u128::from(halves[2 * i + 1]) << 64 | u128::from(halves[2 * i]);
    let all = pairs.into_iter().enumerate();
    all.map(|(i, pair)| (pair, results.each_ref().map(|halves| integer(halves, i)))).collect()
}

#[test]
fn unsigned_division_and_remainder() {
    for ([a, b], found) in run("divide_u128") {
        assert_eq!(found, [a / b, a % b], "{a:#x} by {b:#x}");
    }
}

#[test]
fn signed_division_and_remainder() {
    for ([a, b], found) in run("divide_s128") {
        let (x, y) = (a as i128, b as i128);
        let expected = [x.wrapping_div(y), x.wrapping_rem(y)].map(|z| z as u128);
        assert_eq!(found, expected, "{x} by {y}");
    }
}

#[test]
fn multiplication() {
    for ([a, b], found) in run("multiply_u128") {
        assert_eq!(found, [a.wrapping_mul(b)], "{a:#x} times {b:#x}");
    }
}
