//! Cases of this chapter, and its rungs run on them.

use chapter_4_compact::{
    By, Case, Density, Pattern, Rung, SelectionParameters, broken::broken, chapter::Compact,
    inputs, ladder, problem::Compaction,
};
use harness::{Device, Dtype, Element, Ladder, Op, Prepare, Problem, inputs::generate};
use report::Row;

/// `n` elements of a type, of which a part is selected.
pub fn case(n: u64, dtype: Dtype, by: By, density: Density, pattern: Pattern) -> Case {
    Case::vector(n, dtype, Op::Sum).with(SelectionParameters::new(by, density, pattern))
}

/// Half of `n` f32, by a random mask.
pub fn half(n: u64) -> Case {
    case(n, Dtype::F32, By::Mask, Density::HALF, Pattern::Random)
}

/// One part of so many.
pub fn part(selected: u32, of: u32) -> Density {
    Density::new(selected, of).expect("a part of a whole")
}

/// The densities that tests go through.
pub fn densities() -> [Density; 4] {
    [part(0, 1), part(1, 64), part(1, 2), part(1, 1)]
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Compact::DEFAULT, cases, &testing::is_right)
}

/// Every rung for elements of type `T`, the broken ones last.
pub fn all_rungs<T: Element>() -> Ladder<Compaction<T>> {
    let ladder = [ladder(), broken()];
    ladder.into_iter().flatten().collect()
}

/// The rung of this name with its launch.
pub fn rung<T: Element>(wanted: &Rung) -> (Rung, Prepare<Compaction<T>>) {
    let mut rungs = all_rungs().into_iter();
    let found = rungs.find(|(rung, _)| rung.name == wanted.name);
    found.expect("a rung")
}

/// A case with its seeded elements and mask, and an output with room for `capacity`.
pub fn problem<T: Element>(device: &Device, case: &Case, capacity: u64) -> Compaction<T> {
    let (elements, mask) = (generate(case), inputs::mask(case));
    Compaction::new(device, case, elements, &mask, capacity).expect("a problem")
}

/// The count and the whole output that a rung writes.
pub fn written<T: Element>(
    (rung, prepare): &(Rung, Prepare<Compaction<T>>),
    problem: &mut Compaction<T>,
) -> (u64, Vec<T>) {
    let mut launch = prepare(problem, rung).expect("a launch");
    problem.reset().expect("the outputs are poisoned");
    (launch.enqueue)(problem).expect("a launch");
    let count = problem.count.download().expect("the kernel runs");
    let out = problem.out.download().expect("the kernel runs");
    let inside = "the kernel writes only to its outputs";
    (count.expect(inside)[0], out.expect(inside))
}
