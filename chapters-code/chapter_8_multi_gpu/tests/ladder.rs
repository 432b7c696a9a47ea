//! Every rung, on all numbers of devices and on sizes that have tripped kernels, with the race check on.

use crate::common::{of, run_all};
use chapter_8_multi_gpu::{Case, all_reduces, problem::Collective, rungs::push};
use harness::{AnyProblem, Suite, rung::Prepare};
use testing::{check, under_schedules};

/// Sizes around a pack, a part, a block and a tile.
#[test]
fn awkward_sizes() {
    let mut sizes = testing::SIZES.to_vec();
    sizes.extend([2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 8191, 8192, 8193]);
    for n in sizes {
        check(&run_all(&[of(3, n)]));
    }
}

#[test]
fn two_to_eight_devices() {
    let cases: Vec<Case> = (2..=8).map(|devices| of(devices, 3001)).collect();
    let rows = run_all(&cases);
    assert_eq!(rows.len(), cases.len() * all_reduces().len());
    check(&rows);
}

/// The threads of all devices take turns as the seed says.
#[test]
fn under_several_schedules() {
    under_schedules(1..=3, || check(&run_all(&[of(4, 5003)])));
}

/// With two blocks, each has several tiles, and is two tiles ahead when it adds the first.
#[test]
fn push_with_several_tiles_per_block() {
    let runner = testing::simulator();
    for n in [100_000, 262_144, 300_001] {
        let problem = Collective::new(&runner.device, &of(4, n)).expect("a problem");
        let prepare: Prepare<Collective> = |p, rung| push::in_blocks(2, p, rung);
        let mut posed = Suite::new(problem, vec![(push::PUSH, prepare)]);
        let outcome = posed.run_rung("push", None, &[]).expect("an outcome");
        assert!(outcome.verdict.is_correct(), "{n}: {:?}", outcome.verdict);
    }
}
