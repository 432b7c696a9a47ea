//! Where results go: in order or not, and never past the output's end.

use crate::common::{self, half, input, written};
use chapter_4_compact::{
    LADDER, RUNGS, Setup,
    chapter::Compact,
    layout::{HEADER, Layout},
    persistent::{host_number, read_back},
    reference,
};
use harness::{
    By, Case, Density, Dtype, Op, Parameters, Pattern, Shape,
    buffer::{self, POISON},
    kernel,
    testing::{self, check, under_schedules},
};

fn number(output: &[u8]) -> u64 {
    u64::from_le_bytes(output[..8].try_into().expect("8 bytes"))
}

/// Every rung, with room for less than is kept: the number is right all the same, the first ones are
/// there, and nothing lies behind them. The simulator's guard zone begins where the output ends.
#[test]
fn an_output_that_is_too_small_is_not_written_past_its_end() {
    let case = half(20_003);
    let input = input(&case);
    let kept = reference::kept(&case, &input);
    let all = (kept.len() / 4) as u64;
    for rung in LADDER.iter().filter(|rung| rung.name != "rows") {
        for capacity in [0, 1, 5000, all - 1, all] {
            let output = written(rung, &case, &input, capacity);
            let what = format!("{} into {capacity}", rung.name);
            assert_eq!(number(&output), all, "{what}");
            let elements = &output[HEADER..];
            assert_eq!(elements.len() as u64, 4 * capacity, "{what}");
            if rung.name != "unordered" {
                assert_eq!(elements, &kept[..elements.len()], "{what}");
            }
        }
    }
}

#[test]
fn rows_that_do_not_fit_are_left_out() {
    let case = Case {
        shape: Shape::Matrix { rows: 300, cols: 7 },
        ..half(0)
    };
    let input = input(&case);
    let kept = reference::kept(&case, &input);
    let output = written(RUNGS.find("rows").expect("a rung"), &case, &input, 20);
    assert_eq!(number(&output), (kept.len() / 28) as u64);
    assert_eq!(output[HEADER..], kept[..20 * 28]);
}

/// The example of the page: data [3 1 8 4 6 5 2 7], mask [1 0 1 0 1 0 1 0].
#[test]
fn the_worked_example() {
    let case = Case {
        parameters: Parameters::of_selection(By::Mask, Density::HALF, Pattern::Alternating),
        ..Case::vector(8, Dtype::I32, Op::Sum)
    };
    let data = [3i32, 1, 8, 4, 6, 5, 2, 7].map(i32::to_le_bytes).concat();
    let mask: Vec<bool> = (0..8).map(|i| i % 2 == 0).collect();
    let input = chapter_4_compact::inputs::input(&case, &data, &mask).expect("an input");
    let kept = [3i32, 8, 6, 2].map(i32::to_le_bytes).concat();
    for rung in LADDER.iter().filter(|rung| rung.name != "rows") {
        let output = written(rung, &case, &input, 8);
        assert_eq!(number(&output), 4, "{}", rung.name);
        if rung.name != "unordered" {
            assert_eq!(output[HEADER..HEADER + 16], kept, "{}", rung.name);
        }
        let rest = &output[HEADER + 16..];
        match rung.name {
            "partition" => assert_eq!(rest, [7i32, 5, 4, 1].map(i32::to_le_bytes).concat()),
            _ => assert!(rest.iter().all(|&byte| byte == POISON), "{}", rung.name),
        }
    }
}

/// The other example of the book: rows 0 and 2 of a matrix of four rows.
#[test]
fn the_worked_example_of_rows() {
    let case = Case {
        shape: Shape::Matrix { rows: 4, cols: 3 },
        parameters: Parameters::of_selection(By::Mask, Density::HALF, Pattern::Alternating),
        ..Case::vector(0, Dtype::I32, Op::Sum)
    };
    let data = [3i32, 1, 8, 4, 6, 5, 2, 7, 9, 0, 1, 2].map(i32::to_le_bytes);
    let mask = [true, false, true, false];
    let input = chapter_4_compact::inputs::input(&case, &data.concat(), &mask).expect("an input");
    let output = written(RUNGS.find("rows").expect("a rung"), &case, &input, 4);
    assert_eq!(number(&output), 2);
    let kept = [3i32, 1, 8, 2, 7, 9].map(i32::to_le_bytes).concat();
    assert_eq!(output[HEADER..HEADER + 24], kept);
}

/// The outputs of a rung under several schedules.
fn outputs(rung: &str) -> Vec<Vec<u8>> {
    let case = half(10_000);
    let input = input(&case);
    let rung = RUNGS.find(rung).expect("a rung");
    under_schedules(1..=6, || written(rung, &case, &input, 10_000))
}

/// All six are right as sets, and not all the same; compared in order, they are wrong.
#[test]
fn unordered_is_unordered() {
    let outputs = outputs("unordered");
    assert!(outputs.iter().any(|output| *output != outputs[0]));
    let case = half(10_000);
    let kept = reference::kept(&case, &input(&case));
    let in_order = |output: &&Vec<u8>| output[HEADER..].starts_with(&kept);
    assert!(outputs.iter().filter(in_order).count() < 6);
    check(&common::run_all(&[case]));
}

#[test]
fn the_others_keep_the_order() {
    for rung in LADDER {
        if !["unordered", "rows"].contains(&rung.name) {
            let outputs = outputs(rung.name);
            assert!(
                outputs.iter().all(|output| *output == outputs[0]),
                "{}",
                rung.name
            );
        }
    }
}

/// A NaN is kept by a mask as it is, and by no pivot.
#[test]
fn nan_is_moved_and_is_not_at_least_anything() {
    for by in [By::Mask, By::Predicate] {
        let case = Case {
            parameters: Parameters::of_selection(by, Density::HALF, Pattern::Alternating),
            ..Case::vector(4, Dtype::F32, Op::Sum)
        };
        let data = [f32::NAN, 1.0, 2.0, f32::NAN]
            .map(f32::to_le_bytes)
            .concat();
        let mask = [true, false, true, false];
        let input = chapter_4_compact::inputs::input(&case, &data, &mask).expect("an input");
        let kept = match by {
            By::Predicate => [1.0, 2.0],
            _ => [f32::NAN, 2.0],
        };
        for rung in LADDER {
            let has = rung.has_entry(&chapter_4_compact::entry(&case));
            if has && rung.name != "unordered" {
                let output = written(rung, &case, &input, 4);
                let kept = kept.map(f32::to_le_bytes).concat();
                assert_eq!(output[HEADER..HEADER + 8], kept, "{} {by}", rung.name);
            }
        }
    }
}

#[test]
fn a_mask_of_another_length_is_refused() {
    let case = half(8);
    let error = chapter_4_compact::inputs::input(&case, &[0; 32], &[true; 7]);
    let message = error.expect_err("it is too short").to_string();
    assert!(
        message.contains("of 7") && message.contains("8 elements"),
        "{message}"
    );
    let chapter = Compact {
        mask: Some(vec![true; 9]),
    };
    assert!(harness::Chapter::check(&chapter, &case).is_err());
    drop(testing::simulator());
}

#[test]
fn the_number_kept_comes_to_the_host() {
    let runner = testing::simulator();
    let (device, case) = (&runner.device, half(20_003));
    let warp_specialized = RUNGS.find("warp_specialized").expect("a rung");
    let setup = Setup {
        device,
        module: kernel::load_module(device, "warp_specialized", warp_specialized.ptx)
            .expect("a module"),
        case,
        block: None,
    };
    let number = host_number(&setup).expect("memory");
    let mut ready = read_back(&setup, number.clone()).expect("it is set up");
    let host = input(&case);
    let input = buffer::upload(device, &host).expect("memory");
    let bytes = Layout::of(&case).output_bytes(20_003);
    testing::written(device, &mut ready, &input.as_view(), bytes);
    let number = number.lock().expect("nobody has panicked");
    let kept = reference::kept(&case, &host).len() / 4;
    let number = number.as_slice().expect("it has come");
    assert_eq!(number, (kept as u64).to_le_bytes());
}
