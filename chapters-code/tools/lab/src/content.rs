//! The content of memory, written as shortly as its origin allows.

use serde::{Deserialize, Serialize};
use simt_report::Bytes;

/// Bytes that a result may have to be kept in full. Of a longer one a hash is kept.
const LONGEST_RESULT: usize = 1 << 16;
/// Bytes of a pattern that is repeated: those of one element.
const LONGEST_PATTERN: usize = 8;

/// The content of a range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// One byte again and again.
    Fill {
        /// The byte.
        byte: u8,
        /// The number of bytes.
        bytes: usize,
    },
    /// The book's input of small whole numbers.
    Digits {
        /// The type of the elements.
        element: Element,
        /// What the elements are drawn from.
        seed: u64,
        /// The number of elements.
        count: usize,
        /// The number of the device, if each of several has an input of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<u32>,
    },
    /// Some bytes again and again.
    Repeat {
        /// The bytes, up to `LONGEST_PATTERN` of them.
        pattern: Bytes,
        /// How often they are there.
        count: usize,
    },
    /// Any bytes.
    Bytes(Bytes),
}

/// What the host should read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// This content.
    Content(Content),
    /// The content that the whole allocation had before.
    Unchanged {
        /// The number of bytes.
        bytes: usize,
    },
    /// Content of this hash, in hexadecimal.
    Hash {
        /// The hash.
        hash: String,
        /// The number of bytes.
        bytes: usize,
    },
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `int` and `unsigned`
    I32,
    /// `long long`
    I64,
}

impl Element {
    const ALL: [Self; 4] = [Self::F32, Self::F64, Self::I32, Self::I64];

    fn size(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }

    fn write(self, digit: u8, to: &mut Vec<u8>) {
        match self {
            Self::F32 => to.extend(f32::from(digit).to_le_bytes()),
            Self::F64 => to.extend(f64::from(digit).to_le_bytes()),
            Self::I32 => to.extend(i32::from(digit).to_le_bytes()),
            Self::I64 => to.extend(i64::from(digit).to_le_bytes()),
        }
    }
}

impl Content {
    /// The shortest form of `content`. `seed` is that of the inputs.
    pub fn of(content: &[u8], seed: u64) -> Self {
        Self::of_device(content, seed, None)
    }

    /// The same of content on a device, if there are several.
    pub fn of_device(content: &[u8], seed: u64, device: Option<u32>) -> Self {
        let first = content.first().copied().unwrap_or_default();
        if content.iter().all(|&byte| byte == first) {
            return Self::Fill { byte: first, bytes: content.len() };
        }
        let is_whole = |element: &Element| content.len().is_multiple_of(element.size());
        let digits = Element::ALL.into_iter().filter(is_whole);
        let mut digits = digits.map(|element| {
            let count = content.len() / element.size();
            Self::Digits { element, seed, count, device }
        });
        let is_equal = |digits: &Self| digits.bytes() == content;
        let digits = digits.find(is_equal);
        let patterns = [4, LONGEST_PATTERN].into_iter();
        let mut patterns = patterns.filter(|&length| content.len().is_multiple_of(length));
        let is_pattern =
            |length: &usize| content.chunks(*length).all(|chunk| chunk == &content[..*length]);
        let repeated = || {
            let length = patterns.find(is_pattern)?;
            let pattern = Bytes(content[..length].to_vec());
            Some(Self::Repeat { pattern, count: content.len() / length })
        };
        let short = digits.or_else(repeated);
        short.unwrap_or_else(|| Self::Bytes(Bytes(content.to_vec())))
    }

    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        match *self {
            Self::Fill { byte, bytes } => vec![byte; bytes],
            Self::Digits { element, seed, count, device } => {
                let seed = device.map_or(seed, |device| seed_of(seed, device));
                let mut bytes = Vec::with_capacity(count * element.size());
                (0..count as u64).for_each(|i| element.write(digit(seed, i), &mut bytes));
                bytes
            }
            Self::Repeat { ref pattern, count } => pattern.0.repeat(count),
            Self::Bytes(ref bytes) => bytes.0.clone(),
        }
    }

    /// The same content, with other digits if it is of digits.
    pub fn with_seed(&self, seed: u64) -> Self {
        match *self {
            Self::Digits { element, count, device, .. } => {
                Self::Digits { element, seed, count, device }
            }
            ref other => other.clone(),
        }
    }

    /// The bytes that the content takes in a file.
    pub fn weight(&self) -> usize {
        match self {
            Self::Fill { .. } | Self::Digits { .. } | Self::Repeat { .. } => 0,
            Self::Bytes(bytes) => bytes.0.len(),
        }
    }
}

impl Expected {
    /// The shortest form of `content`, read from an allocation whose content was `before`.
    pub fn of(content: &[u8], before: Option<&[u8]>, seed: u64) -> Self {
        let bytes = content.len();
        if before == Some(content) {
            return Self::Unchanged { bytes };
        }
        match Content::of(content, seed) {
            long if long.weight() > LONGEST_RESULT => Self::Hash { hash: hash(content), bytes },
            short => Self::Content(short),
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Unchanged { bytes } | Self::Hash { bytes, .. } => *bytes,
            Self::Content(Content::Fill { bytes, .. }) => *bytes,
            Self::Content(Content::Digits { element, count, .. }) => element.size() * count,
            Self::Content(Content::Repeat { pattern, count }) => pattern.0.len() * count,
            Self::Content(Content::Bytes(bytes)) => bytes.0.len(),
        }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the content takes in a file.
    pub fn weight(&self) -> usize {
        match self {
            Self::Content(content) => content.weight(),
            Self::Unchanged { .. } | Self::Hash { .. } => 0,
        }
    }
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo 1991), in hexadecimal.
pub fn hash(content: &[u8]) -> String {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", content.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Digit `i` of the book's input of that name. A test holds this to what `harness` makes.
fn digit(seed: u64, i: u64) -> u8 {
    const FIRST: [u8; 8] = [3, 1, 7, 0, 4, 1, 6, 3];
    let first = usize::try_from(i).ok().and_then(|i| FIRST.get(i));
    first.copied().unwrap_or_else(|| (bits(seed, i) % 10) as u8)
}

/// What the digits of one of several devices are drawn from. A test holds this to what chapter 8 does.
fn seed_of(seed: u64, device: u32) -> u64 {
    seed.wrapping_mul(1000).wrapping_add(device.into())
}

/// 64 random bits for position `i`: SplitMix64 (Steele, Lea and Flood 2014), run from two words.
fn bits(seed: u64, i: u64) -> u64 {
    let mut z = (seed ^ 0x5851_f42d_4c95_7f2d).wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_short_and_the_same() {
        let digits = Content::Digits { element: Element::F32, seed: 5, count: 100, device: None };
        for (content, weight) in [
            (Content::Fill { byte: 0xfb, bytes: 40 }, 0),
            (digits.clone(), 0),
            (Content::Digits { element: Element::I64, seed: 5, count: 9, device: None }, 0),
            (Content::Repeat { pattern: Bytes(vec![1, 2, 3, 4]), count: 9 }, 0),
            (Content::Repeat { pattern: Bytes(vec![1, 2, 3, 4, 5, 6, 7, 8]), count: 9 }, 0),
            (Content::Bytes(Bytes(vec![1, 2, 3])), 3),
        ] {
            assert_eq!(Content::of(&content.bytes(), 5), content);
            assert_eq!(content.weight(), weight);
        }
        assert_eq!(Content::of(&digits.bytes(), 6).weight(), 400, "of another seed");
        assert_ne!(digits.with_seed(6).bytes(), digits.bytes());
    }

    #[test]
    fn a_long_result_is_a_hash() {
        let long: Vec<u8> = (0..=LONGEST_RESULT).map(|i| (i / 7) as u8).collect();
        let expected = Expected::of(&long, None, 1);
        assert_eq!(expected, Expected::Hash { hash: hash(&long), bytes: long.len() });
        assert_eq!(Expected::of(&long, Some(&long), 1), Expected::Unchanged { bytes: long.len() });
        assert_eq!(hash(b"a"), "af63dc4c8601ec8c");
    }
}
