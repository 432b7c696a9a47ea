//! The mbarrier objects of a block.
//!
//! Only instructions on mbarriers may touch an object's 8 bytes of shared memory. The bytes hold an
//! image of the object; if the image has changed, another instruction has written there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::mbarrier::{Asked, Mbarrier};
use crate::registers::LaneMask;

/// The size of an object in bytes, and its alignment.
pub(crate) const MBARRIER_BYTES: u32 = 8;

/// Why there is no object at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Absent {
    #[error("where there is no mbarrier: none was initialised")]
    Never,
    #[error("where there is no mbarrier any more: it has been invalidated")]
    Invalidated,
    #[error("but something else than an mbarrier instruction has written over that mbarrier")]
    Overwritten,
}

/// All objects of a block, by offset in shared memory.
#[derive(Debug, Default)]
pub(crate) struct Mbarriers {
    live: FxHashMap<u32, Mbarrier>,
    invalidated: FxHashSet<u32>,
    /// Lanes, by warp and lane, whose last test found a phase incomplete.
    waits: FxHashMap<(u32, u32), (u32, Asked)>,
}

impl Mbarriers {
    pub fn clear(&mut self) {
        self.live.clear();
        self.invalidated.clear();
        self.waits.clear();
    }

    /// Creates an object at an offset. Returns true if there was one already.
    pub fn initialise(&mut self, offset: u32, object: Mbarrier, shared: &mut [u8]) -> bool {
        self.invalidated.remove(&offset);
        write(offset, object.image(), shared);
        self.live.insert(offset, object).is_some()
    }

    /// Removes an object.
    pub fn invalidate(&mut self, offset: u32, shared: &mut [u8]) -> Result<(), Absent> {
        self.get(offset, shared)?;
        self.live.remove(&offset);
        self.invalidated.insert(offset);
        write(offset, [0; 8], shared);
        Ok(())
    }

    /// Returns the object at an offset.
    pub fn get(&self, offset: u32, shared: &[u8]) -> Result<Mbarrier, Absent> {
        let object = match self.live.get(&offset) {
            Some(object) => *object,
            None if self.invalidated.contains(&offset) => return Err(Absent::Invalidated),
            None => return Err(Absent::Never),
        };
        if read(offset, shared) != object.image() {
            return Err(Absent::Overwritten);
        }
        Ok(object)
    }

    /// Writes a changed object back.
    pub fn put(&mut self, offset: u32, object: Mbarrier, shared: &mut [u8]) {
        write(offset, object.image(), shared);
        self.live.insert(offset, object);
    }

    /// Notes whether a lane's test found a phase complete.
    pub fn tested(&mut self, thread: (u32, u32), offset: u32, asked: Asked, is_complete: bool) {
        if is_complete {
            self.waits.remove(&thread);
        } else {
            self.waits.insert(thread, (offset, asked));
        }
    }

    /// Returns the offset of the phase's object that lanes of a warp wait for, and the object.
    pub fn awaited(&self, warp: u32, lanes: LaneMask) -> Option<(u32, &Mbarrier)> {
        let waits = |lane| self.waits.get(&(warp, lane));
        let (offset, asked) = crate::counters::lanes(lanes).find_map(waits)?;
        let object = self.live.get(offset)?;
        let still = object.is_complete(*asked) == Ok(false);
        still.then_some((*offset, object))
    }
}

/// Returns the bytes of an object, which the caller knows to exist.
fn bytes_at(offset: u32) -> std::ops::Range<usize> {
    offset as usize..(offset + MBARRIER_BYTES) as usize
}

fn write(offset: u32, image: [u8; 8], shared: &mut [u8]) {
    if let Some(bytes) = shared.get_mut(bytes_at(offset)) {
        bytes.copy_from_slice(&image);
    }
}

fn read(offset: u32, shared: &[u8]) -> &[u8] {
    shared.get(bytes_at(offset)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_and_go() {
        let mut shared = vec![0xff; 64];
        let mut all = Mbarriers::default();
        assert_eq!(all.get(8, &shared), Err(Absent::Never));
        let object = Mbarrier::new(2).unwrap();
        assert!(!all.initialise(8, object, &mut shared));
        assert_eq!(all.get(8, &shared), Ok(object));
        assert!(all.initialise(8, object, &mut shared));
        all.invalidate(8, &mut shared).unwrap();
        assert_eq!(all.get(8, &shared), Err(Absent::Invalidated));
        assert!(!all.initialise(8, object, &mut shared));
        shared[11] ^= 1;
        assert_eq!(all.get(8, &shared), Err(Absent::Overwritten));
    }

    #[test]
    fn who_waits_for_what() {
        let mut shared = vec![0; 64];
        let mut all = Mbarriers::default();
        let mut object = Mbarrier::new(1).unwrap();
        all.initialise(0, object, &mut shared);
        all.tested((3, 5), 0, Asked::Parity(0), false);
        assert_eq!(all.awaited(3, 1 << 5), Some((0, &object)));
        assert_eq!(all.awaited(3, 1 << 4), None);
        object.arrive(1).unwrap();
        all.put(0, object, &mut shared);
        assert_eq!(all.awaited(3, 1 << 5), None);
    }
}
