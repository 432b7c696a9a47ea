//! The values that a trace holds as bits: as text, and whether one follows from others.

use harness::half::{bf16, f16};
use harness::{Dtype, Op};

/// A value of type `dtype` as it stands in a picture.
pub(super) fn text(dtype: Dtype, bits: u64) -> String {
    let float = |value: f64| {
        let short = format!("{value:.2}");
        let short = short.trim_end_matches('0').trim_end_matches('.');
        short.replace('-', "−")
    };
    match dtype {
        Dtype::F32 | Dtype::F64 | Dtype::F16 | Dtype::Bf16 => float(number(dtype, bits)),
        Dtype::I32 => (bits as i32).to_string().replace('-', "−"),
        Dtype::I64 => (bits as i64).to_string().replace('-', "−"),
        Dtype::U32 => (bits as u32).to_string(),
    }
}

fn number(dtype: Dtype, bits: u64) -> f64 {
    match dtype {
        Dtype::F32 => f32::from_bits(bits as u32).into(),
        Dtype::F64 => f64::from_bits(bits),
        Dtype::F16 => f16::from_bits(bits as u16).into(),
        Dtype::Bf16 => bf16::from_bits(bits as u16).into(),
        Dtype::I32 => f64::from(bits as i32),
        Dtype::U32 => f64::from(bits as u32),
        Dtype::I64 => bits as i64 as f64,
    }
}

/// Whether `result` is the fold of `values`. Exact for the small whole numbers of a figure.
pub(super) fn is_fold(op: Op, dtype: Dtype, values: &[u64], result: u64) -> bool {
    let fold = |f: fn(f64, f64) -> f64| {
        let values = values.iter().map(|&bits| number(dtype, bits));
        values.reduce(f) == Some(number(dtype, result))
    };
    match op {
        Op::Sum => fold(|a, b| a + b),
        Op::Product => fold(|a, b| a * b),
        Op::Max => fold(f64::max),
        Op::Min => fold(f64::min),
        Op::And => values.iter().copied().reduce(|a, b| a & b) == Some(result),
        Op::Or => values.iter().copied().reduce(|a, b| a | b) == Some(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(text(Dtype::F32, bits(25.0)), "25");
        assert_eq!(text(Dtype::F32, bits(-0.5)), "−0.5");
        assert_eq!(text(Dtype::I32, u64::from((-3i32) as u32)), "−3");
    }

    #[test]
    fn folds_are_told_from_others() {
        let bits = |x: f32| u64::from(x.to_bits());
        let is = |values: &[u64], result| is_fold(Op::Sum, Dtype::F32, values, bits(result));
        assert!(is(&[bits(3.0), bits(4.0)], 7.0));
        assert!(!is(&[bits(3.0), bits(4.0)], 8.0));
        assert!(!is(&[], 0.0));
        assert!(is_fold(Op::Max, Dtype::I32, &[1, u64::from(u32::MAX)], 1));
    }
}
