//! The simulator computes the very bits that a recorded device computed.

use record::checksums::{self, Exact};
use report::testing;

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    for Exact { chapter, cases } in checksums::all() {
        testing::check_recorded(&*chapter, &cases);
    }
}
