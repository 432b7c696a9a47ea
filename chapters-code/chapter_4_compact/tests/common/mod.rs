//! Cases of this chapter, and its rungs run on them.

use chapter_4_compact::{Rung, chapter::Compact, inputs, layout::Layout};
use harness::{By, Case, Density, Device, Dtype, Op, Parameters, Pattern, Row, buffer, testing};

/// `n` elements of a type, of which a part is kept.
pub fn case(n: u64, dtype: Dtype, by: By, density: Density, pattern: Pattern) -> Case {
    Case {
        parameters: Parameters::of_selection(by, density, pattern),
        ..Case::vector(n, dtype, Op::Sum)
    }
}

/// Half of `n` f32, by a random mask.
pub fn half(n: u64) -> Case {
    case(n, Dtype::F32, By::Mask, Density::HALF, Pattern::Random)
}

/// One part of so many.
pub fn part(kept: u32, of: u32) -> Density {
    Density::new(kept, of).expect("a part of a whole")
}

/// The densities that tests go through.
pub fn densities() -> [Density; 4] {
    [part(0, 1), part(1, 64), part(1, 2), part(1, 1)]
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Compact::SEEDED, cases, &testing::is_right)
}

/// An input of a case.
pub fn input(case: &Case) -> Vec<u8> {
    inputs::input(case, &inputs::data(case), &inputs::mask(case)).expect("an input")
}

/// What a rung makes of an input, in an output that has room for so many elements.
pub fn written(rung: &Rung, case: &Case, input: &[u8], capacity: u64) -> Vec<u8> {
    written_on(&testing::simulator().device, rung, case, input, capacity)
}

/// The same on a device that the caller has to himself.
pub fn written_on(
    device: &Device,
    rung: &Rung,
    case: &Case,
    input: &[u8],
    capacity: u64,
) -> Vec<u8> {
    let mut ready = rung.ready(device, *case).expect("it is set up");
    let input = buffer::upload(device, input).expect("memory");
    let bytes = Layout::of(case).output_bytes(capacity);
    testing::written(device, &mut ready, &input.as_view(), bytes)
}
