//! Accesses as one x86-64 instruction each, or as several if they are longer than 32 bytes.

use std::arch::asm;
use std::arch::x86_64::{__m128i, __m256i};
use std::mem::transmute;

/// Reads `N` bytes: 1, 2, 4, 8 or a multiple of 16.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn load<const N: usize>(from: *mut u8) -> [u8; N] {
    let mut out = [0; N];
    // SAFETY: the caller's promise.
    unsafe {
        match N {
            1 => out.copy_from_slice(&load8(from).to_le_bytes()),
            2 => out.copy_from_slice(&load16(from).to_le_bytes()),
            4 => out.copy_from_slice(&load32(from).to_le_bytes()),
            8 => out.copy_from_slice(&load64(from).to_le_bytes()),
            _ => read_vectors(from, &mut out),
        }
    }
    out
}

/// Writes `N` bytes: 1, 2, 4, 8 or a multiple of 16.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn store<const N: usize>(to: *mut u8, value: [u8; N]) {
    let low = || {
        let mut bytes = [0; 8];
        bytes[..N.min(8)].copy_from_slice(&value[..N.min(8)]);
        u64::from_le_bytes(bytes)
    };
    // SAFETY: the caller's promise.
    unsafe {
        match N {
            1 => store8(to, low() as u8),
            2 => store16(to, low() as u16),
            4 => store32(to, low() as u32),
            8 => store64(to, low()),
            _ => write_vectors(to, &value),
        }
    }
}

/// Reads `out.len()` bytes.
///
/// # Safety
/// As the header of [`super`] says.
pub(crate) unsafe fn read(from: *mut u8, out: &mut [u8]) {
    #[target_feature(enable = "avx")]
    unsafe fn with_avx(from: *mut u8, out: &mut [u8]) {
        // SAFETY: the caller's promise.
        unsafe { read_vectors(from, out) };
    }

    let whole = out.len() / 16 * 16;
    let (vectors, rest) = out.split_at_mut(whole);
    // SAFETY: the caller's promise, for parts of the bytes. The CPU has AVX.
    unsafe {
        if is_x86_feature_detected!("avx") {
            with_avx(from, vectors)
        } else {
            read_vectors(from, vectors)
        }
        for (i, byte) in rest.iter_mut().enumerate() {
            *byte = load8(from.wrapping_add(whole + i));
        }
    }
}

/// Writes `data`.
///
/// # Safety
/// As the header of [`super`] says.
pub(crate) unsafe fn write(to: *mut u8, data: &[u8]) {
    #[target_feature(enable = "avx")]
    unsafe fn with_avx(to: *mut u8, data: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { write_vectors(to, data) };
    }

    let whole = data.len() / 16 * 16;
    let (vectors, rest) = data.split_at(whole);
    // SAFETY: the caller's promise, for parts of the bytes. The CPU has AVX.
    unsafe {
        if is_x86_feature_detected!("avx") {
            with_avx(to, vectors)
        } else {
            write_vectors(to, vectors)
        }
        for (i, byte) in rest.iter().enumerate() {
            store8(to.wrapping_add(whole + i), *byte);
        }
    }
}

/// Reads 16 bytes or a multiple of 16.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
unsafe fn read_vectors(from: *mut u8, out: &mut [u8]) {
    let (pairs, rest) = if is_x86_feature_detected!("avx") {
        out.as_chunks_mut::<32>()
    } else {
        (&mut [][..], out)
    };
    let first = 32 * pairs.len();
    for (i, chunk) in pairs.iter_mut().enumerate() {
        // SAFETY: the caller's promise, for a part of the bytes. The CPU has AVX. Vectors and byte
        // arrays have the same representation.
        unsafe { *chunk = transmute::<__m256i, [u8; 32]>(load256(from.wrapping_add(32 * i))) };
    }
    for (i, chunk) in rest.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // SAFETY: the caller's promise, for a part of the bytes. Vectors and byte arrays have the
        // same representation.
        unsafe {
            *chunk = transmute::<__m128i, [u8; 16]>(load128(from.wrapping_add(first + 16 * i)))
        };
    }
}

/// Writes 16 bytes or a multiple of 16.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
unsafe fn write_vectors(to: *mut u8, data: &[u8]) {
    let (pairs, rest) =
        if is_x86_feature_detected!("avx") { data.as_chunks::<32>() } else { (&[][..], data) };
    let first = 32 * pairs.len();
    for (i, chunk) in pairs.iter().enumerate() {
        // SAFETY: the caller's promise, for a part of the bytes. The CPU has AVX. Vectors and byte
        // arrays have the same representation.
        unsafe { store256(to.wrapping_add(32 * i), transmute::<[u8; 32], __m256i>(*chunk)) };
    }
    for (i, chunk) in rest.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: the caller's promise, for a part of the bytes. Vectors and byte arrays have the
        // same representation.
        unsafe {
            store128(to.wrapping_add(first + 16 * i), transmute::<[u8; 16], __m128i>(*chunk))
        };
    }
}

/// Defines the load and the store of a width.
macro_rules! moves {
    ($(
        $load:ident = $load_template:literal, $store:ident = $store_template:literal:
        $value:ty, $class:ident $(, $feature:literal)?;
    )*) => {$(
        /// # Safety
        /// As the header of [`super::super`] says.
        $(#[target_feature(enable = $feature)])?
        #[inline]
        unsafe fn $load(from: *mut u8) -> $value {
            let value;
            // SAFETY: the caller's promise. The header of `super` says what this stands for.
            unsafe {
                asm!(
                    $load_template, value = out($class) value, from = in(reg) from,
                    options(nostack, preserves_flags, readonly)
                );
            }
            value
        }

        /// # Safety
        /// As the header of [`super::super`] says.
        $(#[target_feature(enable = $feature)])?
        #[inline]
        unsafe fn $store(to: *mut u8, value: $value) {
            // SAFETY: the caller's promise. The header of `super` says what this stands for.
            unsafe {
                asm!(
                    $store_template, value = in($class) value, to = in(reg) to,
                    options(nostack, preserves_flags)
                );
            }
        }
    )*};
}

moves! {
    load8 = "mov {value}, byte ptr [{from}]", store8 = "mov byte ptr [{to}], {value}": u8, reg_byte;
    load16 = "movzx {value:e}, word ptr [{from}]", store16 = "mov word ptr [{to}], {value:x}": u16, reg;
    load32 = "mov {value:e}, dword ptr [{from}]", store32 = "mov dword ptr [{to}], {value:e}": u32, reg;
    load64 = "mov {value}, qword ptr [{from}]", store64 = "mov qword ptr [{to}], {value}": u64, reg;
    load128 = "movdqu {value}, [{from}]", store128 = "movdqu [{to}], {value}": __m128i, xmm_reg;
    load256 = "vmovdqu {value}, [{from}]", store256 = "vmovdqu [{to}], {value}": __m256i, ymm_reg, "avx";
}

/// Defines the compare-and-exchange of a width, which returns the previous value.
macro_rules! exchanges {
    ($($name:ident = $template:literal: $int:ty, $accumulator:tt;)*) => {$(
        /// # Safety
        /// As the header of [`super::super`] says.
        #[inline(always)]
        unsafe fn $name(cell: *mut u8, old: $int, new: $int) -> $int {
            let seen;
            // SAFETY: the caller's promise. The header of `super` says what this stands for.
            unsafe {
                asm!(
                    $template, cell = in(reg) cell, new = in(reg) new,
                    inout($accumulator) old => seen, options(nostack)
                );
            }
            seen
        }
    )*};
}

exchanges! {
    exchange16 = "lock cmpxchg word ptr [{cell}], {new:x}": u16, "ax";
    exchange32 = "lock cmpxchg dword ptr [{cell}], {new:e}": u32, "eax";
    exchange64 = "lock cmpxchg qword ptr [{cell}], {new}": u64, "rax";
}

/// Replaces the aligned 2, 4 or 8 bytes at `cell` by the result of `change`, indivisibly. Returns
/// the old and the new bits.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn update(cell: *mut u8, bytes: u32, change: impl Fn(u64) -> u64) -> (u64, u64) {
    macro_rules! with {
        ($int:ident, $load:ident, $exchange:ident) => {{
            // SAFETY: the caller's promise.
            let mut seen = unsafe { $load(cell) };
            loop {
                let (old, new) = (seen, change(u64::from(seen)) as $int);
                // SAFETY: the caller's promise.
                seen = unsafe { $exchange(cell, old, new) };
                if seen == old {
                    break (u64::from(old), u64::from(new));
                }
            }
        }};
    }
    match bytes {
        2 => with!(u16, load16, exchange16),
        4 => with!(u32, load32, exchange32),
        _ => with!(u64, load64, exchange64),
    }
}
