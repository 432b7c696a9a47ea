//! Contention: how long a warp's longest queue is, on average.
//!
//! Each of a warp's 32 lanes draws a bin at random. Lanes whose counters are different words of one
//! bank are served one after another, and lanes of one word together, as `ATOMS.POPC.INC` does. So an
//! atomic takes as many wavefronts as the most *distinct counters* that one bank is asked for.
//!
//! # Derivation
//!
//! Count sequences of N draws, by exponential generating functions in z. If bin i is drawn with
//! probability p_i, sequences of at least one draw of it have e^(p_i z) − 1. In one bank, with a mark t
//! for each distinct bin, all sequences are the product of 1 + t (e^(p_i z) − 1) over its bins; those
//! with at most k distinct bins are its part of degree up to k in t, call it B_k(z). Different banks
//! have different bins, so that N! [z^N] of the product of B_k over all banks is the probability that
//! no bank is asked for more than k, and
//!
//! E(longest) = Σ over k ≥ 0 of 1 − P(longest ≤ k).
//!
//! With R copies, copy r of a bin in bank (bin · R + r) mod 32, the lanes fall into R groups of 32/R
//! lanes, each with 32/R banks of its own; the groups are independent, and P is the product of theirs.
//! All coefficients are positive, so nothing cancels.

/// Lanes of a warp, and banks of shared memory.
const LANES: usize = 32;

/// A power series in z, up to z^32.
type Series = [f64; LANES + 1];

/// How many wavefronts a warp's atomic takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wavefronts {
    /// The expected number.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
}

impl Wavefronts {
    /// For bins drawn with these probabilities, which add up to 1, in `copies` copies: 1, 2, 4, 8, 16
    /// or 32.
    pub fn expected(probabilities: &[f64], copies: usize) -> Self {
        // P(longest > k) for k = 0, 1, …
        let beyond = p_at_most(probabilities, copies.clamp(1, LANES)).map(|p| 1.0 - p);
        let mean: f64 = beyond.iter().sum();
        let odd = |(k, p): (usize, &f64)| (2 * k + 1) as f64 * p;
        let square: f64 = beyond.iter().enumerate().map(odd).sum();
        Self { mean, variance: (square - mean * mean).max(0.0) }
    }

    /// For `bins` bins, all as likely.
    pub fn uniform(bins: usize, copies: usize) -> Self {
        Self::expected(&vec![1.0 / bins as f64; bins], copies)
    }
}

/// P(no bank is asked for more than k counters), for k = 0, 1, …
fn p_at_most(probabilities: &[f64], copies: usize) -> [f64; LANES] {
    let banks = LANES / copies;
    let mut all = [one(); LANES];
    for bank in 0..banks {
        let by_distinct = by_distinct(probabilities.iter().skip(bank).step_by(banks));
        let mut at_most = [0.0; LANES + 1];
        for (all, exactly) in all.iter_mut().zip(&by_distinct) {
            at_most.iter_mut().zip(exactly).for_each(|(a, b)| *a += b);
            *all = product(all, &at_most);
        }
    }
    let lanes = LANES / copies;
    let factorial: f64 = (1..=lanes).map(|i| i as f64).product();
    all.map(|series| (series[lanes] * factorial).powi(copies as i32))
}

/// Sequences of draws of these bins, with exactly 0, 1, 2, … of them distinct.
fn by_distinct<'p>(bins: impl Iterator<Item = &'p f64>) -> [Series; LANES] {
    let mut by_distinct = [[0.0; LANES + 1]; LANES];
    by_distinct[0] = one();
    for &p in bins {
        let drawn = exponential_less_one(p);
        for j in (1..LANES).rev() {
            let more = product(&by_distinct[j - 1], &drawn);
            by_distinct[j].iter_mut().zip(more).for_each(|(a, b)| *a += b);
        }
    }
    by_distinct
}

fn one() -> Series {
    let mut series = [0.0; LANES + 1];
    series[0] = 1.0;
    series
}

/// e^(pz) − 1.
fn exponential_less_one(p: f64) -> Series {
    let mut series = one();
    for i in 1..=LANES {
        series[i] = series[i - 1] * p / i as f64;
    }
    series[0] = 0.0;
    series
}

fn product(a: &Series, b: &Series) -> Series {
    std::array::from_fn(|degree| (0..=degree).map(|i| a[i] * b[degree - i]).sum())
}

#[cfg(test)]
mod tests {
    use harness::inputs::bits;

    use super::*;

    #[track_caller]
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn what_needs_no_computation() {
        close(Wavefronts::uniform(32, 1).mean, 1.0); // a bin a bank
        close(Wavefronts::uniform(2, 1).mean, 1.0);
        close(Wavefronts::uniform(5000, 32).mean, 1.0); // a bank a lane
        close(Wavefronts::expected(&[1.0], 1).mean, 1.0); // all in one bin
        // Of two bins in one bank, all lanes draw the same with probability 2 / 2^32.
        let mut two = vec![0.0; 64];
        (two[3], two[35]) = (0.5, 0.5);
        close(Wavefronts::expected(&two, 1).mean, 2.0 - 2.0 / 2f64.powi(32));
    }

    /// The small case that the book works by hand: bins 0 and 2 in bank 0, bins 1 and 3 in bank 1.
    #[test]
    fn two_lanes_two_banks_of_two_bins() {
        let waits = |a: u32, b: u32| a != b && a % 2 == b % 2;
        let pairs = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
        let waiting = pairs.filter(|&(a, b)| waits(a, b)).count();
        assert_eq!(waiting, 4); // of 16
        let mean = 1.0 + waiting as f64 / 16.0;
        close(mean, 1.25);

        // By the series: P(longest <= 1) = 2! [z^2] B_1^2.
        let distinct = by_distinct([0.25, 0.25].iter());
        let at_most_one: Series = std::array::from_fn(|i| distinct[0][i] + distinct[1][i]);
        assert_eq!(at_most_one[..3], [1.0, 1.0 / 2.0, 1.0 / 16.0]);
        let p = 2.0 * product(&at_most_one, &at_most_one)[2];
        close(1.0 + (1.0 - p), mean);
    }

    /// Draws warps, and looks at the longest queue of each.
    fn simulated(bins: u64, copies: u64, warps: u64) -> f64 {
        let longest = |warp: u64| {
            let mut words: Vec<u64> = (0..32)
                .map(|lane| ((bits(7, 32 * warp + lane) >> 32) * bins) >> 32)
                .zip(0..32)
                .map(|(bin, lane)| bin * copies + lane % copies)
                .collect();
            words.sort_unstable();
            words.dedup();
            let of_bank = |bank: u64| words.iter().filter(|&&word| word % 32 == bank).count();
            (0..32).map(of_bank).max().unwrap_or(0) as f64
        };
        (0..warps).map(longest).sum::<f64>() / warps as f64
    }

    #[test]
    fn drawn_warps_agree() {
        const WARPS: u64 = 20_000;
        for (bins, copies) in [(33, 1), (100, 1), (256, 1), (256, 4), (1000, 2), (64, 16)] {
            let Wavefronts { mean, variance } = Wavefronts::uniform(bins, copies);
            let off = simulated(bins as u64, copies as u64, WARPS) - mean;
            let deviation = (variance / WARPS as f64).sqrt();
            assert!(off.abs() < 5.0 * deviation, "{bins} {copies}: {mean} {off} {deviation}");
        }
    }
}
