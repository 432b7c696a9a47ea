//! Device memory: allocations with gaps between them, so that no stray access reaches another one.
//!
//! Device addresses are numbers of the simulator's own. Host memory behind an allocation is
//! committed on demand and released when the allocation is freed. The table of allocations does not
//! change while a kernel runs: a launch takes a [`Snapshot`] of it.
//!
//! **Can miss:** an access that leads into another allocation (`index_into_another_allocation`).
//!
//! Kernels read and write device memory from several host threads at once, and a kernel may contain
//! a data race. The bytes are therefore never borrowed as Rust references; [`crate::racy`] copies
//! them in and out.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use crate::devices::{Devices, NoAccess};
use crate::fault::FaultDetail;
use crate::init_mask::InitMask;
use crate::racy;

/// The first device address. It is high enough not to be mistaken for an offset or a shared
/// address.
pub const DEVICE_BASE: u64 = 0x7000_0000_0000;
/// The alignment of allocations in bytes.
const ALIGNMENT: u64 = 512;
/// Freed allocations that are remembered, to describe accesses to them.
const MOST_FREED: usize = 1024;
/// Bytes that a copy within the device, or a fill, moves at a time: a multiple of every pattern's
/// length.
const BUFFER: usize = 1024;
/// Where 64-bit operating systems place the memory of programs.
const HOST: Range<u64> = 1 << 32..1 << 47;
/// An address that is further than this from an allocation is not meant to be in it.
const FAR: u64 = 1 << 40;
/// The smallest gap in bytes between the end of an allocation and the next one.
const GUARD: u64 = 4096;

/// Errors of the host's operations on device memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The device has too little free memory.
    #[error("out of device memory: {wanted} bytes wanted, {available} of {capacity} bytes free")]
    OutOfMemory {
        /// Bytes requested.
        wanted: u64,
        /// Bytes free.
        available: u64,
        /// Bytes the device has.
        capacity: u64,
    },
    /// An allocation of zero bytes.
    #[error("an allocation of 0 bytes")]
    Empty,
    /// The range lies outside every allocation, or runs past the end of one.
    #[error("{bytes} bytes at {address:#x} are not device memory: {nearest}")]
    Unmapped {
        /// First byte of the range.
        address: u64,
        /// Length of the range.
        bytes: u64,
        /// A description of the nearest allocation.
        nearest: String,
    },
    /// A pointer that is not the start of an allocation was freed.
    #[error("{address:#x} is not the start of an allocation: {nearest}")]
    NotAllocated {
        /// The address that was to be freed.
        address: u64,
        /// A description of the nearest allocation.
        nearest: String,
    },
    /// A fill pattern that is not 1, 2 or 4 bytes long.
    #[error("a fill pattern of {0} bytes: it must have 1, 2 or 4")]
    Pattern(usize),
}

/// The host bytes behind one allocation.
struct Backing {
    pointer: *mut u8,
    layout: Layout,
}

// SAFETY: the pointer is owned, and all accesses through it are copies (see the module's header).
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    fn new(bytes: u64) -> Option<Self> {
        let bytes = usize::try_from(bytes.checked_next_multiple_of(racy::UNIT)?).ok()?;
        let layout = Layout::from_size_align(bytes, 64).ok()?;
        // SAFETY: `allocate` refuses empty allocations, so the layout has a size.
        let pointer = unsafe { alloc_zeroed(layout) };
        (!pointer.is_null()).then_some(Self { pointer, layout })
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it with this layout, and only `drop` frees it.
        unsafe { dealloc(self.pointer, self.layout) }
    }
}

/// Where an allocation is, and what it is called.
#[derive(Clone, Debug)]
pub struct Extent {
    /// First device address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    name: Option<Arc<str>>,
}

impl Extent {
    /// An extent without a name.
    pub fn new(base: u64, bytes: u64) -> Self {
        Self { base, bytes, name: None }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, bytes, name } = self;
        match name {
            Some(name) => write!(f, "`{name}` ({})", count(*bytes)),
            None => write!(f, "the allocation of {bytes} bytes at {base:#x}"),
        }
    }
}

/// One allocation.
#[derive(Clone)]
struct Allocation {
    base: u64,
    bytes: u64,
    name: Option<Arc<str>>,
    backing: Arc<Backing>,
    init_mask: Arc<InitMask>,
}

impl Allocation {
    fn end(&self) -> u64 {
        self.base + self.bytes
    }

    fn extent(&self) -> Extent {
        Extent { base: self.base, bytes: self.bytes, name: self.name.clone() }
    }

    fn region(&self) -> Region {
        Region { base: self.base, bytes: self.bytes, pointer: self.backing.pointer }
    }
}

/// A mapped range of device memory and the host bytes behind it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// First device address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    pointer: *mut u8,
}

// SAFETY: a region is an address; the snapshot that it came from keeps the bytes alive.
unsafe impl Send for Region {}

impl Region {
    /// A region that contains no address.
    pub const EMPTY: Self = Self { base: 0, bytes: 0, pointer: std::ptr::null_mut() };

    /// Whether `bytes` bytes at `address` are within the region.
    #[inline(always)]
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Returns the host address of a device address of this region.
    ///
    /// # Panics
    ///
    /// If the bytes are not within the region.
    #[inline(always)]
    pub fn host(&self, address: u64, bytes: u64) -> *mut u8 {
        assert!(self.contains(address, bytes), "checked by the caller");
        self.pointer.wrapping_add((address - self.base) as usize)
    }
}

/// A region and its initialised bytes.
#[derive(Clone, Copy)]
pub(crate) struct Tracked<'a> {
    pub region: Region,
    pub init_mask: &'a InitMask,
}

/// The allocations at one moment, in the order of their addresses. It keeps them alive.
#[derive(Clone, Default)]
pub struct Snapshot {
    allocations: Arc<Vec<Allocation>>,
    /// The allocations that were freed last.
    freed: Arc<Vec<Extent>>,
    /// Whose memory is where, if there are several devices.
    pub(crate) devices: Option<Arc<Devices>>,
}

impl Snapshot {
    /// Returns the allocations of several devices as the kernels of device number `own` see them. Memories
    /// are in the order of the devices' numbers and addresses. `refuses` says, for an allocation of another
    /// device by its number and the allocation's address, why there is no access.
    pub fn of_devices(
        own: usize,
        memories: &[&Memory],
        refuses: impl Fn(usize, u64) -> Option<NoAccess>,
    ) -> Self {
        let mut table = Self::default();
        let mut closed = Vec::new();
        let (allocations, freed) =
            (Arc::make_mut(&mut table.allocations), Arc::make_mut(&mut table.freed));
        for (number, memory) in memories.iter().enumerate() {
            let there = memory.snapshot();
            freed.extend(there.freed.iter().cloned());
            for allocation in there.allocations.iter() {
                let refused = (number != own).then(|| refuses(number, allocation.base)).flatten();
                match refused {
                    Some(reason) => closed.push((allocation.extent(), reason)),
                    None => allocations.push(allocation.clone()),
                }
            }
        }
        let starts = memories.iter().map(|memory| memory.base).collect();
        table.devices = Some(Arc::new(Devices { own: own as u32, starts, closed }));
        table
    }

    /// Describes an allocation, with its device if there are several.
    pub(crate) fn name(&self, extent: &Extent) -> String {
        match &self.devices {
            Some(devices) => format!("{extent} of device {}", devices.of(extent.base)),
            None => extent.to_string(),
        }
    }

    /// Returns where the allocation is that contains `address`.
    pub fn extent(&self, address: u64) -> Option<Extent> {
        self.find(address).map(Allocation::extent)
    }

    /// Returns the allocation that contains `address`.
    pub fn region(&self, address: u64) -> Option<Region> {
        self.find(address).map(Allocation::region)
    }

    /// Returns the allocation that contains `address`, with its initialised bytes.
    pub(crate) fn tracked(&self, address: u64) -> Option<Tracked<'_>> {
        self.find(address).map(|a| Tracked { region: a.region(), init_mask: &a.init_mask })
    }

    fn find(&self, address: u64) -> Option<&Allocation> {
        let after = self.allocations.partition_point(|a| a.base <= address);
        let found = &self.allocations[after.checked_sub(1)?];
        (address < found.end()).then_some(found)
    }

    /// Marks everything as initialised, because a kernel runs without checks.
    pub(crate) fn give_up_tracking(&self) {
        self.allocations.iter().for_each(|a| a.init_mask.complete());
    }

    fn note_copied(&self, to: u64, from: u64, bytes: u64) {
        if let (Some(source), Some(target)) = (self.tracked(from), self.tracked(to)) {
            let (at, offset) = (to - target.region.base, from - source.region.base);
            target.init_mask.copy(at, source.init_mask, offset, bytes);
        }
    }

    fn note_written(&self, address: u64, bytes: u64) {
        if let Some(to) = self.tracked(address) {
            to.init_mask.add(address - to.region.base, bytes);
        }
    }

    /// Whether an address is in memory that was freed, as far as it is remembered.
    pub(crate) fn is_freed(&self, address: u64) -> bool {
        self.freed_at(address).is_some()
    }

    /// Returns the freed allocation that contains an address.
    fn freed_at(&self, address: u64) -> Option<&Extent> {
        self.freed.iter().find(|freed| (freed.base..freed.base + freed.bytes).contains(&address))
    }

    /// Whether an address is far from all allocations, where programs on the host have their memory.
    fn looks_like_host(&self, address: u64) -> bool {
        let is_far = |a: &Allocation| address.abs_diff(a.base) > FAR;
        HOST.contains(&address) && self.allocations.iter().all(is_far)
    }

    /// Describes where an access that leaves its allocation is: one may begin within it and end behind it.
    pub fn describe_access(&self, address: u64, bytes: u32) -> String {
        match self.find(address) {
            Some(a) => {
                let beyond = (address - a.base + u64::from(bytes)).saturating_sub(a.bytes);
                format!("it begins in {} and ends {} past its end", a.extent(), count(beyond))
            }
            None => self.describe(address),
        }
    }

    /// Describes an address that is no address of this device's memory as far as that can be told.
    fn describe_foreign(&self, address: u64) -> Option<String> {
        if address < 4096 {
            return Some("it is a null pointer, or an offset from one".into());
        }
        if let Some(freed) = self.freed_at(address) {
            return Some(format!("it lies in {}, which was freed", self.name(freed)));
        }
        let closed = self.devices.as_ref().and_then(|devices| devices.describe_closed(address));
        let host = "it looks like a host pointer, and a kernel needs the address of device memory";
        closed.or_else(|| self.looks_like_host(address).then(|| host.into()))
    }

    /// Describes where `address` is relative to the nearest allocation.
    pub fn describe(&self, address: u64) -> String {
        if let Some(foreign) = self.describe_foreign(address) {
            return foreign;
        }
        match self.nearest(address) {
            Nearest::Around(a) => format!("it lies in {}", a.extent()),
            Nearest::Ahead(b) => {
                format!("it is {} before {}", count(b.base - address), b.extent())
            }
            Nearest::Behind(a, past) => {
                format!("it is {} past the end of {}", count(past), a.extent())
            }
            Nearest::Nothing => "nothing is allocated on this device".into(),
        }
    }

    /// An access that leaves the allocation that it is nearest to, as data; none if its address is no address of this
    /// device's memory as far as that can be told.
    pub fn leaves(&self, address: u64) -> Option<FaultDetail> {
        let (Nearest::Around(a) | Nearest::Ahead(a) | Nearest::Behind(a, _)) =
            self.nearest(address)
        else {
            return None;
        };
        let is_foreign = self.describe_foreign(address).is_some();
        let outside = FaultDetail::Outside { address, base: a.base, bytes: a.bytes };
        (!is_foreign).then_some(outside)
    }

    fn nearest(&self, address: u64) -> Nearest<'_> {
        let next = self.allocations.partition_point(|a| a.base <= address);
        let after = self.allocations.get(next);
        let before = next.checked_sub(1).and_then(|i| self.allocations.get(i));
        match (before, after) {
            (Some(a), _) if address < a.end() => Nearest::Around(a),
            (Some(a), Some(b)) if address - a.end() > b.base - address => Nearest::Ahead(b),
            (Some(a), _) => Nearest::Behind(a, address - a.end() + 1),
            (None, Some(b)) => Nearest::Ahead(b),
            (None, None) => Nearest::Nothing,
        }
    }
}

/// The allocation that an address is nearest to.
enum Nearest<'a> {
    /// It contains the address.
    Around(&'a Allocation),
    /// It begins after the address.
    Ahead(&'a Allocation),
    /// It ends so many bytes before the end of the byte at the address.
    Behind(&'a Allocation, u64),
    /// There is none.
    Nothing,
}

pub(crate) fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

struct State {
    table: Snapshot,
    next: u64,
    used: u64,
}

/// The memory of one device.
pub struct Memory {
    capacity: u64,
    /// The first address.
    base: u64,
    state: RwLock<State>,
}

impl Memory {
    /// Creates a device with `capacity` bytes. Host memory is only committed when it is allocated
    /// and accessed.
    pub fn new(capacity: u64) -> Self {
        Self::with_base(capacity, DEVICE_BASE)
    }

    /// Creates a device like [`Memory::new`], with addresses that start at `base`, a multiple of
    /// 512. Devices of one process need disjoint addresses, so that a pointer identifies its
    /// device.
    pub fn with_base(capacity: u64, base: u64) -> Self {
        let state = State { table: Snapshot::default(), next: base, used: 0 };
        Self { capacity, base, state: RwLock::new(state) }
    }

    /// Allocates `bytes` bytes, aligned to 512, and returns their device address.
    pub fn allocate(&self, bytes: u64) -> Result<u64, MemoryError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if bytes == 0 {
            return Err(MemoryError::Empty);
        }
        let available = self.capacity - state.used;
        let full =
            || MemoryError::OutOfMemory { wanted: bytes, available, capacity: self.capacity };
        if bytes > available {
            return Err(full());
        }
        let backing = Arc::new(Backing::new(bytes).ok_or_else(full)?);
        let base = state.next;
        state.next = (base + bytes + GUARD).next_multiple_of(ALIGNMENT);
        state.used += bytes;
        // Addresses only grow, so the new allocation is the last one.
        Arc::make_mut(&mut state.table.allocations).push(Allocation {
            base,
            bytes,
            name: None,
            backing,
            init_mask: Arc::new(InitMask::uninitialised(bytes)),
        });
        Ok(base)
    }

    /// Frees the allocation that starts at `address`. Its addresses are never used again.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let found = state.table.allocations.binary_search_by_key(&address, |a| a.base);
        let Ok(index) = found else {
            let nearest = state.table.describe(address);
            return Err(MemoryError::NotAllocated { address, nearest });
        };
        let freed = Arc::make_mut(&mut state.table.allocations).remove(index);
        state.used -= freed.bytes;
        let remembered = Arc::make_mut(&mut state.table.freed);
        if remembered.len() == MOST_FREED {
            remembered.remove(0);
        }
        remembered.push(freed.extent());
        Ok(())
    }

    /// Calls the allocation that contains `address` by this name in all reports to come; none ends that. Returns whether
    /// there is such an allocation.
    pub fn set_name(&self, address: u64, name: Option<&str>) -> bool {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let allocations = Arc::make_mut(&mut state.table.allocations);
        let found = allocations.iter_mut().find(|a| (a.base..a.end()).contains(&address));
        found.map(|allocation| allocation.name = name.map(Arc::from)).is_some()
    }

    /// Copies `out.len()` bytes from the device.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let table = self.snapshot();
        let from = host_range(&table, address, out.len() as u64)?;
        // SAFETY: the range is mapped, and the snapshot keeps it alive.
        unsafe { racy::read(from, out) };
        Ok(())
    }

    /// Copies `data` to the device.
    pub fn write(&self, address: u64, data: &[u8]) -> Result<(), MemoryError> {
        let table = self.snapshot();
        let to = host_range(&table, address, data.len() as u64)?;
        // SAFETY: as in `read`.
        unsafe { racy::write(to, data) };
        table.note_written(address, data.len() as u64);
        Ok(())
    }

    /// Copies within the device. The ranges may overlap.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), MemoryError> {
        let table = self.snapshot();
        let source = host_range(&table, from, bytes)?;
        let target = host_range(&table, to, bytes)?;
        let mut buffer = [0; BUFFER];
        let chunks = (bytes as usize).div_ceil(BUFFER);
        for i in 0..chunks {
            // Copies from the end if the target begins within the source; otherwise the rest of the
            // source would be lost.
            let start = BUFFER * if to > from { chunks - 1 - i } else { i };
            let chunk = &mut buffer[..BUFFER.min(bytes as usize - start)];
            // SAFETY: both ranges are mapped and kept alive.
            unsafe {
                racy::read(source.wrapping_add(start), chunk);
                racy::write(target.wrapping_add(start), chunk);
            }
        }
        table.note_copied(to, from, bytes);
        Ok(())
    }

    /// Allocates memory with this content, and returns its device address.
    pub fn allocate_with(&self, content: &[u8]) -> Result<u64, MemoryError> {
        let address = self.allocate(content.len() as u64)?;
        self.write(address, content)?;
        Ok(address)
    }

    /// Allocates the memory through which the blocks of a cooperative launch meet, for [`crate::Options::grid_workspace`]: the
    /// structure `grid_workspace` of cooperative groups (`cooperative_groups/details/driver_abi.h`). It has its size, then
    /// its barrier, at which no block has arrived.
    pub fn allocate_grid_workspace(&self) -> Result<Range<u64>, MemoryError> {
        let content = [8u32, 0].map(u32::to_le_bytes);
        let content = content.as_flattened();
        let address = self.allocate_with(content)?;
        Ok(address..address + content.len() as u64)
    }

    /// Returns `bytes` bytes from an address on.
    pub fn content(&self, address: u64, bytes: usize) -> Result<Vec<u8>, MemoryError> {
        let mut content = vec![0; bytes];
        self.read(address, &mut content)?;
        Ok(content)
    }

    /// Writes `pattern`, of 1, 2 or 4 bytes, `count` times.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        if !matches!(pattern.len(), 1 | 2 | 4) {
            return Err(MemoryError::Pattern(pattern.len()));
        }
        let table = self.snapshot();
        let bytes = count.saturating_mul(pattern.len() as u64);
        let to = host_range(&table, address, bytes)?;
        table.note_written(address, bytes);
        let buffer: [u8; BUFFER] = std::array::from_fn(|i| pattern[i % pattern.len()]);
        for start in (0..bytes as usize).step_by(BUFFER) {
            let chunk = &buffer[..BUFFER.min(bytes as usize - start)];
            // SAFETY: the range is mapped and kept alive.
            unsafe { racy::write(to.wrapping_add(start), chunk) };
        }
        Ok(())
    }

    /// Returns the base address and the length in bytes of the allocation that contains `address`.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        self.snapshot().region(address).map(|r| (r.base, r.bytes))
    }

    /// Returns the bytes that the device has.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the allocated bytes.
    pub fn used(&self) -> u64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).used
    }

    /// Returns the current allocations.
    pub fn snapshot(&self) -> Snapshot {
        self.state.read().unwrap_or_else(PoisonError::into_inner).table.clone()
    }
}

/// Returns the host address of a range that must be mapped. An empty range is valid at any address.
fn host_range(table: &Snapshot, address: u64, bytes: u64) -> Result<*mut u8, MemoryError> {
    if bytes == 0 {
        return Ok(std::ptr::dangling_mut());
    }
    match table.region(address) {
        Some(region) if region.contains(address, bytes) => Ok(region.host(address, bytes)),
        _ => {
            let nearest = table.describe(address);
            Err(MemoryError::Unmapped { address, bytes, nearest })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_of_the_host_are_named() {
        let memory = Memory::with_base(1 << 20, 1 << 48);
        let described = |address| memory.snapshot().describe(address);
        assert!(described(0x7fff_1234_5678).contains("host pointer"));
        let at = memory.allocate(100).unwrap();
        assert!(described(0x55d2_1234_5678).contains("host pointer"));
        for (address, words) in
            [(at - 4, "before"), (at + 4096, "past"), (1 << 20, "before"), (8, "null")]
        {
            let text = described(address);
            assert!(text.contains(words) && !text.contains("host"), "{text}");
        }
        memory.free(at).unwrap();
        assert!(memory.snapshot().is_freed(at + 99) && !memory.snapshot().is_freed(at + 100));
    }

    #[test]
    fn round_trip_and_errors() {
        let memory = Memory::new(1 << 20);
        let a = memory.allocate(1000).unwrap();
        let b = memory.allocate(8).unwrap();
        memory.write(a + 10, &[1, 2, 3]).unwrap();
        memory.copy(b, a + 10, 3).unwrap();
        let mut out = [0; 3];
        memory.read(b, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3]);
        let error = memory.write(a + 998, &[0; 3]).unwrap_err().to_string();
        assert!(error.contains("allocation of 1000 bytes"), "{error}");
        memory.free(b).unwrap();
        assert!(matches!(memory.read(b, &mut out), Err(MemoryError::Unmapped { .. })));
        assert!(matches!(memory.free(a + 8), Err(MemoryError::NotAllocated { .. })));
        assert!(matches!(memory.allocate(1 << 21), Err(MemoryError::OutOfMemory { .. })));
        assert_eq!(memory.used(), 1000);
    }

    #[test]
    fn copies_between_ranges_that_overlap() {
        let before: Vec<u8> = (0..5000).map(|i| (i % 251) as u8).collect();
        for (to, from) in [(700, 3), (3, 700), (1500, 0), (0, 1500), (9, 9)] {
            let memory = Memory::new(1 << 20);
            let a = memory.allocate(5000).unwrap();
            memory.write(a, &before).unwrap();
            memory.copy(a + to, a + from, 3333).unwrap();
            let mut expected = before.clone();
            expected.copy_within(from as usize..from as usize + 3333, to as usize);
            let mut found = vec![0; 5000];
            memory.read(a, &mut found).unwrap();
            assert_eq!(found, expected, "{from} to {to}");
        }
    }

    #[test]
    fn fills_patterns() {
        let memory = Memory::new(1 << 20);
        let a = memory.allocate(64).unwrap();
        memory.fill(a + 4, &[1, 2, 3, 4], 2).unwrap();
        let mut out = [0; 12];
        memory.read(a + 2, &mut out).unwrap();
        assert_eq!(out, [0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 0]);
        assert!(matches!(memory.fill(a, &[0; 3], 1), Err(MemoryError::Pattern(3))));
    }
}
