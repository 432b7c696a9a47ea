//! On which page of a PDF each place is that a link of it leads to, read from the file as Chromium writes it: its objects stand
//! in it as plain text, and only what is drawn is compressed. In a file that is written otherwise nothing is found.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// How deep the tree of pages can be.
const DEEPEST: usize = 16;

static OBJECT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s-u)\b(\d+) 0 obj\s*(<<.*?)(?:endobj|\bstream\b)"));
static ROOT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)/Pages (\d+) 0 R"));
static PLACES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)/Dests (\d+) 0 R"));
static KIDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)/Kids\s*\[([^\]]*)\]"));
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)(\d+) 0 R"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)/([^\s/\[\]<>()]+)\s*\[(\d+) 0 R"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// The objects of a file, by number.
type Objects<'a> = HashMap<usize, &'a [u8]>;

/// The number of the page, from 1 on, of each place.
pub(super) fn of(pdf: &[u8]) -> HashMap<String, usize> {
    let objects: Objects<'_> = OBJECT
        .captures_iter(pdf)
        .filter_map(|object| Some((number(object.get(1)?.as_bytes())?, object.get(2)?.as_bytes())))
        .collect();
    let is_catalog = |object: &&&[u8]| contains(object, b"/Type /Catalog");
    let found = objects.values().find(is_catalog).and_then(|catalog| {
        let places = objects.get(&first(&PLACES, catalog)?)?;
        let mut pages = Vec::new();
        collect(&objects, first(&ROOT, catalog)?, DEEPEST, &mut pages);
        let numbers: HashMap<usize, usize> = pages.into_iter().zip(1..).collect();
        let place = |place: regex::bytes::Captures<'_>| {
            let page = numbers.get(&number(&place[2])?)?;
            Some((name(&place[1]), *page))
        };
        Some(PLACE.captures_iter(places).filter_map(place).collect())
    });
    found.unwrap_or_default()
}

/// Adds the pages at or below an object of the tree of pages, in order.
fn collect(objects: &Objects<'_>, at: usize, depth: usize, pages: &mut Vec<usize>) {
    let Some(object) = objects.get(&at) else {
        return;
    };
    match KIDS.captures(object) {
        Some(kids) if depth > 0 => {
            for kid in REFERENCE.captures_iter(&kids[1]).filter_map(|kid| number(&kid[1])) {
                collect(objects, kid, depth - 1, pages);
            }
        }
        Some(_) => {}
        None => pages.push(at),
    }
}

/// The number in the first match of a pattern.
fn first(pattern: &Regex, text: &[u8]) -> Option<usize> {
    number(&pattern.captures(text)?[1])
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// A name of a PDF: what is no letter can be written as `#` and two hexadecimal digits.
fn name(written: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let [byte, others @ ..] = rest {
        let code = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) if *byte == b'#' => {
                bytes.push(code);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PDF: &[u8] = b"%PDF-1.4\n%\xff\xfe\n\
        1 0 obj\n<</Length 9>> stream\n/Kids [9 0 R]\nendstream\nendobj\n\
        2 0 obj\n<</Type /Page\n/Parent 5 0 R>>\nendobj\n\
        3 0 obj\n<</Type /Page\n/Parent 6 0 R>>\nendobj\n\
        4 0 obj\n<</Type /Page\n/Parent 6 0 R>>\nendobj\n\
        5 0 obj\n<</Type /Pages\n/Count 3\n/Kids [6 0 R 2 0 R]>>\nendobj\n\
        6 0 obj\n<</Type /Pages\n/Count 2\n/Kids [4 0 R 3 0 R]>>\nendobj\n\
        7 0 obj\n<</what-goes-wrong-1 [3 0 R /XYZ 0 700 0]\n/a#20#E2#80#93b [2 0 R /XYZ 0 1 0]\n/gone [8 0 R]>>\nendobj\n\
        10 0 obj\n<</Type /Catalog\n/Pages 5 0 R\n/Dests 7 0 R>>\nendobj\n";

    #[test]
    fn each_place_has_the_number_of_its_page() {
        let places = [("what-goes-wrong-1".to_owned(), 2), ("a –b".to_owned(), 3)];
        assert_eq!(of(PDF), HashMap::from(places));
    }

    #[test]
    fn another_file_has_none() {
        assert_eq!(of(b""), HashMap::new());
        assert_eq!(
            of(b"1 0 obj\n<</Type /Catalog /Pages 1 0 R /Dests 1 0 R>>\nendobj"),
            HashMap::new()
        );
        let in_a_circle =
            b"1 0 obj <</Type /Catalog /Pages 1 0 R /Dests 1 0 R /Kids [1 0 R]>> endobj";
        assert_eq!(of(in_a_circle), HashMap::new());
    }
}
