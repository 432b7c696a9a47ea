//! How far a floating-point result may lie from the exact one, derived and not guessed.
//!
//! After Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, chapter 4: if no
//! element passes through more than `d` additions on its way to the sum, then, whatever the order,
//! |computed − exact| <= γ_d · Σ|x_i| with γ_d = d·u / (1 − d·u) and u the unit roundoff. Nothing
//! here knows which kernel it is for: a rung supplies its depth d.

use crate::Dtype;

/// γ_d for the unit roundoff `u`; infinite where d·u >= 1 and the theorem says nothing.
pub fn gamma(depth: u64, u: f64) -> f64 {
    let du = depth as f64 * u;
    if du < 1.0 { du / (1.0 - du) } else { f64::INFINITY }
}

/// Bound on the error of a sum of elements of `dtype` whose absolute values add up to
/// `absolute_sum`, none passing through more than `depth` additions in the accumulator's format.
pub fn sum(dtype: Dtype, depth: u64, absolute_sum: f64) -> f64 {
    gamma(depth, dtype.accumulator().unit_roundoff()) * absolute_sum
}

/// Bound on the error of a product of `n` elements: each of its n − 1 multiplications contributes a
/// factor 1 + δ with |δ| <= u, whatever the order, so a flat tree helps a product nothing.
pub fn product(dtype: Dtype, n: u64, exact: f64) -> f64 {
    let u = dtype.accumulator().unit_roundoff();
    gamma(n.saturating_sub(1), u) * exact.abs()
}

/// A sum in `f64` that keeps what each addition rounds off and adds it at the end (Neumaier 1974), so
/// that even a sum of `f64` is right to its last place or so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compensated {
    sum: f64,
    rounded_off: f64,
}

impl Compensated {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        let (large, small) = if self.sum.abs() >= x.abs() { (self.sum, x) } else { (x, self.sum) };
        self.rounded_off += (large - sum) + small;
        self.sum = sum;
    }

    /// Adds another sum.
    pub fn append(&mut self, other: Self) {
        self.add(other.sum);
        self.rounded_off += other.rounded_off;
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.sum + self.rounded_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_grows_with_depth_and_gives_up_at_one() {
        assert_eq!(gamma(0, 0.5), 0.0);
        assert_eq!(gamma(1, 0.25), 1.0 / 3.0);
        assert!(gamma(4, 0.25).is_infinite());
    }

    #[test]
    fn integers_may_not_err() {
        assert_eq!(sum(Dtype::I32, 1 << 20, 1e9), 0.0);
    }

    /// 2^24 + 1 + 1 + … in f32 loses every one: the worst case of a chain, inside the bound.
    #[test]
    fn a_chain_that_loses_every_addend_is_within_the_bound() {
        let n = 1000;
        let start = f32::powi(2.0, 24);
        let computed = (0..n).fold(start, |sum, _| sum + 1.0);
        let exact = f64::from(start) + f64::from(n);
        let error = (f64::from(computed) - exact).abs();
        assert_eq!(error, f64::from(n));
        assert!(error <= sum(Dtype::F32, n as u64, exact));
    }

    #[test]
    fn a_half_is_accumulated_in_single_precision() {
        assert_eq!(sum(Dtype::F16, 10, 1.0), sum(Dtype::F32, 10, 1.0));
    }

    /// Every factor rounds down, in a tree of depth 2 as in a chain of depth 3.
    #[test]
    fn a_product_errs_by_its_factors_not_by_its_depth() {
        let x = 1.0 + f32::EPSILON;
        let tree = (x * x) * (x * x);
        let exact = f64::from(x).powi(4);
        let error = (f64::from(tree) - exact).abs();
        assert!(error > 0.0 && error <= product(Dtype::F32, 4, exact));
    }
}
