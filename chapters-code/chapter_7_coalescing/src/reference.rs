//! The sequential algorithms, which every kernel is checked against.

use harness::{Case, buffer::POISON};

use crate::{Task, bytes_in_flight, indices};

/// What a rung should leave in an output full of poison.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// Elements.
    Elements(Vec<f32>),
    /// Words that are no numbers.
    Words(Vec<u32>),
}

impl Expected {
    /// Bytes of the output.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Elements(elements) => size_of_val(&elements[..]),
            Self::Words(words) => size_of_val(&words[..]),
        }
    }
}

/// An element that nobody has written.
fn untouched() -> f32 {
    f32::from_ne_bytes([POISON; 4])
}

/// What a rung should make of an input; nothing for one that changes it in its place.
pub fn expected(rung: &str, case: &Case, input: &[f32], multiprocessors: u32) -> Expected {
    let task = Task::of(case);
    let elements = match task {
        Task::Copy => input.to_vec(),
        Task::Offset(offset) => shifted(rung, input, offset as usize),
        Task::Stride(stride) => strided(rung, input, stride as usize),
        Task::Pairs => {
            let (pairs, _) = input.as_chunks();
            pairs.iter().map(|[a, b]| a + b).collect()
        }
        Task::Particles => Vec::new(),
        Task::Gather(_) => permuted(rung, input, &indices::of(case)),
        Task::BytesInFlight { loads, resident } => {
            let threads = bytes_in_flight::THREADS * resident * multiprocessors;
            return Expected::Words(folded(input, loads, threads));
        }
    };
    Expected::Elements(elements)
}

/// Whether a rung's stores are what is out of the ordinary, and not its loads.
fn stores(rung: &str) -> bool {
    rung.ends_with("_stores") || rung.starts_with("scatter")
}

fn shifted(rung: &str, input: &[f32], offset: usize) -> Vec<f32> {
    if !stores(rung) {
        return input[offset..].to_vec();
    }
    let mut output = vec![untouched(); input.len()];
    output[offset..].copy_from_slice(&input[..input.len() - offset]);
    output
}

fn strided(rung: &str, input: &[f32], stride: usize) -> Vec<f32> {
    if !stores(rung) {
        return input.iter().step_by(stride).copied().collect();
    }
    let mut output = vec![untouched(); input.len()];
    for (place, element) in output.iter_mut().step_by(stride).zip(input) {
        *place = *element;
    }
    output
}

fn permuted(rung: &str, input: &[f32], indices: &[u32]) -> Vec<f32> {
    if !stores(rung) {
        return indices.iter().map(|&i| input[i as usize]).collect();
    }
    let mut output = vec![untouched(); input.len()];
    for (&i, &element) in indices.iter().zip(input) {
        output[i as usize] = element;
    }
    output
}

/// For each thread the exclusive or of the words that it reads: tiles of `loads` packs a thread of a block
/// go to the blocks in turn.
fn folded(input: &[f32], loads: u32, threads: u32) -> Vec<u32> {
    let (block, loads) = (bytes_in_flight::THREADS as usize, loads as usize);
    let mut words = vec![0; threads as usize];
    let (packs, _) = input.as_chunks::<4>();
    for (p, pack) in packs.iter().enumerate() {
        let thread = p / (block * loads) * block % words.len() + p % block;
        words[thread] ^= pack.iter().fold(0, |all, x| all ^ x.to_bits());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: [f32; 5] = [3.0, 1.0, 7.0, 0.5, 4.0];

    #[test]
    fn the_worked_examples() {
        let u = untouched();
        assert_eq!(shifted("offset_loads", &INPUT, 2), [7.0, 0.5, 4.0]);
        assert_eq!(shifted("offset_stores", &INPUT, 2), [u, u, 3.0, 1.0, 7.0]);
        assert_eq!(strided("strided_loads", &INPUT, 2), [3.0, 7.0, 4.0]);
        assert_eq!(strided("strided_stores", &INPUT, 2), [3.0, u, 1.0, u, 7.0]);
        let order = [4, 0, 1, 3, 2];
        assert_eq!(
            permuted("gather", &INPUT, &order),
            [4.0, 3.0, 1.0, 0.5, 7.0]
        );
        assert_eq!(
            permuted("scatter", &INPUT, &order),
            [1.0, 7.0, 4.0, 0.5, 3.0]
        );
    }

    /// One block of two: packs 0 … 255 and 512 … are the first one's, one load a thread at a time.
    #[test]
    fn tiles_go_to_blocks_in_turn() {
        let input: Vec<f32> = (0..4 * 600)
            .map(|i| f32::from_bits(1 << (i / 4 % 32)))
            .collect();
        let words = folded(&input, 1, 512);
        assert_eq!(words.len(), 512);
        // Four equal words of a pack are nothing.
        assert!(words.iter().all(|&word| word == 0));
        let mut input = vec![0.0; 4 * 600];
        for (pack, bits) in [(3, 1), (256 + 3, 2), (512 + 3, 4)] {
            input[4 * pack] = f32::from_bits(bits);
        }
        let words = folded(&input, 1, 512);
        assert_eq!([words[3], words[256 + 3]], [1 ^ 4, 2]);
    }
}
