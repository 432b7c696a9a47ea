//! Cases of this chapter, and its rungs run on them.

use bytemuck::cast_slice;
use chapter_5_segmented_scan::{
    RUNGS, Ready, Rung, Task, chapter::Segmented, input, reference::Expected, segments::Offsets,
};
use harness::{
    Case, Conversion, Device, Dtype, Element, Kind, Matrix, Op, Parameters, Row, Segments, buffer,
    testing, verify::Verdict,
};

/// All kinds of segments that the chapter names.
pub const SEGMENTS: [Segments; 7] = [
    Segments::Of(1),
    Segments::Of(32),
    Segments::Of(512),
    Segments::Giant,
    Segments::PowerLaw,
    Segments::Lopsided,
    Segments::Empty,
];

/// A case of n elements: a scan where there is a kind, otherwise a reduction.
pub fn case(n: u64, dtype: Dtype, op: Op, kind: Option<Kind>, segments: Segments) -> Case {
    Case {
        parameters: Parameters {
            kind,
            segments: Some(segments),
            ..Parameters::default()
        },
        ..Case::vector(n, dtype, op)
    }
}

/// Both kinds of scan, and the reduction.
pub fn all_tasks(n: u64, dtype: Dtype, op: Op, segments: Segments) -> [Case; 3] {
    let kinds = [Some(Kind::Inclusive), Some(Kind::Exclusive), None];
    kinds.map(|kind| case(n, dtype, op, kind, segments))
}

/// An inclusive scan of sums of f32.
pub fn scan(n: u64, segments: Segments) -> Case {
    case(n, Dtype::F32, Op::Sum, Some(Kind::Inclusive), segments)
}

/// A conversion of segments of n elements.
pub fn conversion(n: u64, conversion: Conversion, segments: Segments) -> Case {
    Case {
        parameters: Parameters {
            convert: Some(conversion),
            segments: Some(segments),
            ..Parameters::default()
        },
        ..Case::vector(n, Dtype::U32, Op::Sum)
    }
}

/// A matrix of about n entries, times a vector.
pub fn product(n: u64, matrix: Matrix) -> Case {
    Case {
        parameters: Parameters {
            matrix: Some(matrix),
            ..Parameters::default()
        },
        ..Case::vector(n, Dtype::F32, Op::Sum)
    }
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Segmented::OF_SEED, cases, &testing::is_right)
}

/// What a rung writes for elements in segments that stand there, and how deep its operations are.
pub fn written<T: Element>(
    rung: &Rung,
    case: &Case,
    elements: &[T],
    offsets: &Offsets,
) -> (Vec<u8>, u64) {
    let device = &testing::simulator().device;
    let mut ready = rung.ready(device, *case).expect("it is set up");
    let bytes = written_by(device, &mut ready, case, elements, offsets);
    (bytes, ready.depth)
}

/// The same by a rung that is set up, and may have been launched before.
pub fn written_by<T: Element>(
    device: &Device,
    ready: &mut Ready,
    case: &Case,
    elements: &[T],
    offsets: &Offsets,
) -> Vec<u8> {
    let packed = input::pack(elements, offsets);
    let input = buffer::upload(device, &packed).expect("memory");
    let results = match Task::of(case) {
        Task::Reduce => offsets.count(),
        _ => elements.len(),
    };
    testing::written(device, ready, &input.as_view(), results * size_of::<T>())
}

/// What a conversion writes into an output of so many bytes, of an input in which segments stand.
pub fn converted(rung: &Rung, case: &Case, input: &[u8], bytes: usize) -> Vec<u8> {
    let device = &testing::simulator().device;
    let mut ready = rung.ready(device, *case).expect("it is set up");
    let input = buffer::upload(device, input).expect("memory");
    testing::written(device, &mut ready, &input.as_view(), bytes)
}

/// The rungs that do a task.
pub fn rungs_of(task: Task) -> impl Iterator<Item = &'static Rung> {
    let right = RUNGS.iter().filter(|rung| rung.caught_by.is_empty());
    right.filter(move |rung| task.is_of(rung.name))
}

/// Judges what a rung makes of elements in segments.
pub fn judged<T: Element>(rung: &Rung, case: &Case, elements: &[T], offsets: &Offsets) -> Verdict {
    let (bytes, depth) = written(rung, case, elements, offsets);
    let expected = Expected::new(case, depth, elements, offsets);
    match Task::of(case) {
        Task::Reduce => expected.judge_reduce(&bytes),
        _ => expected.judge_scan(&bytes),
    }
}

/// Results of 32 bits.
pub fn words<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    cast_slice::<u8, u8>(bytes)
        .chunks_exact(size_of::<T>())
        .map(bytemuck::pod_read_unaligned)
        .collect()
}
