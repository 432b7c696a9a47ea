//! Handles: what the API's opaque pointers are here.
//!
//! A handle is never an address, so a wrong one cannot crash: it names its kind, a slot of that
//! kind's table, and the slot's generation, which changes whenever the slot is freed. A null,
//! foreign or outdated handle is simply not found.

use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{CUresult, Result};

/// An opaque pointer of the API.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub usize);

impl Handle {
    /// No object.
    pub const NULL: Self = Self(0);

    /// True for the null pointer.
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Context = 1,
    Module,
    Function,
    Stream,
    Event,
    Pool,
    Graph,
    Node,
    Exec,
}

const GENERATIONS: u32 = 1 << 24;

struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
}

/// All objects of one kind.
pub struct Table<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

impl<T> Table<T> {
    /// An empty table.
    pub fn new(kind: Kind) -> Self {
        Self { kind, slots: RwLock::new(Slots { slots: Vec::new(), free: Vec::new() }) }
    }

    /// Adds an object, made from the handle that it gets.
    pub fn insert_with(&self, make: impl FnOnce(Handle) -> T) -> Handle {
        let mut table = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let index = table.free.pop().unwrap_or(table.slots.len());
        if index == table.slots.len() {
            table.slots.push(Slot { generation: 0, value: None });
        }
        let handle = self.encode(index, table.slots[index].generation);
        table.slots[index].value = Some(Arc::new(make(handle)));
        handle
    }

    /// Adds an object.
    pub fn insert(&self, value: T) -> Handle {
        self.insert_with(|_| value)
    }

    /// The object of a handle.
    pub fn get(&self, handle: Handle) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let table = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = table.slots.get(index)?;
        if slot.generation == generation { slot.value.clone() } else { None }
    }

    /// The object of a handle, or the failure of a call that gets a wrong one: it names what the handle is not.
    pub fn look_up(&self, handle: Handle, code: CUresult, what: &str) -> Result<Arc<T>> {
        self.get(handle).ok_or_else(|| code.because(format!("{:#x} is not {what}", handle.0)))
    }

    /// Removes an object; its handle is never valid again.
    pub fn remove(&self, handle: Handle) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let mut table = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slot = table.slots.get_mut(index)?;
        if slot.generation != generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation += 1;
        // A slot whose generations are used up stays empty, so that no handle comes back.
        if slot.generation < GENERATIONS {
            table.free.push(index);
        }
        Some(value)
    }

    /// The handles of all objects that satisfy a condition.
    pub fn find(&self, condition: impl Fn(&T) -> bool) -> Vec<Handle> {
        let table = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let matching = table.slots.iter().enumerate().filter_map(|(index, slot)| {
            let value = slot.value.as_ref()?;
            condition(value).then(|| self.encode(index, slot.generation))
        });
        matching.collect()
    }

    /// Removes the objects for which a condition holds, and returns them.
    pub fn remove_all(&self, condition: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        self.find(condition).into_iter().filter_map(|handle| self.remove(handle)).collect()
    }

    fn encode(&self, index: usize, generation: u32) -> Handle {
        Handle((self.kind as usize) << 56 | (generation as usize) << 32 | (index + 1))
    }

    fn decode(&self, handle: Handle) -> Option<(usize, u32)> {
        if handle.0 >> 56 != self.kind as usize {
            return None;
        }
        let index = (handle.0 & 0xffff_ffff).checked_sub(1)?;
        Some((index, (handle.0 >> 32) as u32 % GENERATIONS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_handle_is_never_valid_again() {
        let table = Table::new(Kind::Event);
        let first = table.insert("a");
        assert_eq!(table.get(first).as_deref(), Some(&"a"));
        assert!(table.remove(first).is_some());
        assert!(table.remove(first).is_none());
        let second = table.insert("b");
        assert_ne!(first, second);
        assert!(table.get(first).is_none());
        assert_eq!(table.find(|v| *v == "b"), [second]);
    }

    #[test]
    fn foreign_handles_are_not_found() {
        let table = Table::<u8>::new(Kind::Event);
        let stream = Table::new(Kind::Stream).insert(7u8);
        table.insert(3);
        for handle in [Handle::NULL, Handle(1), Handle(usize::MAX), stream] {
            assert!(table.get(handle).is_none(), "{handle:?}");
        }
    }
}
