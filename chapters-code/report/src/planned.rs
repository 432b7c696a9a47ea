//! What a recorded run has of a chapter.

use harness::{
    Case, Rung, Task,
    task::{AsColumns, Columns},
};

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    Full,
    /// A few sizes and types.
    Quick,
    /// One small size, on the simulator.
    Trial,
}

impl Scope {
    /// The sizes of a ladder, the largest first.
    pub fn sizes(self) -> Vec<u64> {
        match self {
            Self::Full => {
                let mut sizes: Vec<u64> = (5..=14).map(|k| 1 << (2 * k)).collect();
                sizes.push(25_600_000);
                sizes.sort_unstable_by(|a, b| b.cmp(a));
                sizes
            }
            Self::Quick => vec![1 << 28, 25_600_000, 1 << 20],
            Self::Trial => vec![1 << 12],
        }
    }
}

/// A case of a recorded run, and the rungs that run on it.
#[derive(Clone, Debug)]
pub struct Planned<T> {
    /// The case.
    pub case: Case<T>,
    /// The names of the rungs; all right ones that the case has if there is no name.
    pub rungs: Vec<&'static str>,
    /// Whether it is timed; otherwise it is run once.
    pub is_timed: bool,
    /// Whether it is part of a recording of several devices.
    pub is_of_several: bool,
}

impl<T: Task> Planned<T> {
    /// All rungs on a case, timed, in a recording of one device.
    pub fn all(case: Case<T>) -> Self {
        Self { case, rungs: Vec::new(), is_timed: true, is_of_several: false }
    }

    /// The same for these rungs alone; for all if there are none.
    pub fn only(self, rungs: &[&Rung<T>]) -> Self {
        Self { rungs: rungs.iter().map(|rung| rung.name).collect(), ..self }
    }

    /// The same, run once and not timed.
    pub fn once(self) -> Self {
        Self { is_timed: false, ..self }
    }
}

impl<T: AsColumns> Planned<T> {
    /// The same for a case whose task is known by its columns alone.
    pub(crate) fn erased(self) -> Planned<Columns> {
        let Self { case, rungs, is_timed, is_of_several } = self;
        Planned { case: case.erased(), rungs, is_timed, is_of_several }
    }
}
