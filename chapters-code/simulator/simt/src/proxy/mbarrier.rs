//! One mbarrier object: phases, arrivals, and pending bytes.
//!
//! A phase is complete when all expected arrivals have occurred and all announced bytes have been
//! copied, in any order. Then the next phase begins. Bytes may be copied before they are announced,
//! so their count can be negative for a while.

use ptx::ir::PENDING_COUNT_BITS;

/// The largest number of arrivals that an object can count.
pub(crate) const MOST_ARRIVALS: u32 = (1 << PENDING_COUNT_BITS) - 1;
/// The largest number of bytes that can be pending, or copied early.
pub(crate) const MOST_BYTES: i64 = (1 << 20) - 1;

/// The state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    /// Arrivals that complete a phase, from the next phase on.
    expected: u32,
    /// Arrivals that this phase still needs.
    pending: u32,
    /// Bytes announced in this phase and not copied yet.
    bytes: i64,
    /// The number of the phase, counted from 0.
    phase: u64,
}

/// Operations that a program must not do with an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misuse {
    #[error("a count of {0}, where 1 to {MOST_ARRIVALS} are possible")]
    Count(u32),
    #[error("{count} arrivals at once, where phase {phase} takes {pending} more")]
    TooManyArrivals { count: u32, phase: u64, pending: u32 },
    #[error("it completes phase {0}, although `.noComplete` promises that it does not")]
    Completes(u64),
    #[error("a transaction count of {0} bytes, where {MOST_BYTES} at most can be outstanding")]
    TooManyBytes(i64),
    #[error("a phase parity of {0}, where it must be 0 or 1")]
    Parity(u32),
}

/// The phase that a test asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The phase in which an arrival returned this state.
    State(u64),
    /// The current or the preceding phase, whichever has this parity.
    Parity(u32),
}

/// Whether an operation completed a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    None,
    Phase,
}

impl Mbarrier {
    /// Creates an object for `count` arrivals, in its phase 0.
    pub fn new(count: u32) -> Result<Self, Misuse> {
        let expected = in_range(count)?;
        Ok(Self { expected, pending: expected, bytes: 0, phase: 0 })
    }

    /// Returns the state as an arrival returns it.
    pub fn state(&self) -> u64 {
        self.phase << PENDING_COUNT_BITS | u64::from(self.pending)
    }

    /// Returns the bytes that shared memory holds for the object: its whole state, which is never
    /// all zeros or all ones.
    pub fn image(&self) -> [u8; 8] {
        let bytes = (self.bytes & (2 * MOST_BYTES + 1)) as u64;
        let counts = u64::from(self.expected) << 20 | u64::from(self.pending);
        (2 << 62 | (self.phase & 1) << 61 | bytes << 40 | counts).to_le_bytes()
    }

    /// Returns the number of the phase that is not complete yet.
    pub fn phase(&self) -> u64 {
        self.phase
    }

    /// Announces bytes.
    pub fn expect(&mut self, bytes: u32) -> Result<Completion, Misuse> {
        self.add_bytes(bytes.into())
    }

    /// Counts copied bytes.
    pub fn complete(&mut self, bytes: u32) -> Result<Completion, Misuse> {
        self.add_bytes(-i64::from(bytes))
    }

    fn add_bytes(&mut self, bytes: i64) -> Result<Completion, Misuse> {
        let sum = self.bytes + bytes;
        if sum.abs() > MOST_BYTES {
            return Err(Misuse::TooManyBytes(sum));
        }
        self.bytes = sum;
        Ok(self.turn())
    }

    /// Adds one pending arrival to this phase.
    pub fn add_pending(&mut self) -> Result<(), Misuse> {
        self.pending = in_range(self.pending + 1)?;
        Ok(())
    }

    /// Counts `count` arrivals at once.
    pub fn arrive(&mut self, count: u32) -> Result<Completion, Misuse> {
        if in_range(count)? > self.pending {
            let Self { phase, pending, .. } = *self;
            return Err(Misuse::TooManyArrivals { count, phase, pending });
        }
        self.pending -= count;
        Ok(self.turn())
    }

    /// Counts `count` arrivals that will not occur in later phases.
    pub fn drop(&mut self, count: u32) -> Result<Completion, Misuse> {
        let phase = self.phase;
        let too_many = |pending| Misuse::TooManyArrivals { count, phase, pending };
        let rest = self.expected.checked_sub(in_range(count)?);
        self.expected = rest.ok_or(too_many(self.expected))?;
        self.arrive(count)
    }

    /// Checks the result of [`Self::arrive`] or [`Self::drop`] for an instruction that promises not
    /// to complete the phase.
    pub fn keeps_promise(completion: Completion, phase: u64) -> Result<Completion, Misuse> {
        match completion {
            Completion::None => Ok(completion),
            Completion::Phase => Err(Misuse::Completes(phase)),
        }
    }

    /// Begins the next phase if this one is complete.
    fn turn(&mut self) -> Completion {
        if self.pending > 0 || self.bytes != 0 {
            return Completion::None;
        }
        self.phase += 1;
        self.pending = self.expected;
        Completion::Phase
    }

    /// Whether the phase is complete.
    pub fn is_complete(&self, asked: Asked) -> Result<bool, Misuse> {
        match asked {
            Asked::State(state) => Ok(self.state_phase(state) != self.phase),
            Asked::Parity(parity @ 0..=1) => Ok(self.phase & 1 != u64::from(parity)),
            Asked::Parity(parity) => Err(Misuse::Parity(parity)),
        }
    }

    fn state_phase(&self, state: u64) -> u64 {
        state >> PENDING_COUNT_BITS
    }

    /// Describes what the current phase still waits for.
    pub fn wants(&self) -> String {
        let Self { expected, pending, .. } = *self;
        let arrivals = match pending {
            0 => "no more arrivals".to_owned(),
            n => format!("{n} of {expected} arrivals"),
        };
        match self.bytes {
            0 => format!("it still waits for {arrivals}"),
            n @ 1.. => format!("it still waits for {arrivals} and {n} bytes"),
            n => format!(
                "it still waits for {arrivals}, and {} bytes were copied that no thread announced",
                -n
            ),
        }
    }
}

fn in_range(count: u32) -> Result<u32, Misuse> {
    if (1..=MOST_ARRIVALS).contains(&count) { Ok(count) } else { Err(Misuse::Count(count)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: Result<Completion, Misuse> = Ok(Completion::None);
    const YES: Result<Completion, Misuse> = Ok(Completion::Phase);

    #[test]
    fn a_phase_takes_all_its_arrivals() {
        let mut m = Mbarrier::new(3).unwrap();
        assert_eq!([m.arrive(1), m.arrive(1), m.arrive(1)], [NO, NO, YES]);
        assert_eq!((m.phase(), m.state() as u32), (1, 1 << 20 | 3));
        assert_eq!([m.arrive(3), m.arrive(2), m.arrive(1)], [YES, NO, YES]);
    }

    #[test]
    fn a_phase_takes_all_its_bytes() {
        let mut m = Mbarrier::new(1).unwrap();
        assert_eq!([m.expect(64), m.arrive(1), m.complete(48)], [NO, NO, NO]);
        assert_eq!(m.wants(), "it still waits for no more arrivals and 16 bytes");
        assert_eq!(m.complete(16), YES);
    }

    #[test]
    fn bytes_may_come_early() {
        let mut m = Mbarrier::new(1).unwrap();
        assert_eq!([m.complete(32), m.arrive(1)], [NO, NO]);
        assert!(m.wants().contains("32 bytes were copied that no thread announced"));
        assert_eq!(m.expect(32), YES);
    }

    #[test]
    fn parities_and_states() {
        let mut m = Mbarrier::new(1).unwrap();
        let asks = |m: &Mbarrier| [0, 1].map(|p| m.is_complete(Asked::Parity(p)).unwrap());
        // The phase before the first one counts as complete.
        assert_eq!(asks(&m), [false, true]);
        let state = Asked::State(m.state());
        assert_eq!(m.is_complete(state), Ok(false));
        m.arrive(1).unwrap();
        assert_eq!((asks(&m), m.is_complete(state)), ([true, false], Ok(true)));
        m.arrive(1).unwrap();
        assert_eq!(asks(&m), [false, true]);
        assert_eq!(m.is_complete(Asked::Parity(2)), Err(Misuse::Parity(2)));
    }

    #[test]
    fn who_drops_out_is_not_waited_for() {
        let mut m = Mbarrier::new(3).unwrap();
        assert_eq!([m.drop(1), m.arrive(2)], [NO, YES]);
        assert_eq!([m.arrive(1), m.arrive(1)], [NO, YES]);
        let too_many = m.drop(3);
        assert!(matches!(too_many, Err(Misuse::TooManyArrivals { .. })));
    }

    #[test]
    fn ranges() {
        assert_eq!(Mbarrier::new(0), Err(Misuse::Count(0)));
        assert_eq!(Mbarrier::new(1 << 20), Err(Misuse::Count(1 << 20)));
        let mut m = Mbarrier::new(2).unwrap();
        assert_eq!(m.arrive(0), Err(Misuse::Count(0)));
        assert!(matches!(m.arrive(3), Err(Misuse::TooManyArrivals { .. })));
        m.expect(MOST_BYTES as u32).unwrap();
        assert_eq!(m.expect(1), Err(Misuse::TooManyBytes(1 << 20)));
        let mut m = Mbarrier::new(2).unwrap();
        m.complete(MOST_BYTES as u32).unwrap();
        assert_eq!(m.complete(1), Err(Misuse::TooManyBytes(-(1 << 20))));
        let kept = Mbarrier::keeps_promise(Completion::Phase, 4);
        assert_eq!(kept, Err(Misuse::Completes(4)));
    }

    #[test]
    fn images_differ_from_memory_that_nobody_has_written() {
        let m = Mbarrier::new(1).unwrap();
        assert_ne!(m.image(), [0; 8]);
        assert_ne!(m.image(), [0xff; 8]);
        let mut other = m;
        other.expect(16).unwrap();
        assert_ne!(m.image(), other.image());
    }
}
