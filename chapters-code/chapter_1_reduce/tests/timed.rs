//! Every rung at 1,000 elements on the timed path, the broken ones too.

use crate::common;
use chapter_1_reduce::chapter::Reduce;
use report::runner::Step;

#[test]
fn rows_are_timed_and_still_verified() {
    let mut steps = testing::steps(&Reduce, &[common::sum_f32(1000)], &|_, _| true);
    // After the one that destroys its input, again one that needs it.
    let destroys =
        steps.iter().position(|step| step.rung.name == "scratch_is_input").expect("it is a rung");
    let again = Step { case: steps[destroys].case.clone(), ..steps[4].clone() };
    steps.insert(destroys + 1, again);
    let rows = testing::check_timed(&Reduce, &steps);
    assert_eq!(rows.len(), steps.len());
}
