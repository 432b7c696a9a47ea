//! Values that are known as bits, in words.

use half::{bf16, f16};

/// The byte with which the harness fills memory that a kernel must write.
const POISON: u8 = 0xfb;

/// The bytes of an element of this type; 4 for a type without a name here.
pub fn size(dtype: &str) -> usize {
    match dtype {
        "f16" | "bf16" => 2,
        "f64" | "i64" | "u64" => 8,
        _ => 4,
    }
}

/// A value of this type, which may be shorter than an element if it is the last.
pub fn of_bytes(dtype: &str, bytes: &[u8]) -> String {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    text(dtype, u64::from_le_bytes(all), bytes.len() as u32)
}

/// A value of `bytes` bytes: as `dtype` where that has as many, and otherwise, or where it would be no plausible
/// number, as an integer.
pub fn text(dtype: &str, bits: u64, bytes: u32) -> String {
    let low = bits.to_le_bytes();
    if low[..(bytes as usize).min(8)].iter().all(|&byte| byte == POISON) {
        return figures::arrays::UNSET.into();
    }
    let float = match (dtype, bytes) {
        ("f32", 4) => Some(f64::from(f32::from_bits(bits as u32))),
        ("f64", 8) => Some(f64::from_bits(bits)),
        ("f16", 2) => Some(f16::from_bits(bits as u16).to_f64()),
        ("bf16", 2) => Some(bf16::from_bits(bits as u16).to_f64()),
        _ => None,
    };
    let text = match (float, dtype, bytes) {
        (Some(number), ..) if is_plausible(number) => short(number),
        (_, "i8", 1) => (bits as i8).to_string(),
        (_, _, 1) => (bits as u8).to_string(),
        (_, "u16", 2) => (bits as u16).to_string(),
        (_, _, 2) => (bits as i16).to_string(),
        (_, _, 4) if dtype.starts_with('u') => (bits as u32).to_string(),
        (_, _, 4) => (bits as i32).to_string(),
        (_, "u64", _) => bits.to_string(),
        _ => (bits as i64).to_string(),
    };
    text.replace('-', "−")
}

/// Whether a float is what a kernel computes, and not an integer's bits.
fn is_plausible(number: f64) -> bool {
    number == 0.0 || !number.is_finite() || (1e-30..1e30).contains(&number.abs())
}

fn short(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e9 {
        return format!("{number}");
    }
    let digits = format!("{number:.4}");
    match digits.trim_end_matches('0').trim_end_matches('.') {
        "0" | "-0" => format!("{number:.2e}"),
        short => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_what_they_are() {
        let f32 = |x: f32| u64::from(x.to_bits());
        for (dtype, bits, bytes, expected) in [
            ("f32", f32(25.0), 4, "25"),
            ("f32", f32(-0.5), 4, "−0.5"),
            ("f32", f32(1e-9), 4, "1.00e−9"),
            ("f32", 7, 4, "7"),
            ("f32", 0xfbfb_fbfb, 4, "unset"),
            ("i32", u64::from(u32::MAX), 4, "−1"),
            ("u32", u64::from(u32::MAX), 4, "4294967295"),
            ("f16", 0x3c00, 2, "1"),
            ("f32", 9, 8, "9"),
            ("u64", u64::MAX, 8, "18446744073709551615"),
            ("i64", u64::MAX, 8, "−1"),
            ("u16", 0xffff, 2, "65535"),
            ("i16", 0xffff, 2, "−1"),
            ("i8", 0xff, 1, "−1"),
            ("u32", 0xff, 1, "255"),
        ] {
            assert_eq!(text(dtype, bits, bytes), expected);
        }
        assert_eq!(of_bytes("f32", &2.5f32.to_le_bytes()), "2.5");
    }
}
