//! Texts that the library hands over.

/// A report takes that much at first.
pub(crate) const USUAL: usize = 64 * 1024;

/// A recording takes at most that much, with few exceptions. The library makes the whole text for each call, and pages
/// of the buffer that are not written cost nothing.
pub(crate) const LARGE: usize = 16 * 1024 * 1024;

/// The text that `take` hands over, in a buffer of `room` bytes at first. It returns the text's length, and once a
/// buffer has had room for it the text is gone: the next call is for another.
pub(crate) fn read_all(room: usize, mut take: impl FnMut(&mut [u8]) -> usize) -> String {
    let mut buffer = vec![0; room];
    loop {
        let needed = take(&mut buffer);
        let fitted = needed <= buffer.len();
        buffer.resize(needed, 0);
        if fitted {
            return String::from_utf8(buffer)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{USUAL, read_all};

    #[test]
    fn a_report_is_read_whatever_its_length() {
        for length in [0, 1, USUAL - 1, USUAL, USUAL + 1, 3 * USUAL] {
            let mut report = "x".repeat(length);
            // As simtTakeReport does: what has fitted is forgotten.
            let text = read_all(USUAL, |buffer| {
                let needed = report.len();
                if needed <= buffer.len() {
                    buffer[..needed].copy_from_slice(report.as_bytes());
                    report.clear();
                }
                needed
            });
            assert_eq!(text.len(), length);
        }
    }
}
