//! The sum of the arrays of two devices, on both of them.

use harness::{Dtype, Op};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Observation, Output, Reference, compare::numbers, dimensions,
    elements,
};
use crate::diagnosis::Diagnosis;

/// `out_d[i] = in_0[i] + in_1[i]` for both devices d, modulo 2^32. What ends in `_1` is in the memory of device 1.
/// Dimension: `n`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllReduce {}

impl Reference for AllReduce {
    /// Each device has an input, what it receives, and an output.
    fn elements_of_one(&self) -> u64 {
        4
    }

    fn instance(&self, case: &Case) -> Instance {
        let of_device_1 = Case { seed: case.seed ^ 0x6465_7631, ..*case };
        let [a, b]: [Vec<i32>; 2] = [case, &of_device_1].map(|case| elements(case, Op::Sum));
        let sums: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
        let out = |name, device| Output { device, ..Output::equal(name, &sums) };
        Instance {
            dimensions: dimensions([("n", case.shape.elements())]),
            outputs: vec![out("out_0", 0), out("out_1", 1)],
            inputs: vec![Array::of("in_0", &a), Array { device: 1, ..Array::of("in_1", &b) }],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let [a, b] = [0, 1].map(|d| numbers(Dtype::I32, &instance.inputs[d].bytes));
        let (own, other) = if seen.output.device == 0 { (&a, &b) } else { (&b, &a) };
        let twice = |x: f64| f64::from((x as i32).wrapping_mul(2));
        seen.first_of(&[
            (Diagnosis::PartOnly, "only the own element is there", &|i| own.get(i).copied()),
            (Diagnosis::PartOnly, "only the other device's element is there", &|i| {
                other.get(i).copied()
            }),
            (Diagnosis::DoubledElement, "the own element is added to itself", &|i| {
                own.get(i).copied().map(twice)
            }),
        ])
    }
}
