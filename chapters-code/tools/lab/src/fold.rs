//! Whether a value that a trace holds as bits follows from others, and the value as text in a picture.

use half::{bf16, f16};

/// An operator, and the type of its operands, by the names that they have in kernels.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    /// Such as `sum`.
    pub op: &'a str,
    /// Such as `f32`.
    pub dtype: &'a str,
}

impl Fold<'_> {
    /// A value as it stands in a picture.
    pub fn text(&self, bits: u64) -> String {
        let text = match self.integer(bits) {
            Some(integer) => integer.to_string(),
            None => {
                let short = format!("{:.2}", self.number(bits));
                short.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        text.replace('-', "−")
    }

    /// The value of an integer type; none for a type of floats.
    fn integer(&self, bits: u64) -> Option<i64> {
        match self.dtype {
            "f16" | "bf16" | "f32" | "f64" => None,
            "i32" => Some((bits as i32).into()),
            "u8" => Some((bits as u8).into()),
            "u16" => Some((bits as u16).into()),
            "u32" => Some((bits as u32).into()),
            _ => Some(bits as i64),
        }
    }

    fn number(&self, bits: u64) -> f64 {
        match self.dtype {
            "f16" => f16::from_bits(bits as u16).to_f64(),
            "bf16" => bf16::from_bits(bits as u16).to_f64(),
            "f32" => f32::from_bits(bits as u32).into(),
            "f64" => f64::from_bits(bits),
            _ => self.integer(bits).unwrap_or_default() as f64,
        }
    }

    /// Whether `result` is the fold of `values`. Exact for the small whole numbers of a figure. Maps are not folded here.
    pub fn is_fold(&self, values: &[u64], result: u64) -> bool {
        let fold = |f: fn(f64, f64) -> f64| {
            let values = values.iter().map(|&bits| self.number(bits));
            values.reduce(f) == Some(self.number(result))
        };
        let bitwise = |f: fn(u64, u64) -> u64| values.iter().copied().reduce(f) == Some(result);
        match self.op {
            "sum" => fold(|a, b| a + b),
            "product" => fold(|a, b| a * b),
            "max" => fold(f64::max),
            "min" => fold(f64::min),
            "and" => bitwise(|a, b| a & b),
            "or" => bitwise(|a, b| a | b),
            _ => false,
        }
    }

    /// Whether `bits` are the operator's identity, as a kernel may put it in place of a value.
    pub fn is_identity(&self, bits: u64) -> bool {
        match self.op {
            "sum" | "or" => bits == 0,
            "product" => self.number(bits) == 1.0,
            "max" => self.number(bits) == f64::NEG_INFINITY,
            "min" => self.number(bits) == f64::INFINITY,
            "and" => self.integer(bits) == Some(-1),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of<'a>(op: &'a str, dtype: &'a str) -> Fold<'a> {
        Fold { op, dtype }
    }

    #[test]
    fn values_are_short() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(of("sum", "f32").text(bits(25.0)), "25");
        assert_eq!(of("sum", "f32").text(bits(-0.5)), "−0.5");
        assert_eq!(of("sum", "i32").text(u64::from((-3i32) as u32)), "−3");
        assert_eq!(of("sum", "i64").text((1 << 53) + 1), "9007199254740993");
    }

    #[test]
    fn folds_are_told_from_others() {
        let bits = |x: f32| u64::from(x.to_bits());
        let is = |values: &[u64], result| of("sum", "f32").is_fold(values, bits(result));
        assert!(is(&[bits(3.0), bits(4.0)], 7.0));
        assert!(!is(&[bits(3.0), bits(4.0)], 8.0));
        assert!(!is(&[], 0.0));
        assert!(of("max", "i32").is_fold(&[1, u64::from(u32::MAX)], 1));
        assert!(of("and", "i32").is_identity(u64::from(u32::MAX)));
    }
}
