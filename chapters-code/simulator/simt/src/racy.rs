//! Accesses to bytes that other host threads may read and write at the same time.
//!
//! Kernels run on several host threads, and a kernel may contain a data race. In Rust, a race of
//! plain accesses is undefined behaviour. So are atomic accesses that overlap only in part, such as
//! one of four bytes and one of eight ([`std::sync::atomic`], "Memory model for atomic accesses").
//! Every access to device memory, including the host's copies, therefore goes through this module,
//! and all of them are atomic accesses of *one* size:
//!
//! - On x86-64 the size is one byte. An access of several bytes is inline assembly. To the compiler
//!   it stands for relaxed atomic accesses to its bytes one by one, in any order; the instruction's
//!   effect is one of the effects that these may have. The CPU executes one instruction, so no
//!   aligned word tears. The compiler does not rely on that, but PTX requires it. The instructions
//!   of a read-modify-write stand for the same accesses, indivisibly, between two fences.
//! - Elsewhere, and for Miri and ThreadSanitizer, which do not model assembly, the size is eight
//!   bytes. An access is within one aligned [`AtomicU64`](std::sync::atomic::AtomicU64) or several;
//!   a change of a part of one is a compare-and-exchange of all of it.
//!
//! Accesses are relaxed, except for read-modify-writes, which acquire and release. Fences order
//! everything else that PTX orders ([`std::sync::atomic::fence`]).
//!
//! The contract of the functions: the bytes belong to an allocation of the host that stays alive.
//! The allocation begins at a multiple of [`UNIT`], its length is a multiple of `UNIT`, and all its
//! accesses go through this module.

#[cfg(all(target_arch = "x86_64", not(miri), not(racy_words)))]
mod x86_64;
#[cfg(all(target_arch = "x86_64", not(miri), not(racy_words)))]
use x86_64 as accesses;

#[cfg(any(not(target_arch = "x86_64"), miri, racy_words))]
mod words;
#[cfg(any(not(target_arch = "x86_64"), miri, racy_words))]
use words as accesses;

pub(crate) use accesses::{load, read, store, update, write};

/// The start and the length of an allocation are multiples of this number of bytes.
pub(crate) const UNIT: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns memory as the functions require it: 64 bytes that count up.
    fn bytes() -> [u64; 8] {
        std::array::from_fn(|i| u64::from_ne_bytes(std::array::from_fn(|j| (8 * i + j) as u8)))
    }

    fn as_bytes(words: &[u64; 8]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn check_width<const N: usize>() {
        for at in 0..=64 - N {
            let mut memory = bytes();
            let mut expected = as_bytes(&memory);
            let start = memory.as_mut_ptr().cast::<u8>().wrapping_add(at);
            // SAFETY: the bytes are within the array, which is aligned and has the required length.
            let found = unsafe { load::<N>(start) };
            assert_eq!(found[..], expected[at..at + N]);
            let data = std::array::from_fn(|i| 0x80 | i as u8);
            // SAFETY: as above.
            unsafe { store::<N>(start, data) };
            expected[at..at + N].copy_from_slice(&data);
            assert_eq!(as_bytes(&memory), expected, "{N} bytes at {at}");
        }
    }

    #[test]
    fn every_width_at_every_offset() {
        check_width::<1>();
        check_width::<2>();
        check_width::<4>();
        check_width::<8>();
        check_width::<16>();
        check_width::<32>();
        check_width::<64>();
    }

    #[test]
    fn copies_of_every_length_at_every_offset() {
        for (at, length) in (0..64).flat_map(|at| (0..=64 - at).map(move |n| (at, n))) {
            let mut memory = bytes();
            let mut expected = as_bytes(&memory);
            let start = memory.as_mut_ptr().cast::<u8>().wrapping_add(at);
            let mut found = vec![0; length];
            // SAFETY: the bytes are within the array, which is aligned and has the required length.
            unsafe { read(start, &mut found) };
            assert_eq!(found, expected[at..at + length]);
            let data = vec![0xee; length];
            // SAFETY: as above.
            unsafe { write(start, &data) };
            expected[at..at + length].fill(0xee);
            assert_eq!(as_bytes(&memory), expected, "{length} bytes at {at}");
        }
    }

    #[test]
    fn updates_change_their_cell_alone() {
        for (bytes_of, at) in [(2, 6), (2, 8), (4, 4), (4, 16), (8, 24)] {
            let mut memory = bytes();
            let mut expected = as_bytes(&memory);
            let cell = &mut expected[at..at + bytes_of as usize];
            let start = memory.as_mut_ptr().cast::<u8>().wrapping_add(at);
            // SAFETY: as above; the cell is aligned to its size.
            let (old, new) = unsafe { update(start, bytes_of, |old| !old) };
            let wanted = cell.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            assert_eq!(old, wanted);
            assert_eq!(new, !wanted & u64::MAX >> (64 - 8 * bytes_of));
            cell.iter_mut().for_each(|byte| *byte = !*byte);
            assert_eq!(as_bytes(&memory), expected);
        }
    }
}
