//! The simulator counts what a recorded device counted, in every bin.

use chapter_2_histogram::chapter::{Histogram, checksum_cases};
use harness::testing;

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    testing::check_recorded(&Histogram::COUNTING, &checksum_cases(), &|_, _| true);
}
