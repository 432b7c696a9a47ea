//! The simulator computes the very bits that a recorded device computed.

use chapter_4_compact::chapter::{Compact, checksum_cases, has_fixed_order};
use harness::testing;

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    testing::check_recorded(&Compact::SEEDED, &checksum_cases(), &has_fixed_order);
}
