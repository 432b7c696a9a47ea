//! Counting keys by bin.

use chapter_2_histogram::{bins::Bins, reference::histogram};
use harness::Input;
use serde::{Deserialize, Deserializer, de};

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Output, Reference, Wrong, dimensions,
};
use crate::diagnosis::Diagnosis;

/// `counts[b]` is how many of the n `keys` are b; keys that are no bin's are not counted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Bins.
    #[serde(deserialize_with = "bins")]
    bins: u32,
    /// Whether keys are any numbers of 32 bits, of which half have a bin; otherwise all have one.
    #[serde(default)]
    any_key: bool,
    /// Whether a key counts by a weight of its own, `weights`, integers.
    #[serde(default)]
    weighted: bool,
}

/// A number of bins that chapter 2's histograms can have.
fn bins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let count = u32::deserialize(deserializer)?;
    Bins::even(count, 0.0, 1.0).map(|bins| bins.count).map_err(de::Error::custom)
}

impl Reference for Histogram {
    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::LostUpdate
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let below = u64::from(self.bins);
        let key = |i: u64| match case.input {
            // The last key has a bin, so that it is missed.
            _ if self.any_key && i + 1 < n => self.any(harness::inputs::bits(case.seed, i)),
            Input::Constant => 7 % below,
            Input::Zipf => harness::inputs::zipf(case.seed, i, below) - 1,
            Input::Sorted => i * below / n,
            _ => harness::inputs::bits(case.seed, i) % below,
        };
        let keys: Vec<u32> = (0..n).map(|i| key(i) as u32).collect();
        let mut inputs = vec![Array::of("keys", &keys)];
        let mut out = match self.weighted {
            false => {
                let bins = Bins::even(self.bins, 0.0, 1.0).expect("a number that was checked");
                Output::equal("counts", &histogram(&keys, &bins)[..self.bins as usize])
            }
            true => {
                let weight = |i| harness::inputs::bits(!case.seed, i) as i32;
                let weights: Vec<i32> = (0..n).map(weight).collect();
                inputs.push(Array::of("weights", &weights));
                Output::equal("counts", &self.weigh(&keys, &weights))
            }
        };
        out.initial = Initial::Zero;
        Instance {
            dimensions: dimensions([("n", n), ("bins", self.bins.into())]),
            inputs,
            outputs: vec![out],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let total: f64 = seen.values.iter().sum();
        let n = instance.dimensions["n"] as f64;
        let keys: Vec<u32> = instance.inputs[0].elements();
        if self.weighted {
            return None;
        }
        let counted = keys.iter().filter(|key| **key < self.bins).count() as f64;
        let said = |how| {
            format!(
                "the counts add up to {total}, {how} the {counted} keys that have a bin (of {n})"
            )
        };
        match (total < counted, total > counted) {
            (true, _) => self.lost(&keys, seen, said("fewer than")),
            (_, true) if self.any_key && total <= n => {
                Finding::new(Diagnosis::NoBin, said("more than"))
            }
            (_, true) => Finding::new(Diagnosis::DoubledElement, said("more than")),
            _ => None,
        }
    }
}

impl Histogram {
    /// A key that may have a bin or not: on both sides of the last bin, as a signed number negative, or
    /// such that its offset in bytes is beyond 32 bits.
    fn any(&self, random: u64) -> u64 {
        let bins = u64::from(self.bins);
        let edges = [0, bins - 1, bins, bins + 1, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1];
        let bits = random >> 8;
        match random % 8 {
            0..4 => bits % bins,
            4 | 5 => bins + bits % bins,
            6 => edges[(bits % edges.len() as u64) as usize],
            _ => bits & u64::from(u32::MAX),
        }
    }

    /// The chapter counts; here each key adds its weight.
    fn weigh(&self, keys: &[u32], weights: &[i32]) -> Vec<i32> {
        let mut sums = vec![0i32; self.bins as usize];
        for (&key, &weight) in keys.iter().zip(weights) {
            if let Some(sum) = sums.get_mut(key as usize) {
                *sum = sum.wrapping_add(weight);
            }
        }
        sums
    }

    /// Which keys were not counted.
    fn lost(&self, keys: &[u32], seen: &Observation<'_>, said: String) -> Option<Finding> {
        let first = seen.first();
        let is_last = keys.last().is_some_and(|&key| first.index == key as usize);
        if is_last && seen.wrong.len() == 1 && first.got + 1.0 == first.expected {
            return Finding::new(
                Diagnosis::LostElement,
                format!("{said}: the last one is missing"),
            );
        }
        let misses = |bits: u32| {
            let all = f64::from(1u32 << bits);
            let is_carry = |wrong: &&Wrong| (wrong.expected - wrong.got) % all == 0.0;
            let short = seen.wrong.iter().filter(|wrong| wrong.got < wrong.expected);
            let (carried, others): (Vec<&Wrong>, Vec<&Wrong>) = short.partition(is_carry);
            !carried.is_empty() && others.is_empty()
        };
        if let Some(bits) = [16, 8].into_iter().find(|bits| misses(*bits)) {
            let because =
                format!("{said}: each count that is short is so by a multiple of {}", 1 << bits);
            return Finding::new(Diagnosis::NarrowCounter, because);
        }
        let untouched = seen.wrong.iter().all(|wrong| wrong.got == 0.0);
        if untouched && seen.values.iter().any(|count| *count > 0.0) && keys.len() > 100 {
            let because = format!("bins from {} on are still 0, and others are right", first.index);
            return Finding::new(Diagnosis::NeverWritten, because);
        }
        Finding::new(Diagnosis::PartOnly, said)
    }
}
