//! Transposes four 32-bit words per lane, as they are in memory, into four rows.

use crate::registers::Lanes32;

/// Returns the first words of all lanes, their second words, and so on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn of_lanes(bytes: &[u8; 512]) -> [Lanes32; 4] {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
        _mm_unpacklo_epi32, _mm_unpacklo_epi64,
    };

    let mut rows = [[0; 32]; 4];
    for (group, lanes) in bytes.as_chunks::<64>().0.iter().enumerate() {
        let words = lanes.as_ptr().cast::<__m128i>();
        // SAFETY: needs SSE2, which every x86-64 has. The four vectors are within the 64 bytes and
        // need not be aligned.
        let [a, b, c, d] = [0, 1, 2, 3].map(|lane| unsafe { _mm_loadu_si128(words.add(lane)) });
        // SAFETY: needs SSE2.
        let columns = unsafe {
            let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
            [
                _mm_unpacklo_epi64(ab, cd),
                _mm_unpackhi_epi64(ab, cd),
                _mm_unpacklo_epi64(ab_high, cd_high),
                _mm_unpackhi_epi64(ab_high, cd_high),
            ]
        };
        for (row, column) in rows.iter_mut().zip(columns) {
            let four: &mut [u32; 4] = &mut row.as_chunks_mut().0[group];
            // SAFETY: needs SSE2. The target is as long as the vector and need not be aligned.
            unsafe { _mm_storeu_si128(four.as_mut_ptr().cast(), column) };
        }
    }
    rows
}

/// Returns the first words of all lanes, their second words, and so on.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn of_lanes(bytes: &[u8; 512]) -> [Lanes32; 4] {
    std::array::from_fn(|element| super::rows::words(bytes, 4, element))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_lane_goes_to_a_row_of_its_own() {
        let bytes: Vec<u8> = (0..128u32).flat_map(|word| word.to_le_bytes()).collect();
        let rows = of_lanes(bytes.first_chunk().unwrap());
        for (element, row) in rows.iter().enumerate() {
            let expected = std::array::from_fn(|lane| (4 * lane + element) as u32);
            assert_eq!(*row, expected);
        }
    }
}
