//! Where results go: in order or not, and never past the output's end.

use crate::common::{self, half, problem, rung, written};
use chapter_4_compact::{
    By, Case, Density, Pattern, Rung, SelectionParameters,
    chapter::Compact,
    inputs, ladder,
    problem::Compaction,
    rungs::{lookback, read_back, rows, unordered},
};
use harness::{Dtype, Element, Op, Prepare, Shape, buffer::POISON, inputs::generate};
use report::Chapter;
use testing::{check, under_schedules};

fn is(rung: &Rung, other: &Rung) -> bool {
    rung.name == other.name
}

/// The rungs for vectors that are meant to be right.
fn vector_rungs<T: Element>() -> Vec<(Rung, Prepare<Compaction<T>>)> {
    let ladder = ladder().into_iter();
    ladder.filter(|(own, _)| !is(own, &rows::RUNG)).collect()
}

/// Every rung, with room for fewer elements than are selected: the count is right, the first elements are
/// there, and nothing lies behind them. The simulator's guard zone begins where the output ends.
#[test]
fn an_output_that_is_too_small_is_not_written_past_its_end() {
    let case = half(20_003);
    let device = &testing::simulator().device;
    let all = problem::<f32>(device, &case, 0).selected_count();
    for capacity in [0, 1, 5000, all - 1, all] {
        let mut problem = problem::<f32>(device, &case, capacity);
        for rung in vector_rungs() {
            let (count, out) = written(&rung, &mut problem);
            let what = format!("{} into {capacity}", rung.0.name);
            assert_eq!(count, all, "{what}");
            assert_eq!(out.len() as u64, capacity, "{what}");
            if !is(&rung.0, &unordered::RUNG) {
                assert_eq!(out, problem.selected[..out.len()], "{what}");
            }
        }
    }
}

#[test]
fn rows_that_do_not_fit_are_left_out() {
    let case = Case { shape: Shape::Matrix { rows: 300, cols: 7 }, ..half(0) };
    let device = &testing::simulator().device;
    let mut problem = problem::<f32>(device, &case, 20);
    let (count, out) = written(&rung(&rows::RUNG), &mut problem);
    assert_eq!(count, problem.selected_count());
    assert_eq!(out, problem.selected[..20 * 7]);
}

/// The example of the page: data [3 1 8 4 6 5 2 7], mask [1 0 1 0 1 0 1 0].
#[test]
fn the_worked_example() {
    let case = Case::vector(8, Dtype::I32, Op::Sum).with(SelectionParameters::new(
        By::Mask,
        Density::HALF,
        Pattern::Alternating,
    ));
    let data = vec![3i32, 1, 8, 4, 6, 5, 2, 7];
    let mask: Vec<bool> = (0..8).map(|i| i % 2 == 0).collect();
    let device = &testing::simulator().device;
    let mut problem = Compaction::new(device, &case, data, &mask, 8).expect("a problem");
    let poison = i32::from_ne_bytes([POISON; 4]);
    for rung in vector_rungs() {
        let (count, out) = written(&rung, &mut problem);
        let name = rung.0.name;
        assert_eq!(count, 4, "{name}");
        if !is(&rung.0, &unordered::RUNG) {
            assert_eq!(out[..4], [3, 8, 6, 2], "{name}");
        }
        let behind = match is(&rung.0, &lookback::PARTITION) {
            true => [7, 5, 4, 1],
            false => [poison; 4],
        };
        assert_eq!(out[4..], behind, "{name}");
    }
}

/// The other example of the book: rows 0 and 2 of a matrix of four rows.
#[test]
fn the_worked_example_of_rows() {
    let case =
        Case { shape: Shape::Matrix { rows: 4, cols: 3 }, ..Case::vector(0, Dtype::I32, Op::Sum) }
            .with(SelectionParameters::new(By::Mask, Density::HALF, Pattern::Alternating));
    let data = vec![3i32, 1, 8, 4, 6, 5, 2, 7, 9, 0, 1, 2];
    let mask = [true, false, true, false];
    let device = &testing::simulator().device;
    let mut problem = Compaction::new(device, &case, data, &mask, 4).expect("a problem");
    let (count, out) = written(&rung(&rows::RUNG), &mut problem);
    assert_eq!(count, 2);
    assert_eq!(out[..6], [3, 1, 8, 2, 7, 9]);
}

/// The outputs of a rung under several schedules.
fn outputs(rung: &(Rung, Prepare<Compaction<f32>>)) -> Vec<(u64, Vec<u32>)> {
    let case = half(10_000);
    under_schedules(1..=6, || {
        let device = &testing::simulator().device;
        let mut problem = problem(device, &case, 10_000);
        let (count, out) = written(rung, &mut problem);
        (count, out.into_iter().map(f32::to_bits).collect()) // poison may be a NaN
    })
}

/// All six are right as sets, and not all the same; compared in order, they are wrong.
#[test]
fn unordered_is_unordered() {
    let outputs = outputs(&rung(&unordered::RUNG));
    assert!(outputs.iter().any(|output| *output != outputs[0]));
    let case = half(10_000);
    let problem = problem::<f32>(&testing::simulator().device, &case, 0);
    let selected: Vec<u32> = problem.selected.iter().map(|x| x.to_bits()).collect();
    let in_order = |(_, out): &&(u64, Vec<u32>)| out.starts_with(&selected);
    assert!(outputs.iter().filter(in_order).count() < 6);
    check(&common::run_all(&[case]));
}

#[test]
fn the_others_keep_the_order() {
    for rung in vector_rungs() {
        if !is(&rung.0, &unordered::RUNG) {
            let outputs = outputs(&rung);
            let is_first = |output: &(u64, Vec<u32>)| *output == outputs[0];
            assert!(outputs.iter().all(is_first), "{}", rung.0.name);
        }
    }
}

/// A NaN is selected by a mask as it is, and by no pivot.
#[test]
fn nan_is_moved_and_is_not_at_least_anything() {
    for by in [By::Mask, By::Predicate] {
        let case = Case::vector(4, Dtype::F32, Op::Sum).with(SelectionParameters::new(
            by,
            Density::HALF,
            Pattern::Alternating,
        ));
        let data = vec![f32::NAN, 1.0, 2.0, f32::NAN];
        let mask = [true, false, true, false];
        let selected = match by {
            By::Predicate => [1.0, 2.0],
            By::Mask | By::Bits => [f32::NAN, 2.0],
        };
        let device = &testing::simulator().device;
        let mut problem = Compaction::new(device, &case, data, &mask, 4).expect("a problem");
        for rung in vector_rungs() {
            let has = rung.0.has_entry(&inputs::entry(&case));
            if has && !is(&rung.0, &unordered::RUNG) {
                let (_, out) = written(&rung, &mut problem);
                let bits = [out[0], out[1]].map(f32::to_bits);
                assert_eq!(bits, selected.map(f32::to_bits), "{} {by}", rung.0.name);
            }
        }
    }
}

#[test]
fn a_mask_of_another_length_is_refused() {
    let case = half(8);
    let (device, elements) = (&testing::simulator().device, generate(&case));
    let problem = Compaction::<f32>::new(device, &case, elements, &[true; 7], 8);
    let message = problem.err().expect("it is too short").to_string();
    assert!(message.contains("of 7") && message.contains("8 elements"), "{message}");
    let chapter = Compact { mask: Some(vec![true; 9]) };
    assert!(chapter.check(&case).is_err());
}

#[test]
fn the_count_comes_to_the_host() {
    let case = half(20_003);
    let device = &testing::simulator().device;
    let mut problem = problem::<f32>(device, &case, 20_003);
    written(&rung(&read_back::RUNG), &mut problem);
    let count = problem.count_on_host.as_slice().expect("it has come");
    assert_eq!(count, [problem.selected_count()]);
}
