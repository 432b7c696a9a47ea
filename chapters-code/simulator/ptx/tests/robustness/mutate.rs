//! Damages texts at random, always the same for the same seed.

/// A small generator (xorshift64*): the tests need no good randomness.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Less than `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit.max(1)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.below(of.len())).copied().unwrap_or("")
    }
}

/// Numbers at the ends of ranges, and what else parsers and machines stumble over.
const TOKENS: [&str; 32] = [
    "0",
    "1",
    "-1",
    "31",
    "32",
    "33",
    "255",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "0x",
    "0f7FC00000",
    "0d7FF0000000000000",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "@!",
    "%tid.x",
    "%r0",
    "WARP_SZ",
    "\u{fffd}",
];

/// Words with their separators: joined, they are the text again.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$');
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first));
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        words.push(word);
        rest = behind;
    }
    words
}

/// A word of the same kind from the same text: a register for a register, a number for a number.
fn alike<'a>(parts: &[&'a str], at: usize, random: &mut Random) -> &'a str {
    let kind = |part: &str| match part.as_bytes().first() {
        Some(b'%' | b'$') => 0,
        Some(first) if first.is_ascii_digit() => 1,
        Some(first) if first.is_ascii_alphabetic() => 2,
        _ => 3,
    };
    let wanted = kind(parts[at]);
    let others: Vec<&str> = parts.iter().copied().filter(|part| kind(part) == wanted).collect();
    random.pick(&others)
}

/// Replaces, removes, repeats or exchanges a few words or lines.
pub fn damaged(text: &str, random: &mut Random) -> String {
    let by_lines = random.below(3) == 0;
    let mut parts: Vec<&str> = match by_lines {
        true => text.split_inclusive('\n').collect(),
        false => words(text),
    };
    for _ in 0..=random.below(3) {
        if parts.is_empty() {
            break;
        }
        let (at, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(12) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[other]),
            2 => parts.swap(at, other),
            3 => parts[at] = parts[other],
            4 => parts.insert(at, random.pick(&TOKENS)),
            5 => parts[at] = random.pick(&TOKENS),
            _ => parts[at] = alike(&parts, at, random),
        }
    }
    parts.concat()
}

/// The beginning of a text, cut anywhere.
pub fn truncated(text: &str, random: &mut Random) -> String {
    text.chars().take(random.below(text.len())).collect()
}

/// The beginning of one and the end of the other.
pub fn spliced(first: &str, second: &str, random: &mut Random) -> String {
    let end: String = second.chars().skip(random.below(second.len())).collect();
    truncated(first, random) + &end
}
