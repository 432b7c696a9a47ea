//! Records of several fields, moved by one step.

use harness::{Dtype, Shape, inputs::bits};
use serde::Deserialize;

use super::{
    Case, Finding, Initial, Instance, Output, Reference, Seen, compare::numbers, dimensions, shapes,
};
use crate::diagnosis::Diagnosis;

/// Fields of a particle: x, y, z, the velocities in these directions, and the mass.
const FIELDS: usize = 7;

/// `particles` has n records of seven floats: x, y, z, vx, vy, vz, mass; x += vx * dt, and so on. All
/// are whole numbers, so that nothing is rounded. Dimensions: `n`, `floats`, which is 7 n, and `dt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Particles {}

/// The time step of a case: no kernel can know it.
fn time_step(case: &Case) -> u64 {
    2 + bits(!case.seed, case.shape.elements()) % 6
}

impl Reference for Particles {
    /// Around a warp and a block of 256, and many blocks.
    fn sizes(&self) -> Vec<Shape> {
        shapes("0 1 2 31 32 33 255 256 257 511 512 777 1000 1543 150003")
    }

    /// Up to a block's worth, nothing shows what is wrong with the last block alone.
    fn tells(&self, shape: Shape) -> bool {
        shape.elements() > 256
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let dt = time_step(case);
        let field = |at: u64| match at as usize % FIELDS {
            0..3 => (bits(case.seed, at) % (1 << 20)) as f32,
            3..6 => (1 + bits(case.seed, at) % 1000) as f32,
            _ => (1 + bits(case.seed, at) % 50) as f32,
        };
        let before: Vec<f32> = (0..n * FIELDS as u64).map(field).collect();
        let mut after = before.clone();
        for particle in after.chunks_exact_mut(FIELDS) {
            for axis in 0..3 {
                particle[axis] += particle[axis + 3] * dt as f32;
            }
        }
        let mut particles = Output::equal("particles", &after);
        particles.initial = Initial::Bytes(bytemuck::cast_slice(&before).to_vec());
        Instance {
            dimensions: dimensions([("n", n), ("floats", n * FIELDS as u64), ("dt", dt)]),
            inputs: Vec::new(),
            outputs: vec![particles],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
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
            (field < 3).then(|| before[index] + velocity * times)
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
