//! The reference: computes on the CPU what every result is compared with.

use harness::buffer::POISON;
use rayon::prelude::*;

use crate::reads;

/// An element that no thread has written.
fn untouched() -> f32 {
    f32::from_ne_bytes([POISON; 4])
}

/// The elements from `offset` on, one per `stride`, side by side.
pub fn dense(input: &[f32], offset: usize, stride: usize) -> Vec<f32> {
    input[offset..].par_iter().step_by(stride).copied().collect()
}

/// The first elements at `offset`, one per `stride`, in an output as long as the input.
pub fn spread(input: &[f32], offset: usize, stride: usize) -> Vec<f32> {
    let element = |i: usize| match i.checked_sub(offset) {
        Some(i) if i % stride == 0 => input[i / stride],
        _ => untouched(),
    };
    (0..input.len()).into_par_iter().map(element).collect()
}

/// The input shifted down by `offset` in its own memory. The last elements stay.
pub fn in_place(input: &[f32], offset: usize) -> Vec<f32> {
    [&input[offset..], &input[input.len() - offset..]].concat()
}

/// The sum of every two neighbours.
pub fn pair_sums(input: &[f32]) -> Vec<f32> {
    let (pairs, _) = input.as_chunks();
    pairs.par_iter().map(|[a, b]| a + b).collect()
}

/// The elements that the indices name.
pub fn gather<T: Copy + Send + Sync>(input: &[T], indices: &[u32]) -> Vec<T> {
    indices.par_iter().map(|&i| input[i as usize]).collect()
}

/// The elements, each stored at its index. If an index repeats, which makes the order of a kernel's stores count, the first
/// element with it stays: blocks that run in turn leave the last.
pub fn scatter(input: &[f32], indices: &[u32]) -> Vec<f32> {
    let mut output = vec![untouched(); input.len()];
    for (&i, &x) in indices.iter().zip(input).rev() {
        output[i as usize] = x;
    }
    output
}

/// For each thread of `blocks` blocks the exclusive or of the words that it reads. A tile is `loads` packs
/// per thread of a block, and the tiles go to the blocks in turn.
pub fn words(input: &[f32], loads: u32, blocks: u32) -> Vec<u32> {
    let (block, loads) = (reads::THREADS as usize, loads as usize);
    let mut words = vec![0; blocks as usize * block];
    let (packs, _) = input.as_chunks::<4>();
    words.par_chunks_mut(block).enumerate().for_each(|(b, words)| {
        let own_tiles = packs.chunks(block * loads).skip(b).step_by(blocks as usize);
        for (p, pack) in own_tiles.flat_map(|tile| tile.iter().enumerate()) {
            words[p % block] ^= pack.iter().fold(0, |all, x| all ^ x.to_bits());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: [f32; 5] = [3.0, 1.0, 7.0, 0.5, 4.0];

    #[test]
    fn the_worked_examples() {
        let u = untouched();
        assert_eq!(dense(&INPUT, 2, 1), [7.0, 0.5, 4.0]);
        assert_eq!(spread(&INPUT, 2, 1), [u, u, 3.0, 1.0, 7.0]);
        assert_eq!(dense(&INPUT, 0, 2), [3.0, 7.0, 4.0]);
        assert_eq!(spread(&INPUT, 0, 2), [3.0, u, 1.0, u, 7.0]);
        assert_eq!(in_place(&INPUT, 2), [7.0, 0.5, 4.0, 0.5, 4.0]);
        assert_eq!(pair_sums(&INPUT), [4.0, 7.5]);
        let order = [4, 0, 1, 3, 2];
        assert_eq!(gather(&INPUT, &order), [4.0, 3.0, 1.0, 0.5, 7.0]);
        assert_eq!(scatter(&INPUT, &order), [1.0, 7.0, 4.0, 0.5, 3.0]);
    }

    /// Two blocks: packs 0 … 255 and 512 … are the first one's, one load per thread at a time.
    #[test]
    fn tiles_go_to_blocks_in_turn() {
        let input: Vec<f32> = (0..4 * 600).map(|i| f32::from_bits(1 << (i / 4 % 32))).collect();
        let all = words(&input, 1, 2);
        assert_eq!(all.len(), 512);
        // The exclusive or of four equal words is 0.
        assert!(all.iter().all(|&word| word == 0));
        let mut input = vec![0.0; 4 * 600];
        for (pack, bits) in [(3, 1), (256 + 3, 2), (512 + 3, 4)] {
            input[4 * pack] = f32::from_bits(bits);
        }
        let all = words(&input, 1, 2);
        assert_eq!([all[3], all[256 + 3]], [1 ^ 4, 2]);
    }
}
