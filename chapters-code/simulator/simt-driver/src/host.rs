//! Memory of the host: page-locked allocations, and whether an address can be read at all.
//!
//! Page-locked memory is ordinary memory here; kernels cannot reach it.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

use crate::error::{CUresult, Result};
use crate::types::HostBytes;

const PAGE: usize = 4096;

/// What the API knows of the host's memory.
#[derive(Debug, Default)]
pub struct HostMemory {
    blocks: BTreeMap<usize, Block>,
}

/// A stretch of page-locked memory.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its first address.
    pub base: usize,
    /// Its length.
    pub bytes: usize,
    /// The flags that it was allocated or registered with.
    pub flags: u32,
    /// How it was allocated; `None` if it was only registered.
    layout: Option<Layout>,
}

impl HostMemory {
    /// Allocates.
    pub fn allocate(&mut self, bytes: usize, flags: u32) -> Result<HostBytes> {
        let layout = Layout::from_size_align(bytes, PAGE).ok().filter(|l| l.size() > 0);
        let Some(layout) = layout else {
            return Err(CUresult::INVALID_VALUE.because(format!("an allocation of {bytes} bytes")));
        };
        // SAFETY: the layout has a size.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            return Err(CUresult::OUT_OF_MEMORY.because(format!("{bytes} bytes of host memory")));
        }
        let block = Block { base: pointer as usize, bytes, flags, layout: Some(layout) };
        self.blocks.insert(block.base, block);
        Ok(HostBytes(pointer.cast()))
    }

    /// Frees what [`HostMemory::allocate`] returned.
    pub fn free(&mut self, pointer: HostBytes) -> Result {
        let base = pointer.0 as usize;
        let Some(layout) = self.blocks.get(&base).and_then(|block| block.layout) else {
            let cause = format!("{base:#x} is not page-locked memory of this driver");
            return Err(CUresult::INVALID_VALUE.because(cause));
        };
        self.blocks.remove(&base);
        // SAFETY: allocated with this layout, and no longer in the table, so freed only once.
        unsafe { dealloc(pointer.0.cast(), layout) };
        Ok(())
    }

    /// Notes that the caller's memory is to be page-locked.
    pub fn register(&mut self, pointer: HostBytes, bytes: usize, flags: u32) -> Result {
        let base = pointer.0 as usize;
        if base == 0 || bytes == 0 {
            return Err(CUresult::INVALID_VALUE.because("no memory to register"));
        }
        let end = base.saturating_add(bytes);
        let before = self.blocks.range(..end).next_back();
        if before.is_some_and(|(_, block)| block.base + block.bytes > base) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        self.blocks.insert(base, Block { base, bytes, flags, layout: None });
        Ok(())
    }

    /// Forgets what [`HostMemory::register`] noted.
    pub fn unregister(&mut self, pointer: HostBytes) -> Result {
        let base = pointer.0 as usize;
        if self.blocks.get(&base).is_none_or(|block| block.layout.is_some()) {
            return Err(CUresult::HOST_MEMORY_NOT_REGISTERED.into());
        }
        self.blocks.remove(&base);
        Ok(())
    }

    /// The stretch that contains an address.
    pub fn block(&self, address: usize) -> Option<Block> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        (address - block.base < block.bytes).then_some(*block)
    }
}

/// False if reading `bytes` bytes at `address` would surely crash. If a system gives no way to
/// find out, only the null pointer does.
pub fn readable(address: usize, bytes: usize) -> bool {
    address >= PAGE && (bytes == 0 || os::readable(address, bytes))
}

/// Fails if host memory is not mapped, where a system gives a way to find out. Memory that is mapped
/// and may not be read or written is not found.
pub fn check_mapped(address: usize, bytes: usize) -> Result {
    if bytes == 0 || os::mapped(address, bytes) {
        return Ok(());
    }
    let cause = format!("{bytes} bytes of host memory at {address:#x} are not all mapped");
    Err(CUresult::INVALID_VALUE.because(cause))
}

#[cfg(target_os = "linux")]
mod os {
    use std::ffi::{c_int, c_long, c_ulong, c_void};
    use std::sync::LazyLock;

    #[repr(C)]
    struct IoVec {
        base: *mut c_void,
        length: usize,
    }

    unsafe extern "C" {
        fn msync(address: *mut c_void, length: usize, flags: c_int) -> c_int;
        fn sysconf(name: c_int) -> c_long;
        fn process_vm_readv(
            pid: c_int,
            local: *const IoVec,
            local_count: c_ulong,
            remote: *const IoVec,
            remote_count: c_ulong,
            flags: c_ulong,
        ) -> isize;
    }

    const EFAULT: i32 = 14;
    const ENOMEM: i32 = 12;
    const MS_ASYNC: c_int = 1;
    const SC_PAGESIZE: c_int = 30;

    static PAGE: LazyLock<usize> = LazyLock::new(|| {
        // SAFETY: only asks.
        usize::try_from(unsafe { sysconf(SC_PAGESIZE) }).unwrap_or(super::PAGE)
    });

    /// Asks for a flush that does nothing on Linux but look for the pages.
    pub fn mapped(address: usize, bytes: usize) -> bool {
        let start = address - address % *PAGE;
        let length = bytes.saturating_add(address - start);
        // SAFETY: the range is only looked up.
        let found = unsafe { msync(start as *mut c_void, length, MS_ASYNC) };
        found == 0 || std::io::Error::last_os_error().raw_os_error() != Some(ENOMEM)
    }

    /// Has the kernel copy the bytes: it answers with an error where we would crash.
    pub fn readable(address: usize, bytes: usize) -> bool {
        let mut copy = vec![0u8; bytes];
        let local = IoVec { base: copy.as_mut_ptr().cast(), length: bytes };
        let remote = IoVec { base: address as *mut c_void, length: bytes };
        let pid = std::process::id() as c_int;
        // SAFETY: `local` describes `copy`; `remote` is checked by the kernel.
        let read = unsafe { process_vm_readv(pid, &local, 1, &remote, 1, 0) };
        // Other errors say that the call itself is not to be had.
        read == bytes as isize
            || (read < 0 && std::io::Error::last_os_error().raw_os_error() != Some(EFAULT))
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    pub fn mapped(_address: usize, _bytes: usize) -> bool {
        true
    }

    pub fn readable(_address: usize, _bytes: usize) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks() {
        let mut host = HostMemory::default();
        let pointer = host.allocate(100, 2).unwrap();
        let base = pointer.0 as usize;
        assert_eq!(host.block(base + 99).unwrap().flags, 2);
        assert!(host.block(base + 100).is_none());
        let overlap = host.register(pointer.offset(50), 100, 0).unwrap_err();
        assert_eq!(overlap.code, CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        assert_eq!(host.free(pointer.offset(8)).unwrap_err().code, CUresult::INVALID_VALUE);
        host.free(pointer).unwrap();
        assert!(host.free(pointer).is_err());
    }

    #[test]
    fn only_mapped_memory_is_readable() {
        let here = 5u64;
        assert!(readable(&raw const here as usize, 8));
        assert!(!readable(0, 8));
        assert!(!readable(8, 8));
        if cfg!(target_os = "linux") {
            assert!(!readable(usize::MAX - PAGE, 8));
            assert!(!readable(0x7000_0000_0000_0000, 8));
        }
    }
}
