//! Text as sentences, and formulas as text.

/// Words with a full stop that ends no sentence.
const SHORT: [&str; 6] = ["e.g", "i.e", "vs", "cf", "al", "Fig"];

/// The sentences of a paragraph, in which white space has been collapsed.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        if !matches!(mark, '.' | '?' | '!') || at < start {
            continue;
        }
        let closing: usize = text[at + 1..]
            .chars()
            .take_while(|letter| ")]”’\"".contains(*letter))
            .map(char::len_utf8)
            .sum();
        let end = at + 1 + closing;
        if text[end..].starts_with(' ') && begins(&text[end + 1..]) && !is_short(&text[start..at]) {
            sentences.push(text[start..end].to_owned());
            start = end + 1;
        }
    }
    sentences.push(text[start..].to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Whether a sentence may begin so.
fn begins(text: &str) -> bool {
    text.starts_with(|letter: char| {
        letter.is_uppercase() || letter.is_ascii_digit() || "(“\"‘_".contains(letter)
    })
}

/// Whether text ends in an abbreviation, or in an initial.
fn is_short(text: &str) -> bool {
    let last = text.rsplit([' ', '(']).next().unwrap_or_default();
    let is_initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    is_initial || SHORT.contains(&last)
}

/// Text with one space in the place of any white space, and none at its ends.
pub(super) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Signs of TeX that have no letters.
const SIGNS: [(&str, &str); 24] = [
    ("cdot", "·"),
    ("times", "×"),
    ("leq", "≤"),
    ("le", "≤"),
    ("geq", "≥"),
    ("ge", "≥"),
    ("neq", "≠"),
    ("ne", "≠"),
    ("approx", "≈"),
    ("oplus", "⊕"),
    ("lceil", "⌈"),
    ("rceil", "⌉"),
    ("lfloor", "⌊"),
    ("rfloor", "⌋"),
    ("to", "→"),
    ("mapsto", "↦"),
    ("infty", "∞"),
    ("sum", "Σ"),
    ("lambda", "λ"),
    ("bmod", "mod"),
    ("dots", "…"),
    ("ldots", "…"),
    ("mathrm", ""),
    ("text", ""),
];

/// A formula's TeX as a line of text can hold it.
pub(super) fn of_tex(tex: &str) -> String {
    let mut text = String::new();
    let mut rest = tex;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' => {
                let letters = rest.chars().take_while(char::is_ascii_alphabetic).count();
                let (command, behind) = rest.split_at(letters);
                rest = behind;
                match command {
                    "" => {
                        // A space or a sign.
                        let sign = rest.chars().next().unwrap_or(' ');
                        rest = &rest[sign.len_utf8().min(rest.len())..];
                        text.push(if ",;!: \\".contains(sign) { ' ' } else { sign });
                    }
                    "left" | "right" | "begin" | "end" => {}
                    "frac" | "tfrac" | "dfrac" => text.push_str(&fraction(&mut rest)),
                    _ => {
                        let sign = SIGNS.iter().find(|(name, _)| *name == command);
                        text.push_str(sign.map_or(command, |(_, sign)| sign));
                    }
                }
            }
            '{' | '}' | '&' => {}
            '~' => text.push(' '),
            _ => text.push(first),
        }
    }
    collapsed(&text)
}

/// A fraction, whose two parts stand at the beginning of `rest`.
fn fraction(rest: &mut &str) -> String {
    let mut part = || {
        let whole = *rest;
        let inner = whole.strip_prefix('{')?;
        let mut depth = 1;
        let end = inner.find(|letter: char| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            depth == 0
        })?;
        *rest = &inner[end + 1..];
        Some(of_tex(&inner[..end]))
    };
    match (part(), part()) {
        (Some(above), Some(below)) => format!("{above}/{below}"),
        (above, _) => above.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_its_sentences() {
        let text = "A lane, e.g. lane 0, adds. (The others wait.) It takes 1.5 µs! `x` is: so? __syncthreads() ends it";
        let expected = [
            "A lane, e.g. lane 0, adds.",
            "(The others wait.)",
            "It takes 1.5 µs! `x` is: so?",
            "__syncthreads() ends it",
        ];
        assert_eq!(split(text), expected);
        assert_eq!(split("By M. Harris. 2007."), ["By M. Harris.", "2007."]);
        assert!(split("").is_empty());
    }

    #[test]
    fn a_formula_is_text() {
        assert_eq!(of_tex("132 \\cdot 2{,}048 = 2^{10}"), "132 · 2,048 = 2^10");
        assert_eq!(
            of_tex("\\lceil \\log_2 n\\rceil \\le \\frac{a + \\frac{b}{c}}{2}\\,\\%"),
            "⌈ log_2 n⌉ ≤ a + b/c/2 %"
        );
        assert_eq!(of_tex("\\frac"), "");
        assert_eq!(of_tex("a\\"), "a");
    }
}
