//! Records of several fields, moved by one step.

use harness::{Dtype, Shape, inputs::bits, verify::Accepted};
use serde::Deserialize;

use super::{
    Case, Finding, Initial, Instance, Observation, Output, Reference, compare::numbers, dimensions,
    shapes, values,
};
use crate::diagnosis::Diagnosis;

/// Fields of a particle: x, y, z, the velocities in these directions, and the mass.
const FIELDS: usize = 7;

/// `particles` has n records of seven floats: x, y, z, vx, vy, vz, mass; x += vx * dt, and so on, rounded
/// once or twice. Velocities and masses stay bit by bit what they are, whatever they are. Dimensions: `n`, `floats`, which is 7 n, and `dt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Particles {}

/// The time step of a case: no kernel can know it.
fn time_step(case: &Case) -> u64 {
    2 + bits(!case.seed, case.shape.elements()) % 6
}

/// The fields of n particles: whole numbers, fractions and numbers of all sizes, and among the masses and
/// velocities what stands out.
fn fields(seed: u64, n: u64) -> Vec<f32> {
    let special: Vec<f32> = values::outstanding();
    let field = |at: u64| {
        let random = bits(seed, at);
        let most = [1 << 20, 1000, 50][[0, 0, 0, 1, 1, 1, 2][at as usize % FIELDS]];
        let whole = (1 + random % most) as f32;
        match (random >> 32) % 16 {
            0 if at as usize % FIELDS >= 3 => special[(random >> 40) as usize % special.len()],
            1..4 => -whole / 7.0,
            4 => whole * f32::powi(2.0, ((random >> 40) % 61) as i32 - 30),
            _ => whole,
        }
    };
    (0..n * FIELDS as u64).map(field).collect()
}

/// x + v * dt, with the product rounded or not.
fn step(x: f32, v: f32, dt: f32) -> Accepted<f32> {
    let (fused, rounded) = (v.mul_add(dt, x), x + v * dt);
    let [fused, rounded] = [fused, rounded].map(f64::from);
    match fused.is_finite() && rounded.is_finite() {
        true => Accepted::Within { value: rounded, bound: (fused - rounded).abs() },
        false => Accepted::Within { value: rounded, bound: 0.0 },
    }
}

impl Reference for Particles {
    fn elements_of_one(&self) -> u64 {
        FIELDS as u64
    }

    /// Around a warp and a block of 256, and many blocks.
    fn sizes(&self) -> Vec<Shape> {
        shapes("0 1 2 31 32 33 255 256 257 511 512 777 1000 1543 150003")
    }

    /// Up to a block's worth, nothing shows what is wrong with the last block alone.
    fn can_diagnose(&self, shape: Shape) -> bool {
        shape.elements() > 256
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let dt = time_step(case);
        let before = fields(case.seed, n);
        let moved = |(at, &x): (usize, &f32)| match at % FIELDS {
            0..3 => step(x, before[at + 3], dt as f32),
            _ => Accepted::Equal(x),
        };
        let after: Vec<Accepted<f32>> = before.iter().enumerate().map(moved).collect();
        let mut particles = Output::of("particles", after);
        particles.initial = Initial::Bytes(bytemuck::cast_slice(&before).to_vec());
        Instance {
            dimensions: dimensions([("n", n), ("floats", n * FIELDS as u64), ("dt", dt)]),
            inputs: Vec::new(),
            outputs: vec![particles],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let Initial::Bytes(bytes) = &seen.output.initial else {
            return None;
        };
        let before = numbers(Dtype::F32, bytes);
        let n = before.len() / FIELDS;
        let threads = seen.threads.max(1) as usize;
        let whole = n / threads * threads;
        let is_of_the_tail = |index: usize| index / FIELDS >= whole;
        if whole > 0 && seen.wrong.iter().all(|w| is_of_the_tail(w.index)) {
            let because =
                format!("the particles of whole blocks are right, those from {whole} on are not");
            return Finding::new(Diagnosis::Tail, because);
        }
        let moved = |index: usize, by: &dyn Fn(usize) -> usize, times: f64| {
            let (particle, field) = (index / FIELDS, index % FIELDS);
            let velocity = before.get(particle * FIELDS + by(field))?;
            let moved = before[index] as f32 + *velocity as f32 * times as f32;
            (field < 3).then(|| f64::from(moved))
        };
        let dt = instance.dimensions["dt"] as f64;
        seen.first_of(&[
            (Diagnosis::Unchanged, "these fields are what they were", &|i| before.get(i).copied()),
            (Diagnosis::DoubledElement, "these particles were moved twice", &|i| {
                moved(i, &|field| field + 3, 2.0 * dt)
            }),
            (Diagnosis::Displaced, "each field is moved by the one behind it", &|i| {
                moved(i, &|field| field + 1, dt)
            }),
            (Diagnosis::Displaced, "each field is moved by the velocity of the next axis", &|i| {
                moved(i, &|field| field + 4, dt)
            }),
            (Diagnosis::Displaced, "all axes are moved by vx", &|i| moved(i, &|_| 3, dt)),
            (Diagnosis::Wrong, "the velocity is added without its factor dt", &|i| {
                moved(i, &|field| field + 3, 1.0)
            }),
        ])
    }
}
