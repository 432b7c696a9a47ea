//! Particles on the device, the addresses of their fields, and the judge of an update.

use cudarc::driver::DriverError;
use harness::{
    Case, Device, Error, InputArray, Memory, Output, Problem, Traffic, inputs,
    verify::{self, Accepted, Verdict},
};

use crate::{Task, problem::Promise};

/// The elements of a particle: position x y z, velocity x y z, mass, charge.
pub const FIELDS: u64 = 8;
/// The fields of a position, and those of a velocity.
const DIMENSIONS: u64 = 3;
/// The particles of a group.
const GROUP: u64 = 32;
/// The number of elements that one core compares at a time.
const CHUNK: usize = 1 << 16;
/// The time that passes in an update.
pub const DT: f32 = 0.125;

/// Particles that a launch moves by their velocity, in place.
pub struct Particles {
    /// The device and its stream.
    pub device: Device,
    /// Size and input.
    pub case: Case,
    /// The number of particles.
    pub n: u64,
    /// The fields before the first update, in the order that the rung takes them to have.
    pub input: InputArray<f32>,
    /// A copy of the input, made at every reset, which the launches change.
    pub particles: Output<f32>,
}

impl Particles {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let input = InputArray::new(device, inputs::generate(case))?;
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements() / FIELDS,
            particles: Output::new(device, input.host().len())?,
            input,
        })
    }
}

impl Problem for Particles {
    type Promise = Promise<Self, Layout>;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.particles, &mut self.input]
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.particles.copy_from(&self.input)
    }

    fn compare(&self, promise: &Self::Promise, launches: u64) -> Result<Verdict, Error> {
        let (host, layout) = (self.input.host(), promise.result);
        let after = |element| Accepted::Equal(layout.after(launches, host, element));
        self.particles.judge(|particles| {
            let expected = |c| ((c * CHUNK) as u64..).map(after);
            verify::compare_chunks(bytemuck::cast_slice(particles), CHUNK, expected)
        })
    }

    fn is_settled(_promise: &Self::Promise) -> bool {
        false // every launch moves the particles on
    }

    fn traffic(&self, _promise: &Self::Promise) -> Traffic {
        Task::Particles.traffic(self.n)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.input.refill(inputs::generate(case))
    }
}

/// The order in which the fields of all particles are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// All fields of a particle, then those of the next: an array of structures.
    Structures,
    /// One field of all particles, then the next field: a structure of arrays.
    Arrays,
    /// Groups of 32 particles, each a structure of arrays. The arrays of the last group are as long as it
    /// has particles.
    Groups,
}

impl Layout {
    /// The field that an element is, where there are `n` particles, and the distance in elements from a field to the next
    /// one of the same particle.
    fn field(self, element: u64, n: u64) -> (u64, u64) {
        match self {
            Self::Structures => (element % FIELDS, 1),
            Self::Arrays => (element / n, n),
            Self::Groups => {
                let first = element / (FIELDS * GROUP) * GROUP;
                let width = GROUP.min(n - first);
                ((element - FIELDS * first) / width, width)
            }
        }
    }

    /// The value of an element after a number of updates. Elements behind the last particle never change.
    pub fn after(self, updates: u64, host: &[f32], element: u64) -> f32 {
        let (n, start) = (host.len() as u64 / FIELDS, host[element as usize]);
        if element >= FIELDS * n {
            return start;
        }
        let (field, distance) = self.field(element, n);
        if field >= DIMENSIONS {
            return start;
        }
        let velocity = host[(element + DIMENSIONS * distance) as usize];
        // Product and sum are rounded one after the other, as the kernels do.
        (0..updates).fold(start, |position, _| position + velocity * DT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two particles: only the position changes, by an eighth of the velocity.
    #[test]
    fn the_worked_example() {
        let structures: Vec<f32> = (0..16).map(|i| i as f32 * 8.0).collect();
        let after = |layout: Layout, updates| -> Vec<f32> {
            let element = |e| layout.after(updates, &structures, e);
            (0..16).map(element).collect()
        };
        let once = after(Layout::Structures, 1);
        assert_eq!(once[..4], [3.0, 8.0 + 4.0, 16.0 + 5.0, 24.0]);
        assert_eq!(after(Layout::Structures, 2)[0], 6.0);
        assert_eq!(after(Layout::Structures, 0), structures);
        // x of both, then y of both: velocities begin at element 6.
        let arrays = after(Layout::Arrays, 1);
        assert_eq!(arrays[..3], [6.0, 8.0 + 7.0, 16.0 + 8.0]);
        assert_eq!(arrays[6..], structures[6..]);
    }
}
