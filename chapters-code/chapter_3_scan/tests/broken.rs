//! Every kernel that is shown because it is wrong is caught, by what is said to catch it.

mod common;

use chapter_3_scan::broken::{BROKEN, ENDLESS};
use common::{both, check, run_broken};
use harness::{Case, Dtype, Op, row::Caught, testing, verify::Checker};

#[test]
fn each_by_its_checker() {
    let expected = [
        ("one_buffer", Checker::Races),
        ("independent_blocks", Checker::Result),
        ("previous_block_only", Checker::Result),
        ("swapped_operands", Checker::Result),
        ("flag_without_release", Checker::Races),
    ];
    let rows = run_broken(1 << 14);
    check(&rows);
    assert_eq!(rows.len(), BROKEN.len() - ENDLESS.len());
    assert_eq!(rows.len(), expected.len());
    for (row, (kernel, checker)) in rows.iter().zip(expected) {
        assert_eq!(row.kernel, kernel);
        match &row.caught {
            Some(Caught::By(by)) => assert!(by.contains(&checker), "{kernel}: {by:?}"),
            other => panic!("{kernel}: {other:?}"),
        }
    }
}

/// A sum does not notice that operands are swapped.
#[test]
fn sums_commute() {
    let case = both(10_000, Dtype::F32, Op::Sum)[0];
    let scan = SwappedSum;
    check(&testing::run(&scan, &[case], &|rung, _| {
        rung.name == "swapped_operands"
    }));
}

/// The chapter, but with its broken rung on the case that is asked for, and meant to be right.
struct SwappedSum;

impl harness::Chapter for SwappedSum {
    fn name(&self) -> &'static str {
        chapter_3_scan::chapter::Scan.name()
    }
    fn summary(&self) -> &'static str {
        chapter_3_scan::chapter::Scan.summary()
    }
    fn rungs(&self) -> Vec<harness::RungInfo> {
        let mut rungs = chapter_3_scan::chapter::Scan.rungs();
        rungs.iter_mut().for_each(|rung| rung.caught_by = &[]);
        rungs
    }
    fn default_shapes(&self, device: &harness::Device) -> Vec<harness::Shape> {
        chapter_3_scan::chapter::Scan.default_shapes(device)
    }
    fn refusal(&self, rung: &str, case: &Case) -> Option<harness::Refusal> {
        chapter_3_scan::chapter::Scan.refusal(rung, case)
    }
    fn device_bytes(&self, case: &Case) -> u64 {
        chapter_3_scan::chapter::Scan.device_bytes(case)
    }
    fn problem(
        &self,
        device: &harness::Device,
        case: &Case,
    ) -> Result<Box<dyn harness::Problem>, harness::Error> {
        chapter_3_scan::chapter::Scan.problem(device, case)
    }
}
