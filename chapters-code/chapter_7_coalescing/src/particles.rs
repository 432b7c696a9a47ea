//! Where the fields of particles lie, and what becomes of them.

/// Elements of a particle: place x y z, velocity x y z, mass, charge.
pub const FIELDS: u64 = 8;
/// Of those, how many are a place, and how many a velocity.
const DIMENSIONS: u64 = 3;
/// Particles of a group.
const GROUP: u64 = 32;
/// The time that passes in an update.
pub const DT: f32 = 0.125;

/// In which order the fields of all particles are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Particle after particle.
    Structures,
    /// Field after field.
    Arrays,
    /// Group after group of 32 particles, field after field in each. The last group is as wide as it has
    /// particles.
    Groups,
}

impl Layout {
    /// That of a rung's particles.
    pub fn of(rung: &str) -> Self {
        match rung {
            "soa" | "soa_packs" => Self::Arrays,
            "aosoa" => Self::Groups,
            _ => Self::Structures,
        }
    }

    /// The particle and the field of an element; `n` particles in all.
    fn what_is(self, element: u64, n: u64) -> (u64, u64) {
        match self {
            Self::Structures => (element / FIELDS, element % FIELDS),
            Self::Arrays => (element % n, element / n),
            Self::Groups => {
                let first = element / (FIELDS * GROUP) * GROUP;
                let width = GROUP.min(n - first);
                let within = element - FIELDS * first;
                (first + within % width, within / width)
            }
        }
    }

    /// Where a field of a particle lies.
    fn place(self, particle: u64, field: u64, n: u64) -> u64 {
        match self {
            Self::Structures => FIELDS * particle + field,
            Self::Arrays => field * n + particle,
            Self::Groups => {
                let first = particle / GROUP * GROUP;
                FIELDS * first + field * GROUP.min(n - first) + particle % GROUP
            }
        }
    }

    /// What an element is after so many updates. Elements behind the last particle belong to none.
    pub fn after(self, updates: u64, host: &[f32], element: u64) -> f32 {
        let (n, start) = (host.len() as u64 / FIELDS, host[element as usize]);
        if element >= FIELDS * n {
            return start;
        }
        let (particle, field) = self.what_is(element, n);
        if field >= DIMENSIONS {
            return start;
        }
        let velocity = host[self.place(particle, field + DIMENSIONS, n) as usize];
        // Product and sum are rounded one after the other, as the kernels do.
        (0..updates).fold(start, |place, _| place + velocity * DT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Layout; 3] = [Layout::Structures, Layout::Arrays, Layout::Groups];

    #[test]
    fn every_element_is_one_field_of_one_particle() {
        for layout in ALL {
            for n in [1, 5, 32, 33, 70] {
                for element in 0..FIELDS * n {
                    let (particle, field) = layout.what_is(element, n);
                    assert!(particle < n && field < FIELDS, "{layout:?} {n} {element}");
                    assert_eq!(layout.place(particle, field, n), element);
                }
            }
        }
    }

    /// Two particles: what moves is the place, by an eighth of the velocity.
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
