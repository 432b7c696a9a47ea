//! Every kernel that is shown because it is wrong is caught, by what is said to catch it.

mod common;

use chapter_3_scan::chapter::Scan;
use common::{both, sum_f32};
use harness::{Case, Dtype, Op, testing, verify::Checker};

#[test]
fn each_by_its_checker() {
    let expected = [
        ("one_buffer", Checker::Races),
        ("independent_blocks", Checker::Result),
        ("previous_block_only", Checker::Result),
        ("swapped_operands", Checker::Result),
        ("flag_without_release", Checker::Races),
    ];
    let rows = testing::run(&Scan, &[sum_f32(1 << 14)], &testing::is_broken);
    testing::check_caught(&rows, &expected);
}

/// A sum does not notice that operands are swapped.
#[test]
fn sums_commute() {
    let case = both(10_000, Dtype::F32, Op::Sum)[0];
    let scan = SwappedSum;
    testing::check(&testing::run(&scan, &[case], &|rung, _| {
        rung.name == "swapped_operands"
    }));
}

/// The chapter, but with its broken rung on the case that is asked for, and meant to be right.
struct SwappedSum;

impl harness::Chapter for SwappedSum {
    fn name(&self) -> &'static str {
        Scan.name()
    }
    fn summary(&self) -> &'static str {
        Scan.summary()
    }
    fn rungs(&self) -> Vec<harness::RungInfo> {
        let mut rungs = Scan.rungs();
        rungs.iter_mut().for_each(|rung| rung.caught_by = &[]);
        rungs
    }
    fn refusal(&self, rung: &str, case: &Case) -> Option<harness::Refusal> {
        Scan.refusal(rung, case)
    }
    fn device_bytes(&self, case: &Case) -> u64 {
        Scan.device_bytes(case)
    }
    fn problem(
        &self,
        device: &harness::Device,
        case: &Case,
    ) -> Result<Box<dyn harness::Problem>, harness::Error> {
        Scan.problem(device, case)
    }
}
