//! The tokens of a CUDA C++ source, and the words of its types of integers.

use super::values::Type;

/// A word, number, string or sign of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The text.
    pub text: &'a str,
    /// The line, from 1.
    pub line: u32,
}

/// Whether a token is a name or keyword.
pub fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
}

/// Whether a token is a word of a type of integers. That of truth values is none: it keeps no number.
pub fn integer_word(token: &str) -> bool {
    matches!(
        token,
        "unsigned"
            | "signed"
            | "int"
            | "long"
            | "short"
            | "char"
            | "size_t"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "i32"
            | "i64"
            | "uint32_t"
            | "uint64_t"
            | "int32_t"
            | "int64_t"
    )
}

/// The type that words stand for.
pub fn integer_type(words: &[&str]) -> Option<Type> {
    let has = |word: &str| words.contains(&word);
    let bits = match words {
        [] => return None,
        _ if has("long") || has("size_t") || has("u64") || has("i64") => 64,
        _ if has("uint64_t") || has("int64_t") => 64,
        _ if has("short") || has("u16") => 16,
        _ if has("char") || has("u8") => 8,
        _ => 32,
    };
    let is_unsigned = words.iter().any(|word| word.starts_with('u') || *word == "size_t");
    Some(Type { bits, is_signed: !is_unsigned })
}

/// Signs of several letters, the longer ones first.
const SIGNS: [&str; 22] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "++", "--", "->", "::",
];

/// The tokens of a text, and apart from them those of lines of the preprocessor.
pub fn tokens(text: &str) -> [Vec<Token<'_>>; 2] {
    let (mut tokens, mut directives) = (Vec::new(), Vec::new());
    let mut is_directive = false;
    for (index, line) in text.lines().enumerate() {
        let continues = is_directive || line.trim_start().starts_with('#');
        is_directive = continues && line.trim_end().ends_with('\\');
        let to = if continues { &mut directives } else { &mut tokens };
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let length = token_length(rest);
            to.push(Token { text: &rest[..length], line: index as u32 + 1 });
            rest = rest[length..].trim_start();
        }
    }
    [tokens, directives]
}

/// The bytes of the token that a text begins with.
fn token_length(text: &str) -> usize {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if let Some(rest) = text.strip_prefix('"') {
        return rest.find('"').map_or(text.len(), |end| end + 2);
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        let is_other = |letter: char| !is_word(letter) && !matches!(letter, '.' | '\'');
        return text.find(is_other).unwrap_or(text.len());
    }
    if text.starts_with(is_word) {
        return text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    }
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign));
    sign.map_or_else(|| text.chars().next().map_or(1, char::len_utf8), |sign| sign.len())
}
