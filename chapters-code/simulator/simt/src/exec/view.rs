//! Memory as a warp sees it: bytes at addresses, checked on every access.

use ptx::ir::Limits;
use simt_report::Space;

use crate::fault::FaultDetail;
use crate::memory::{Region, Snapshot};
use crate::module::{BLOCK_WINDOW, LoadedKernel, WINDOW_BYTES};
use crate::racy;

/// Memory that can be read and written at addresses of its own. Accesses return `None` if they are
/// unmapped.
pub(super) trait View {
    /// Whether only this host thread can write to it.
    const PRIVATE: bool;
    fn load<const N: usize>(&mut self, address: u64) -> Option<[u8; N]>;
    fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()>;
    /// Copies `data` to an address.
    fn write(&mut self, address: u64, data: &[u8]) -> Option<()>;
    /// Describes where an unmapped address is.
    fn describe(&self, address: u64, bytes: u32) -> String;
    /// Where an unmapped address is, as data, if that is known.
    fn leaves(&self, _address: u64) -> Option<FaultDetail> {
        None
    }
    /// Whether an address is in memory that the host has freed.
    fn is_freed(&self, _address: u64) -> bool {
        false
    }
    /// Returns which memory this is; `None` for the parameters.
    fn space(&self) -> Option<Space>;
}

/// Device memory.
pub(super) struct Device<'a> {
    pub memory: &'a Snapshot,
    /// The allocation that the last access went to.
    pub region: &'a mut Region,
}

impl Device<'_> {
    /// Sets `region` to the allocation that contains these bytes, if there is one.
    #[inline(always)]
    pub fn find(&mut self, address: u64, bytes: u64) -> Option<&Region> {
        if !self.region.contains(address, bytes) {
            *self.region = self.memory.region(address).filter(|r| r.contains(address, bytes))?;
        }
        Some(self.region)
    }

    /// Prefetches the 128 bytes at an address, if they are in the allocation that the last access
    /// went to.
    #[inline(always)]
    pub fn expect(&self, address: u64) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.region.contains(address, 128) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let first = self.region.host(address, 128).cast::<i8>();
            // SAFETY: needs SSE, which every x86-64 has. A hint reads nothing.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(first);
                _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(64));
            }
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        let _ = address;
    }
}

impl View for Device<'_> {
    const PRIVATE: bool = false;

    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let from = self.find(address, N as u64)?.host(address, N as u64);
        // SAFETY: `host` has checked that the bytes are within the region. The launch's snapshot
        // keeps the region alive, and it is only accessed in this way.
        Some(unsafe { racy::load(from) })
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let to = self.find(address, N as u64)?.host(address, N as u64);
        // SAFETY: as in `load`.
        unsafe { racy::store(to, value) };
        Some(())
    }

    fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        let length = data.len() as u64;
        let to = self.find(address, length)?.host(address, length);
        // SAFETY: as in `load`.
        unsafe { racy::write(to, data) };
        Some(())
    }

    fn describe(&self, address: u64, bytes: u32) -> String {
        self.memory.describe_access(address, bytes)
    }

    fn leaves(&self, address: u64) -> Option<FaultDetail> {
        self.memory.leaves(address)
    }

    fn is_freed(&self, address: u64) -> bool {
        self.memory.is_freed(address)
    }

    fn space(&self) -> Option<Space> {
        Some(Space::Global)
    }
}

/// A part of a block's shared memory, or a thread's local memory.
pub(super) struct Bytes<'a> {
    bytes: &'a mut [u8],
    limits: Limits,
    space: Space,
    /// The kernel to whose variables the limits belong.
    kernel: Option<&'a LoadedKernel>,
}

impl<'a> Bytes<'a> {
    /// All shared memory of a block.
    #[inline(always)]
    pub fn shared(bytes: &'a mut [u8]) -> Self {
        Self { bytes, limits: Limits::NONE, space: Space::Shared, kernel: None }
    }

    /// The part of a block's shared memory that an access may touch.
    #[inline(always)]
    pub fn shared_within(bytes: &'a mut [u8], limits: Limits, kernel: &'a LoadedKernel) -> Self {
        let end = bytes.len().min(limits.end as usize);
        let bytes = &mut bytes[end.min(limits.first as usize)..end];
        Self { bytes, limits, space: Space::Shared, kernel: Some(kernel) }
    }

    #[inline(always)]
    pub fn local(bytes: &'a mut [u8]) -> Self {
        Self { bytes, limits: Limits::NONE, space: Space::Local, kernel: None }
    }

    /// Returns the bytes from an address on.
    #[inline(always)]
    pub fn at(&mut self, address: u64) -> Option<&mut [u8]> {
        let at = usize::try_from(address.wrapping_sub(self.limits.first.into())).ok()?;
        self.bytes.get_mut(at..)
    }
}

impl View for Bytes<'_> {
    const PRIVATE: bool = true;

    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        self.at(address)?.first_chunk().copied()
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        *self.at(address)?.first_chunk_mut()? = value;
        Some(())
    }

    fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        self.at(address)?.get_mut(..data.len())?.copy_from_slice(data);
        Some(())
    }

    fn describe(&self, address: u64, size: u32) -> String {
        let bytes = self.bytes.len();
        if let Some(kernel) = self.kernel.filter(|_| self.limits != Limits::NONE) {
            return kernel.describe_beyond((address, size), (self.limits.first, bytes as u32));
        }
        if self.space == Space::Shared && (BLOCK_WINDOW..WINDOW_BYTES).contains(&address) {
            return format!("there are {bytes} bytes; an address from mapa needs .shared::cluster");
        }
        format!("there are {bytes} bytes")
    }

    fn space(&self) -> Option<Space> {
        Some(self.space)
    }
}

/// The parameters of a kernel, starting at address 0.
pub(super) struct Params<'a>(pub &'a [u8]);

impl View for Params<'_> {
    const PRIVATE: bool = true;

    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let at = usize::try_from(address).ok()?;
        self.0.get(at..)?.first_chunk().copied()
    }

    fn store<const N: usize>(&mut self, _: u64, _: [u8; N]) -> Option<()> {
        None
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Option<()> {
        None
    }

    fn describe(&self, _: u64, _: u32) -> String {
        format!("there are {} bytes", self.0.len())
    }

    fn space(&self) -> Option<Space> {
        None
    }
}
