//! The simulator computes the very bits that a recorded device computed.

use chapter_7_coalescing::chapter::{Coalescing, checksum_cases, has_fixed_order};
use harness::testing;

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    testing::check_recorded(&Coalescing, &checksum_cases(), &has_fixed_order);
}
