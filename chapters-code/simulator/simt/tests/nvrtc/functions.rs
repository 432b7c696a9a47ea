//! Functions and operators, an element at a time. The bounds on transcendental functions are those
//! of the *CUDA C++ Programming Guide*, and one unit more for the reference's own error.

use half::f16;

use crate::device::{Device, Element, pointer};

const FILE: &str = "kernels/functions.ptx";

fn unary<T: Element>(kernel: &str, x: &[T]) -> Vec<T> {
    let device = Device::new(FILE);
    let (x_array, out) = (device.array(x), device.array(x));
    device.complete(kernel, 1, x.len() as u32, &[pointer(x_array), pointer(out)]);
    device.read(out)
}

fn binary<T: Element>(kernel: &str, x: &[T], y: &[T]) -> Vec<T> {
    let device = Device::new(FILE);
    let arrays = [device.array(x), device.array(y), device.array(x)];
    device.complete(kernel, 1, x.len() as u32, &arrays.map(pointer));
    device.read(arrays[2])
}

/// Calls `check` with what a kernel makes of each pair of these values: x, y, and the result.
fn each_pair<T: Element>(kernel: &str, values: &[T], mut check: impl FnMut(T, T, T)) {
    for shift in 0..values.len() {
        let mut y = values.to_vec();
        y.rotate_left(shift);
        let found = binary(kernel, values, &y);
        values.iter().zip(y).zip(found).for_each(|((x, y), found)| check(*x, y, found));
    }
}

/// Integers that increase as the doubles do.
fn order(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

#[track_caller]
fn close(kernel: &str, at: f64, found: f64, expected: f64, ulps: u64) {
    let same = found.is_nan() && expected.is_nan() || found == expected;
    let distance = order(found).abs_diff(order(expected));
    assert!(
        same || distance <= ulps,
        "{kernel}({at}) is {found}, not {expected}: {distance} units off"
    );
}

const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.3,
    -2.5,
    3.5,
    1e-9,
    7.25,
    -100.3,
    1e5,
    1e15,
    -3e22,
    1e-300,
    f64::INFINITY,
    f64::NAN,
];

#[track_caller]
fn check_f64(kernel: &str, ulps: u64, reference: fn(f64) -> f64) {
    for (x, found) in DOUBLES.into_iter().zip(unary(kernel, &DOUBLES)) {
        close(kernel, x, found, reference(x), ulps);
    }
}

#[track_caller]
fn check_binary_f64(kernel: &str, ulps: u64, reference: fn(f64, f64) -> f64) {
    each_pair(kernel, &DOUBLES, |x, y, found| close(kernel, x, found, reference(x, y), ulps));
}

#[test]
fn doubles() {
    check_f64("sin_f64", 3, f64::sin);
    check_f64("cos_f64", 3, f64::cos);
    check_f64("exp_f64", 2, f64::exp);
    check_f64("log_f64", 2, f64::ln);
    check_f64("sqrt_f64", 0, f64::sqrt);
    check_f64("cbrt_f64", 2, f64::cbrt);
    check_f64("tanh_f64", 3, f64::tanh);
    check_f64("rint_f64", 0, f64::round_ties_even);
}

#[test]
fn pairs_of_doubles() {
    check_binary_f64("div_f64", 0, |x, y| x / y);
    check_binary_f64("pow_f64", 3, f64::powf);
    check_binary_f64("fmod_f64", 0, |x, y| x % y);
    check_binary_f64("atan2_f64", 3, f64::atan2);
}

/// Compares with the reference in double precision: the distance in units of the last place of f32.
#[track_caller]
fn close_f32(kernel: &str, at: f32, found: f32, expected: f64, ulps: f64) {
    let rounded = expected as f32;
    if found == rounded || found.is_nan() && rounded.is_nan() {
        return;
    }
    let unit = f64::from(f32::from_bits(rounded.abs().to_bits() + 1)) - f64::from(rounded.abs());
    let distance = (f64::from(found) - expected).abs() / unit;
    assert!(distance <= ulps, "{kernel}({at}) is {found}, not {expected}: {distance} units off");
}

const SINGLES: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.3,
    -2.5,
    3.5,
    1e-9,
    7.25,
    -80.3,
    1e5,
    3e30,
    -1.5e10,
    1e-40,
    f32::INFINITY,
    f32::NAN,
];

#[track_caller]
fn check_f32(kernel: &str, ulps: f64, reference: fn(f64) -> f64) {
    for (x, found) in SINGLES.into_iter().zip(unary(kernel, &SINGLES)) {
        close_f32(kernel, x, found, reference(x.into()), ulps);
    }
}

#[track_caller]
fn check_binary_f32(kernel: &str, ulps: f64, reference: fn(f64, f64) -> f64) {
    each_pair(kernel, &SINGLES, |x, y, found| {
        close_f32(kernel, x, found, reference(x.into(), y.into()), ulps);
    });
}

#[test]
fn singles() {
    check_f32("sin_f32", 2.0, f64::sin);
    check_f32("exp_f32", 2.0, f64::exp);
    check_f32("log_f32", 1.0, f64::ln);
    check_f32("sqrt_f32", 0.5, f64::sqrt);
    check_binary_f32("div_f32", 0.5, |x, y| x / y);
    check_binary_f32("pow_f32", 8.0, f64::powf);
    check_binary_f32("fmod_f32", 0.0, |x, y| x % y);
}

/// The error function, by its series, which converges quickly for small arguments.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..80 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[test]
fn error_function() {
    let x = [0.0, 0.25, -0.5, 0.9, -1.0, 1.5, 2.0, -2.5];
    for (x, found) in x.into_iter().zip(unary("erf_f32", &x)) {
        close_f32("erf_f32", x, found, erf(x.into()), 2.0);
    }
}

const WIDE: [u64; 12] = [
    1,
    2,
    7,
    10,
    255,
    0xffff_ffff,
    0x1_0000_0000,
    0x1234_5678_9abc_def0,
    u64::MAX,
    1 << 63,
    u64::MAX - 6,
    0x8000_0000_0000_0001,
];

#[track_caller]
fn check_pairs<T: Element + PartialEq + std::fmt::Debug>(
    kernel: &str,
    values: &[T],
    reference: impl Fn(T, T) -> T,
) {
    each_pair(kernel, values, |x, y, found| {
        assert_eq!(found, reference(x, y), "{kernel}({x:?}, {y:?})");
    });
}

#[test]
fn integers_of_64_bits() {
    check_pairs("div_u64", &WIDE, |x, y| x / y);
    check_pairs("rem_u64", &WIDE, |x, y| x % y);
    check_pairs("mul_high_u64", &WIDE, |x, y| ((u128::from(x) * u128::from(y)) >> 64) as u64);
    check_pairs("shift_u64", &WIDE, |x, y| (x << (y & 63)) ^ (x >> (y & 31)));
    let signed = WIDE.map(|x| x as i64);
    check_pairs("div_i64", &signed, i64::wrapping_div);
    check_pairs("rem_i64", &signed, i64::wrapping_rem);
    for (x, found) in WIDE.into_iter().zip(unary("counts_u64", &WIDE)) {
        let first = x.trailing_zeros() + 1;
        let expected = x.count_ones() + 100 * x.leading_zeros() + 10_000 * first;
        assert_eq!(found, u64::from(expected), "{x:#x}");
    }
    for (x, found) in signed.into_iter().zip(unary("seventh_i64", &signed)) {
        assert_eq!(found, x / 7 + x % 10, "{x}");
    }
}

#[test]
fn narrower_integers() {
    let words = WIDE.map(|x| (x >> 16) as u32 ^ x as u32 | 1);
    check_pairs("div_i32", &words.map(|x| x as i32), i32::wrapping_div);
    check_pairs("rem_u32", &words, |x, y| x % y);
    check_pairs("div_i16", &words.map(|x| x as i16), i16::wrapping_div);
    check_pairs("mul_i8", &words.map(|x| x as i8), i8::wrapping_mul);
    check_pairs("bytes_u32", &words, |x, y| {
        let pair = u64::from(y) << 32 | u64::from(x);
        let byte = |i| (pair >> (8 * i)) as u8;
        let permuted = u32::from_le_bytes([6, 7, 2, 3].map(byte));
        let (x_bytes, y_bytes) = (x.to_le_bytes(), y.to_le_bytes());
        let sums = [0, 1, 2, 3].map(|i| x_bytes[i].wrapping_add(y_bytes[i]));
        permuted ^ (pair >> 27) as u32 ^ u32::from_le_bytes(sums)
    });
}

fn halves() -> Vec<f16> {
    let values = [0.0, -0.0, 1.0, -1.5, 0.1, 3.25, 2049.0, -700.0, 6e-5, 1e-7, 65504.0, -0.33];
    values.map(f16::from_f64).to_vec()
}

/// Compares by bits, but for NaN.
#[track_caller]
fn check_halves(kernel: &str, reference: fn(f64, f64) -> f64) {
    each_pair(kernel, &halves(), |x, y, found| {
        let expected = f16::from_f64(reference(x.into(), y.into()));
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{kernel}({x}, {y}) is {found}, not {expected}");
    });
}

#[test]
fn half_precision() {
    // In double precision these are exact, so that they are rounded once.
    check_halves("add_f16", |x, y| x + y);
    check_halves("mul_f16", |x, y| x * y);
    check_halves("fma_f16", |x, y| x * y + x);
    check_halves("max_f16", |x, y| if x > y { x } else { y });
}

#[test]
fn halves_are_divided_within_a_unit() {
    let x = halves();
    let y: Vec<f16> = x.iter().rev().map(|y| y + f16::ONE).collect();
    for (i, found) in binary("div_f16", &x, &y).into_iter().enumerate() {
        let expected = f16::from_f32(x[i].to_f32() / y[i].to_f32());
        let distance = found.to_bits().abs_diff(expected.to_bits());
        assert!(
            found == expected || distance <= 1,
            "{} / {} is {found}, not {expected}",
            x[i],
            y[i]
        );
    }
}

#[test]
fn two_halves_at_a_time() {
    let device = Device::new(FILE);
    let x = halves();
    let y: Vec<f16> = x.iter().rev().copied().collect();
    let arrays = [&x, &y, &x].map(|values| device.array(values));
    device.complete("add_f16x2", 1, x.len() as u32 / 2, &arrays.map(pointer));
    let found: Vec<f16> = device.read(arrays[2]);
    for (i, found) in found.into_iter().enumerate() {
        assert_eq!(found, x[i] + y[i], "{} + {}", x[i], y[i]);
    }
}

/// Carries, predicates, bit fields and byte permutations.
#[test]
fn inline_assembly() {
    let device = Device::new("kernels/memory.ptx");
    for (a, b, w) in [
        (5u32, 9u32, 3u64),
        (0xffff_ffff, 2, 5),
        (0x8000_0001, 0x7fff_ffff, 0),
        (0x1234_5678, 0x9abc_def1, u64::MAX),
    ] {
        let (u, l) = (device.array(&[a, b, 0]), device.array(&[w, 0]));
        let f = device.array(&[0.0f32]);
        device.complete("inline_assembly", 1, 1, &[pointer(u), pointer(l), pointer(f)]);
        let (word, wide) = assembly(a, b, w);
        assert_eq!(device.read::<u32>(u)[2], word, "{a:#x} {b:#x}");
        assert_eq!(device.read::<u64>(l)[1], wide, "{w:#x}");
    }
}

/// The sum of the words and the wide result of `inline_assembly`.
fn assembly(a: u32, b: u32, w: u64) -> (u32, u64) {
    let (difference, borrow) = w.overflowing_sub(5);
    let (lo, _) = a.overflowing_add(b);
    let product = u64::from(a) * u64::from(b);
    let (lo, carry) = (product as u32).overflowing_add(lo);
    let high = (product >> 32) + u64::from(lo) + u64::from(carry);
    let lo = (high as u32).wrapping_mul(2).wrapping_add((high >> 32) as u32);
    let lo = lo.rotate_left(16);
    let less = a < b;
    let chosen = if less { 9 } else { 7 };
    let r: u32 = chosen ^ if (a as i32) > (b as i32) { u32::MAX } else { 0 };
    let r = r & a | r & b | a & b;
    let r = r >> 3 & 31;
    let r = a & !0xff0 | (r & 0xff) << 4;
    let r = a << 16 | r & 0xffff;
    let hi = r.leading_zeros();
    (lo.wrapping_add(hi).wrapping_add(r), difference.wrapping_sub(borrow.into()))
}
