//! The rungs that load 16 bytes at a time take an input at any address of its type.

use crate::common;
use chapter_1_reduce::{RUNGS, reference::fold};
use harness::{Case, Element, Op, Shape, buffer, inputs, testing, verify};

/// Folds the elements from `skipped` on, which stand that far from an aligned address.
fn check<T: Element>(rung: &str, n: usize, skipped: usize) {
    let runner = testing::simulator();
    let device = &runner.device;
    let whole = Case {
        dtype: T::DTYPE,
        ..common::sum_f32(n as u64)
    };
    let host = inputs::generate::<T>(&whole);
    let case = Case {
        shape: Shape::Vector {
            n: (n - skipped) as u64,
        },
        ..whole
    };
    let rung = RUNGS.find(rung).expect("a rung");
    let mut ready = rung.ready(device, case).expect("it is set up");
    let input = buffer::upload(device, &host).expect("memory");
    let view = input.slice(skipped * size_of::<T>()..);
    let computed = testing::written(device, &mut ready, &view, size_of::<T::Acc>());
    let folded = fold(Op::Sum, host[skipped..].iter().copied());
    let expected = folded.expect::<T>(&case, ready.depth, ready.underflow);
    let verdict = verify::compare(&computed, [expected]);
    let dtype = T::DTYPE;
    assert!(
        verdict.is_correct(),
        "{} {dtype} {n} {skipped}: {:?}",
        rung.name,
        verdict.failures
    );
}

fn check_type<T: Element>() {
    for rung in ["vectorized", "single_pass_tiled"] {
        for skipped in 0..=16 / size_of::<T>() {
            for n in [17, 5003] {
                check::<T>(rung, n, skipped);
            }
        }
    }
}

#[test]
fn four_bytes() {
    check_type::<i32>();
    check_type::<f32>();
}

#[test]
fn two_and_eight_bytes() {
    check_type::<harness::half::f16>();
    check_type::<i64>();
}
