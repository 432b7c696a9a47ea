//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use cudarc::driver::PushKernelArg;
use harness::{Case, Dtype, Error, Op, Order, Parameters, Records, Shape, broken};

use crate::{Ready, Rung, Setup, Task, copy, permute, shift, threads, update};

/// The broken rungs. The last one stops the device.
pub const BROKEN: &[Rung] = &[
    broken!(
        "tail_dropped",
        |s| copy(s, "tail_dropped", 4),
        [Result],
        "whole packs and nothing else: right for multiples of four"
    ),
    broken!(
        "last_lane",
        |s| shift(s, "last_lane", 4),
        [Result],
        "the last lane of a warp shuffles, too, and gets its own pack"
    ),
    broken!(
        "in_place_shift",
        in_place_shift,
        [Races, Result],
        "a shifted copy of an array onto itself"
    ),
    broken!(
        "staged_without_barrier",
        |s| update(s, "staged_without_barrier", 1),
        [Races, Result],
        "a thread reads from the tile what others bring"
    ),
    broken!(
        "scatter_repeats",
        |s| permute(s, "scatter", 1),
        [Races, Result],
        "a scatter whose indices repeat: who comes last is open",
        ["scatter.ptx"]
    ),
    broken!(
        "misaligned_packs",
        |s| shift(s, "misaligned_packs", 4),
        [Fault],
        "packs that are cast to begin at the offset"
    ),
];

/// What a broken rung does, if there is one of this name.
pub fn task_of(rung: &str) -> Option<Task> {
    let is_broken = BROKEN.iter().any(|broken| broken.name == rung);
    is_broken.then(|| Task::of(&own_case(rung, &Case::vector(0, Dtype::F32, Op::Sum))))
}

/// What brings out the fault of a broken rung, if the case asks for what it does; otherwise the case, for
/// which it is not.
pub fn case_for(rung: &str, case: &Case) -> Case {
    match Task::of(case).is_of(rung) {
        true => own_case(rung, case),
        false => *case,
    }
}

/// Whether a rung changes what it reads, and so works on a copy of the input.
pub(crate) fn is_in_place(rung: &str) -> bool {
    rung == "in_place_shift"
}

/// What brings out the fault of a broken rung, at about the size that was asked for: several blocks at
/// least.
fn own_case(rung: &str, case: &Case) -> Case {
    let n = case.elements().max(4096) / 4096 * 4096;
    let none = Parameters::default();
    let offset = |offset| Parameters {
        offset: Some(offset),
        ..none
    };
    let (n, parameters) = match rung {
        "last_lane" | "misaligned_packs" | "in_place_shift" => (n, offset(1)),
        "staged_without_barrier" => {
            let records = Some(Records::Particles);
            (n, Parameters { records, ..none })
        }
        "scatter_repeats" => {
            let order = Some(Order::Random);
            (n, Parameters { order, ..none })
        }
        _ => (n + 3, none),
    };
    Case {
        shape: Shape::Vector { n },
        seed: case.seed,
        parameters,
        ..Case::vector(0, Dtype::F32, Op::Sum)
    }
}

/// The copy onto itself: of the copy of the input that it is given.
fn in_place_shift(s: &Setup<'_>) -> Result<Ready, Error> {
    let (n, offset) = (
        Task::of(&s.case).results(s.case.elements()),
        s.case.parameters.offset.unwrap_or(0),
    );
    let kernel = s.entry("in_place_shift")?;
    let config = threads(n);
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, 0, move |_, data| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(data).arg(&n).arg(&offset);
        // SAFETY: there are n + offset elements, though they are read and written in an order that makes
        // no sense.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
