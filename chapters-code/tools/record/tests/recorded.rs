//! The simulator computes the very bits that a recorded device computed.

use report::recorded::{RecordedRow, Subject};

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

/// A column of a row is a result, or it says what the row is of: without its results, a row's line of JSON is of the
/// same subject as the row.
#[test]
fn a_line_of_json_is_of_the_same_subject_as_its_row() {
    for &chapter in chapters::ALL {
        let first: Vec<_> = chapter.checksum_cases().into_iter().take(1).collect();
        for row in testing::run(chapter, &first, &testing::is_right) {
            let line = serde_json::to_string(&row).expect("JSON");
            let recorded: RecordedRow = serde_json::from_str(&line).expect("a row");
            assert_eq!(recorded.subject, Subject::of(&row), "{line}");
        }
    }
}
