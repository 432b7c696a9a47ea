//! What a recorded run has of this chapter.

use harness::{Dtype, Input, Op};
use report::{Planned, Scope};

use crate::{Case, HistogramParameters, parameters::Range, rungs::banked::BANKED};

/// Keys in bins: the ladder over the sizes from 2^16 on; then, at one size, other types, inputs and numbers of bins, and
/// even bins of a range of integers; last, every number of copies.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<HistogramParameters>> {
    let mut all: Vec<_> = cases(scope).into_iter().map(Planned::all).collect();
    if scope == Scope::Full {
        for dtype in [Dtype::U8, Dtype::U32] {
            all.extend([1, 4, 32].map(|copies| with_copies(dtype, copies)));
        }
    }
    all
}

const LARGE: u64 = 1 << 28;

fn keys(n: u64, dtype: Dtype, input: Input, bins: u32) -> Case {
    Case { input, ..Case::vector(n, dtype, Op::Sum).with(HistogramParameters::of_bins(bins)) }
}

fn cases(scope: Scope) -> Vec<Case> {
    let uniform = |n| keys(n, Dtype::U32, Input::Uniform, 256);
    let skewed = [Input::Zipf, Input::Constant];
    if scope == Scope::Trial {
        return vec![uniform(1 << 12)];
    }
    let sizes = scope.sizes().into_iter().filter(|&n| n >= 1 << 16);
    let mut cases: Vec<Case> = sizes.map(uniform).collect();
    cases.extend(skewed.map(|input| keys(LARGE, Dtype::U32, input, 256)));
    cases.push(keys(LARGE, Dtype::U8, Input::Uniform, 256));
    if scope == Scope::Full {
        cases.extend(skewed.map(|input| keys(LARGE, Dtype::U8, input, 256)));
        cases.extend([Dtype::U16, Dtype::F32].map(|dtype| keys(LARGE, dtype, Input::Uniform, 256)));
        let others = [Input::Gaussian, Input::Sorted];
        cases.extend(others.map(|input| keys(LARGE, Dtype::U32, input, 256)));
        let bins = [2, 32, 2048, 4096, 16_384, 32_768, 65_536];
        cases.extend(bins.map(|bins| keys(1 << 26, Dtype::U32, Input::Uniform, bins)));
        cases.extend([2048, 65_536].map(|bins| keys(1 << 26, Dtype::U32, Input::Zipf, bins)));
        let range = Some(Range { low: 0.0, high: f64::from(1 << 20) });
        let task = HistogramParameters { range, ..HistogramParameters::of_bins(256) };
        cases.push(uniform(LARGE).with(task));
    }
    cases
}

/// The last rung with a number of copies.
fn with_copies(dtype: Dtype, copies: u32) -> Planned<HistogramParameters> {
    let task = HistogramParameters { copies: Some(copies), ..HistogramParameters::of_bins(256) };
    Planned::all(Case::vector(LARGE, dtype, Op::Sum).with(task)).only(&[&BANKED])
}
