//! Particles: the order of their fields in memory, and where an update moves them.

use rayon::prelude::*;

/// The elements of a particle: position x y z, velocity x y z, mass, charge.
pub const FIELDS: u64 = 8;
/// The fields of a position, and those of a velocity.
const DIMENSIONS: u64 = 3;
/// The particles of a group.
const GROUP: u64 = 32;
/// The time that passes in an update.
pub const DT: f32 = 0.125;

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
    /// The field that an element is, if there are `n` particles, and the distance in elements from a field to the next
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

    /// The elements after a number of updates. Those behind the last particle never change.
    pub fn moved(self, updates: u64, host: &[f32]) -> Vec<f32> {
        let after = |element| self.after(updates, host, element);
        (0..host.len() as u64).into_par_iter().map(after).collect()
    }

    fn after(self, updates: u64, host: &[f32], element: u64) -> f32 {
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

    /// A particle's field stands where the one before it says, and every field once per particle.
    #[test]
    fn every_element_is_one_field_of_one_particle() {
        for layout in [Layout::Structures, Layout::Arrays, Layout::Groups] {
            for n in [1, 5, 32, 33, 70] {
                let mut found = [0; FIELDS as usize];
                for element in 0..FIELDS * n {
                    let (field, distance) = layout.field(element, n);
                    found[field as usize] += 1;
                    if field + 1 < FIELDS {
                        let next = layout.field(element + distance, n);
                        assert_eq!(next, (field + 1, distance), "{layout:?} {n} {element}");
                    }
                }
                assert_eq!(found, [n; FIELDS as usize], "{layout:?} {n}");
            }
        }
    }

    /// Two particles: only the position changes, by an eighth of the velocity.
    #[test]
    fn the_worked_example() {
        let structures: Vec<f32> = (0..16).map(|i| i as f32 * 8.0).collect();
        let after = |layout: Layout, updates| layout.moved(updates, &structures);
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
