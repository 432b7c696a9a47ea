//! Counting keys by bin.

use harness::{Dtype, Input};
use serde::Deserialize;

use super::{
    Array, Case, Expected, Finding, Initial, Instance, Output, Reference, Seen, compare::numbers,
    vector,
};
use crate::diagnosis::Diagnosis;

/// `counts[b]` is how many of the n `keys` are b; keys that are no bin's are not counted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Bins.
    bins: u32,
    /// Keys are below this; as many as there are bins where it is not given.
    keys_below: Option<u32>,
    /// Whether a key counts by a weight of its own, `weights`, integers.
    #[serde(default)]
    weighted: bool,
}

impl Reference for Histogram {
    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::LostUpdate
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let below = u64::from(self.keys_below.unwrap_or(self.bins));
        let key = |i: u64| match case.input {
            Input::Constant => 7 % below,
            Input::Zipf => harness::inputs::zipf(case.seed, i, below) - 1,
            Input::Sorted => i * below / n,
            _ => harness::inputs::bits(case.seed, i) % below,
        };
        let keys: Vec<u32> = (0..n).map(|i| key(i) as u32).collect();
        let weight = |i| (harness::inputs::bits(!case.seed, i) % 100) as i32 - 30;
        let weights: Vec<i32> = (0..n).map(weight).collect();
        let mut counts = vec![0u32; self.bins as usize];
        for (&key, &weight) in keys.iter().zip(&weights) {
            let add = if self.weighted { weight as u32 } else { 1 };
            if let Some(count) = counts.get_mut(key as usize) {
                *count = count.wrapping_add(add);
            }
        }
        let mut dimensions = vector(case.shape);
        dimensions.insert("bins".into(), self.bins.into());
        let dtype = if self.weighted {
            Dtype::I32
        } else {
            Dtype::U32
        };
        let mut out = Output::new("counts", dtype, Expected::equal(&counts));
        out.initial = Initial::Zero;
        let mut inputs = vec![Array::of("keys", &keys)];
        if self.weighted {
            inputs.push(Array::of("weights", &weights));
        }
        Instance {
            dimensions,
            inputs,
            outputs: vec![out],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let total: f64 = seen.values.iter().sum();
        let n = instance.dimensions["n"] as f64;
        let keys = numbers(Dtype::U32, &instance.inputs[0].bytes);
        if self.weighted {
            return None;
        }
        let counted = keys
            .iter()
            .filter(|key| **key < f64::from(self.bins))
            .count() as f64;
        let said = |how| {
            format!(
                "the counts add up to {total}, {how} the {counted} keys that have a bin (of {n})"
            )
        };
        match (total < counted, total > counted) {
            (true, _) => self.lost(&keys, seen, said("fewer than")),
            (_, true) => Finding::new(Diagnosis::DoubledElement, said("more than")),
            _ => None,
        }
    }
}

impl Histogram {
    /// Which keys were not counted.
    fn lost(&self, keys: &[f64], seen: &Seen<'_>, said: String) -> Option<Finding> {
        let first = seen.first();
        let is_last = keys.last().is_some_and(|&key| first.index as f64 == key);
        if is_last && seen.wrong.len() == 1 && first.got + 1.0 == first.expected {
            return Finding::new(
                Diagnosis::LostElement,
                format!("{said}: the last one is missing"),
            );
        }
        let untouched = seen.wrong.iter().all(|wrong| wrong.got == 0.0);
        if untouched && seen.values.iter().any(|count| *count > 0.0) && keys.len() > 100 {
            let because = format!(
                "bins from {} on are still 0, and others are right",
                first.index
            );
            return Finding::new(Diagnosis::NeverWritten, because);
        }
        Finding::new(Diagnosis::PartOnly, said)
    }
}
