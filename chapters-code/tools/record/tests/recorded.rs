//! The simulator computes the very bits that a recorded device computed.

/// A problem of more elements is left to the exhaustive test.
const SMALL: u64 = 1 << 15;

/// Compares the cases whose number of elements `is_meant` says yes to.
fn check_bits(is_meant: impl Fn(u64) -> bool) {
    for &chapter in chapters::ALL {
        let mut cases = chapter.checksum_cases();
        cases.retain(|case| is_meant(case.elements()));
        if !cases.is_empty() {
            testing::check_recorded(chapter, &cases);
        }
    }
}

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    check_bits(|n| n <= SMALL);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_results_are_bit_equal_to_the_recorded_ones() {
    check_bits(|n| n > SMALL);
}

/// The simulator's rows, whose counters and races no recorded file has, are read as they were written.
#[test]
fn a_line_of_json_is_read_as_it_was_written() {
    for &chapter in chapters::ALL {
        let first: Vec<_> = chapter.checksum_cases().into_iter().take(1).collect();
        for row in testing::run(chapter, &first, &testing::is_right) {
            let line = serde_json::to_string(&row.recorded).expect("JSON");
            let read: recording::Row = serde_json::from_str(&line).expect("a row");
            assert_eq!(read.subject, row.subject, "{line}");
            assert_eq!(serde_json::to_string(&read).expect("JSON"), line);
        }
    }
}
