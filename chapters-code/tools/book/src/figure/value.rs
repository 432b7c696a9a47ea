//! The values that a trace holds as bits: as text, and whether one follows from others.

use harness::{Dtype, Element, Op, case::compose, with_element};

/// A value of type `dtype` as it stands in a picture.
pub(super) fn text(dtype: Dtype, bits: u64) -> String {
    let text = if dtype.is_float() {
        let short = format!("{:.2}", number(dtype, bits));
        short.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        with_element!(dtype, T => <T as Element>::from_bits(bits).to_i64()).to_string()
    };
    text.replace('-', "−")
}

fn number(dtype: Dtype, bits: u64) -> f64 {
    with_element!(dtype, T => <T as Element>::from_bits(bits).to_f64())
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
        Op::Affine => values.iter().copied().reduce(compose) == Some(result),
    }
}

/// Whether `bits` are the operator's identity, as a kernel may put it in place of a value.
pub(super) fn is_identity(op: Op, dtype: Dtype, bits: u64) -> bool {
    match op {
        Op::Sum | Op::Or => bits == 0,
        Op::Product => number(dtype, bits) == 1.0,
        Op::Max => number(dtype, bits) == f64::NEG_INFINITY,
        Op::Min => number(dtype, bits) == f64::INFINITY,
        Op::And => with_element!(dtype, T => <T as Element>::from_bits(bits).to_i64()) == -1,
        Op::Affine => bits == 1 << 32,
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
        assert_eq!(text(Dtype::I64, (1 << 53) + 1), "9007199254740993");
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
