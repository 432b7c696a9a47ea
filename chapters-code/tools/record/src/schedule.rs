//! What is run, in which order: the ladder over all sizes first, because it matters most.

use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use chapter_2_histogram::{HistogramParameters, chapter::Histogram, parameters::Range};
use chapter_3_scan::{ScanParameters, chapter::Scan};
use chapter_4_compact::chapter::Compact;
use chapter_5_segmented_scan::{Matrix, chapter::Segmented};
use chapter_6_transpose::{MatrixParameters, chapter::Transpose};
use chapter_8_multi_gpu::{DeviceParameters, Task, chapter::MultiGpu};
use harness::{Case, Dtype, Input, Kind, Op, Rung, Shape, verify::Checker};
use report::{Chapter, runner::Step};

use crate::file::Skipped;

mod coalescing;
mod compact;
mod segmented;

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything.
    Full,
    /// A few sizes and types.
    Quick,
    /// One small size, on the simulator.
    Trial,
}

/// The steps of one case.
pub(crate) struct Part {
    /// Whose rungs they are.
    pub(crate) chapter: Box<dyn Chapter>,
    /// The case, in words.
    pub(crate) name: String,
    /// What is run.
    pub(crate) steps: Vec<Step>,
    /// Rungs that are left out, because they take too long there.
    pub(crate) skipped: Vec<Skipped>,
    /// Whether it is timed; broken kernels are only run.
    pub(crate) is_timed: bool,
}

const SEED: u64 = 1;

fn vector(n: u64, dtype: Dtype, op: Op) -> Case {
    Case {
        shape: Shape::Vector { n },
        dtype,
        op,
        input: Input::Uniform,
        seed: SEED,
        block: None,
        parameters: Default::default(),
    }
}

fn matrix(rows: u64, cols: u64) -> Case {
    Case { shape: Shape::Matrix { rows, cols }, ..vector(0, Dtype::F32, Op::Sum) }
}

/// The sizes of the ladder, the largest first.
fn sizes(scope: Scope) -> Vec<u64> {
    match scope {
        Scope::Full => {
            let mut sizes: Vec<u64> = (5..=14).map(|k| 1 << (2 * k)).collect();
            sizes.push(25_600_000);
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            sizes
        }
        Scope::Quick => vec![1 << 28, 25_600_000, 1 << 20],
        Scope::Trial => vec![1 << 12],
    }
}

/// Types and operators besides the sum of f32, all at one size.
fn other_types(scope: Scope) -> Vec<(Dtype, Op)> {
    let sums = Dtype::ALL.iter().filter(|&&dtype| dtype != Dtype::F32).map(|&d| (d, Op::Sum));
    let others = [
        (Dtype::F32, Op::Max),
        (Dtype::F32, Op::Min),
        (Dtype::I32, Op::Product),
        (Dtype::I32, Op::Max),
        (Dtype::F16, Op::Max),
        (Dtype::I32, Op::And),
        (Dtype::I32, Op::Or),
    ];
    match scope {
        Scope::Quick => sums.collect(),
        _ => sums.chain(others).collect(),
    }
}

fn matrices(scope: Scope) -> Vec<Case> {
    match scope {
        Scope::Full => [
            (1 << 20, 64),
            (1 << 16, 1 << 10),
            (1 << 10, 1 << 16),
            (64, 1 << 20),
            (1024, 1000), // what the chapter runs on the simulator, whose table shows this time
        ]
        .map(|(rows, cols)| matrix(rows, cols))
        .into(),
        Scope::Quick => vec![matrix(1 << 16, 1 << 10)],
        Scope::Trial => vec![matrix(100, 33)],
    }
}

/// Keys in bins: the ladder over the sizes from 2^16 on; then, at one size, other types, inputs and
/// numbers of bins, and even bins of a range of integers.
fn histograms(scope: Scope) -> Vec<Case> {
    let keys = |n, dtype, input, bins| {
        Case { input, ..vector(n, dtype, Op::Sum) }.with(HistogramParameters::of_bins(bins))
    };
    let uniform = |n| keys(n, Dtype::U32, Input::Uniform, 256);
    let skewed = [Input::Zipf, Input::Constant];
    if scope == Scope::Trial {
        return vec![uniform(1 << 12)];
    }
    let large = 1 << 28;
    let sizes = sizes(scope).into_iter().filter(|&n| n >= 1 << 16);
    let mut cases: Vec<Case> = sizes.map(uniform).collect();
    cases.extend(skewed.map(|input| keys(large, Dtype::U32, input, 256)));
    cases.push(keys(large, Dtype::U8, Input::Uniform, 256));
    if scope == Scope::Full {
        cases.extend(skewed.map(|input| keys(large, Dtype::U8, input, 256)));
        cases.extend([Dtype::U16, Dtype::F32].map(|dtype| keys(large, dtype, Input::Uniform, 256)));
        let others = [Input::Gaussian, Input::Sorted];
        cases.extend(others.map(|input| keys(large, Dtype::U32, input, 256)));
        let bins = [2, 32, 2048, 4096, 16_384, 32_768, 65_536];
        cases.extend(bins.map(|bins| keys(1 << 26, Dtype::U32, Input::Uniform, bins)));
        cases.extend([2048, 65_536].map(|bins| keys(1 << 26, Dtype::U32, Input::Zipf, bins)));
        let range = Some(Range { low: 0.0, high: f64::from(1 << 20) });
        let parameters = HistogramParameters { range, ..HistogramParameters::of_bins(256) };
        cases.push(uniform(large).with(parameters));
    }
    cases
}

/// Inclusive sums of f32 over all sizes; then, at one size, the other kind, types and operators.
fn scans(scope: Scope) -> Vec<Case> {
    let scan = |n, dtype, op, kind| vector(n, dtype, op).with(ScanParameters::of_kind(kind));
    let sum = |n| scan(n, Dtype::F32, Op::Sum, Kind::Inclusive);
    let mut cases: Vec<Case> = sizes(scope).into_iter().map(sum).collect();
    if scope == Scope::Full {
        let n = 1 << 26;
        cases.push(scan(n, Dtype::F32, Op::Sum, Kind::Exclusive));
        let others = [
            (Dtype::U32, Op::Sum),
            (Dtype::I64, Op::Sum),
            (Dtype::F64, Op::Sum),
            (Dtype::U8, Op::Sum),
            (Dtype::I32, Op::Max),
            (Dtype::I64, Op::Affine),
        ];
        cases.extend(others.map(|(dtype, op)| scan(n, dtype, op, Kind::Inclusive)));
    }
    cases
}

/// Squares of f32 over the sizes; then shapes, sizes of elements, batches and gaps, for the rungs that are
/// meant for them.
fn transposes(scope: Scope) -> Vec<Part> {
    let of = |rows, cols, dtype, parameters: MatrixParameters| {
        Case { dtype, ..matrix(rows, cols) }.with(parameters)
    };
    let square = |side| of(side, side, Dtype::F32, MatrixParameters::default());
    let ladder = |side: u64| part(Box::new(Transpose), square(side));
    use chapter_6_transpose::rungs::*;
    static LAST: [&Rung; 5] = [
        &coarsened::RUNG,
        &vectorized::RUNG,
        &column_major_tiles::RUNG,
        &sectors::RUNG,
        &in_place::RUNG,
    ];
    let last = |case| only(part(Box::new(Transpose), case), &LAST);
    match scope {
        Scope::Trial => return vec![ladder(100)],
        Scope::Quick => return vec![ladder(1 << 14), ladder(1 << 10)],
        Scope::Full => {}
    }
    let mut parts: Vec<Part> = (6..=14).rev().map(|k| ladder(1 << k)).collect();
    let whole = MatrixParameters::default();
    let batch = MatrixParameters { batch: Some(1 << 14), ..whole };
    let gaps = MatrixParameters { ld: Some(8224), ..whole };
    let others = [
        of(1 << 14, 1 << 13, Dtype::F32, whole),
        of(16_383, 8191, Dtype::F32, whole),
        of(8191, 8191, Dtype::F64, whole),
        of(1 << 15, 1 << 14, Dtype::U8, whole),
        of(1 << 14, 1 << 14, Dtype::U16, whole),
        // The same work, for elements of a type that a library has.
        of(1 << 14, 1 << 14, Dtype::F16, whole),
        of(1 << 13, 1 << 13, Dtype::F64, whole),
        of(1 << 13, 1 << 12, Dtype::U128, whole),
        of(1 << 7, 1 << 6, Dtype::F32, batch),
        of(1 << 14, 1 << 13, Dtype::F32, gaps),
    ];
    parts.extend(others.map(last));
    parts
}

/// The last rung with every number of copies.
fn copies(scope: Scope) -> Vec<Part> {
    if scope != Scope::Full {
        return Vec::new();
    }
    static BANKED: [&Rung; 1] = [&chapter_2_histogram::rungs::banked::RUNG];
    let part = |dtype, copies| {
        let case = vector(1 << 28, dtype, Op::Sum).with(HistogramParameters {
            copies: Some(copies),
            ..HistogramParameters::of_bins(256)
        });
        only(part(Box::new(Histogram::DEFAULT), case), &BANKED)
    };
    let all = [Dtype::U8, Dtype::U32].map(|dtype| [1, 4, 32].map(|copies| part(dtype, copies)));
    all.into_iter().flatten().collect()
}

/// Everything that is to be run.
pub(crate) fn parts(scope: Scope) -> Vec<Part> {
    let size_of_others = if scope == Scope::Trial { 1 << 12 } else { 1 << 26 };
    let ladder = sizes(scope).into_iter().map(|n| vector(n, Dtype::F32, Op::Sum));
    let mut parts: Vec<Part> = ladder.map(|case| part(Box::new(Reduce), case)).collect();
    let setup = sizes(scope).into_iter().map(|n| vector(n, Dtype::F32, Op::Sum));
    parts.extend(setup.map(|case| part(Box::new(Setup), case)));
    parts.extend(matrices(scope).into_iter().map(|case| part(Box::new(Reduce), case)));
    let types = other_types(scope).into_iter();
    parts
        .extend(types.map(|(dtype, op)| part(Box::new(Reduce), vector(size_of_others, dtype, op))));
    parts.extend([31, 1000].map(denormals));
    let histograms = histograms(scope).into_iter();
    parts.extend(histograms.map(|case| part(Box::new(Histogram::DEFAULT), case)));
    parts.extend(copies(scope));
    let scans = scans(scope).into_iter();
    parts.extend(scans.map(|case| part(Box::new(Scan), case)));
    parts.extend(compact::parts(scope));
    parts.extend(segmented::parts(scope));
    parts.extend(transposes(scope));
    parts.extend(coalescing::parts(scope));
    if scope == Scope::Full {
        parts.push(beyond_32_bits());
        parts.push(scan_beyond_32_bits());
    }
    parts
}

/// What is to be run on several GPUs, on all of them and on two: a recording of its own.
pub(crate) fn parts_of_several(scope: Scope) -> Vec<Part> {
    let mut sizes = sizes(scope);
    if scope == Scope::Full {
        // Small arrays, and those between which the choice by size changes.
        sizes =
            [8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28].map(|k| 1 << k).into();
        sizes.reverse();
    }
    let of = |devices, n| of_several(devices, Task::AllReduce, Shape::Vector { n });
    let all = harness::Device::count();
    let mut parts: Vec<Part> = sizes.into_iter().map(|n| of(all, n)).collect();
    if all > 2 {
        parts.extend([28, 24, 20, 16, 12, 8].map(|k| of(2, 1 << k)));
    }
    parts.extend(collectives(scope, all));
    parts.extend(spread(scope, all));
    parts
}

/// A task of chapter 8.
fn of_several(devices: usize, task: Task, shape: Shape) -> Part {
    let case = Case { shape, ..vector(1, Dtype::F32, Op::Sum) };
    let parameters =
        DeviceParameters { devices: Some(devices), task: Some(task), ..Default::default() };
    part(Box::new(MultiGpu), case.with(parameters))
}

/// The other tasks of chapter 8, on all devices.
fn collectives(scope: Scope, devices: usize) -> Vec<Part> {
    let logs: &[u32] = if scope == Scope::Full { &[28, 24, 20, 16, 12, 8] } else { &[16] };
    let vectors = [Task::ReduceScatter, Task::AllGather, Task::AllToAll].into_iter();
    let vectors =
        vectors.flat_map(|task| logs.iter().map(move |&k| (task, Shape::Vector { n: 1 << k })));
    let side = |k: u32| Shape::Matrix { rows: 1 << (k / 2), cols: 1 << (k / 2) };
    let matrices = logs.iter().map(|&k| (Task::Transpose, side(k)));
    vectors.chain(matrices).map(|(task, shape)| of_several(devices, task, shape)).collect()
}

/// What is to be run on an array that is spread over several GPUs.
fn spread(scope: Scope, devices: usize) -> Vec<Part> {
    let sizes = match scope {
        Scope::Full => [30, 28, 26, 24, 22, 20, 16, 12].map(|k| 1 << k).into(),
        _ => sizes(scope),
    };
    let of = |task, n| of_several(devices, task, Shape::Vector { n });
    let tasks = [Task::Reduce, Task::Histogram, Task::Scan, Task::Compact];
    tasks.into_iter().flat_map(|task| sizes.iter().map(move |&n| of(task, n))).collect()
}

/// The broken kernels of every chapter: to be run last, because one of them may stop the device.
/// Fewer elements on the simulator, where a chain of thousands of blocks that wait for one another
/// takes billions of instructions.
pub(crate) fn broken_parts(scope: Scope) -> Vec<Part> {
    let n = match scope {
        Scope::Trial => 1 << 16,
        _ => 1 << 20,
    };
    let mut compact = broken(Box::new(Compact::DEFAULT), n);
    let mut coalescing = coalescing::broken(n);
    // A fault stops the simulator, which then takes no more work.
    let is_stopped = |rung: &Rung| rung.caught_by.contains(&Checker::Fault);
    for part in [&mut compact, &mut coalescing] {
        part.steps.retain(|step| scope != Scope::Trial || !is_stopped(&step.rung));
    }
    let mut parts = vec![
        broken(Box::new(Histogram::DEFAULT), n),
        broken(Box::new(Scan), n),
        compact,
        broken(Box::new(Segmented::DEFAULT), n),
        broken(Box::new(Reduce), n),
        // Its last one does stop the simulator.
        broken(Box::new(Transpose), n),
    ];
    // And its last one a GPU.
    let place = parts.len() - usize::from(scope == Scope::Trial);
    parts.insert(place, coalescing);
    parts
}

/// Whether atomics flush denormals on this device: 31 are one partial, itself denormal; the four
/// partials of 1,000 are not.
fn denormals(n: u64) -> Part {
    let case = Case { input: Input::Denormal, ..vector(n, Dtype::F32, Op::Sum) };
    Part { is_timed: false, ..part(Box::new(Reduce), case) }
}

/// The rungs that are right and run on a case.
fn part(chapter: Box<dyn Chapter>, case: Case) -> Part {
    let (mut steps, mut skipped) = (Vec::new(), Vec::new());
    for rung in chapter.rungs().into_iter().filter(|rung| !rung.is_broken()) {
        if rung.refusal(&case).is_some() {
            continue;
        }
        if case.elements() > rung.max_elements {
            skipped.push(Skipped::too_large_for_rung(rung.name, &case));
        } else {
            steps.push(Step { rung, case });
        }
    }
    Part { name: chapter.title(&case), chapter, steps, skipped, is_timed: true }
}

/// Some rungs of a ladder; all where there are none.
type Rungs = &'static [&'static Rung];

/// The same part, with these rungs and no others.
fn only(mut part: Part, rungs: Rungs) -> Part {
    let is_wanted = |name| rungs.is_empty() || rungs.iter().any(|rung| rung.name == name);
    part.steps.retain(|step| is_wanted(step.rung.name));
    part
}

/// More elements than 32 bits count, where an index in 32 bits would fold some twice: run once.
fn beyond_32_bits() -> Part {
    use chapter_1_reduce::rungs::*;
    static RUNGS: [&Rung; 5] = [
        &first_add::RUNG,
        &block_reduce::RUNG,
        &vectorized::RUNG,
        &single_pass_tiled::RUNG,
        &finish_last_block::RUNG,
    ];
    let case = vector((1 << 32) + 3, Dtype::I32, Op::Sum);
    Part { is_timed: false, skipped: Vec::new(), ..only(part(Box::new(Reduce), case), &RUNGS) }
}

/// A scan of more bytes than 32 bits count: run once.
fn scan_beyond_32_bits() -> Part {
    let case =
        vector((1 << 32) + 3, Dtype::U8, Op::Sum).with(ScanParameters::of_kind(Kind::Inclusive));
    Part { is_timed: false, ..part(Box::new(Scan), case) }
}

/// The broken rungs, each on what brings out its fault; not those that would never end.
fn broken(chapter: Box<dyn Chapter>, n: u64) -> Part {
    let broken = |rung: &Rung| rung.is_broken() && !rung.is_endless;
    let broken = chapter.rungs().into_iter().filter(broken);
    let cases = match chapter.name() == Segmented::DEFAULT.name() {
        true => vec![segmented::scan(n), segmented::product(n, Matrix::LongRow)],
        false => vec![vector(n, Dtype::F32, Op::Sum)],
    };
    // Each on the first case that it is for.
    let step = |rung: Rung| {
        let mut own = cases.iter().map(|case| chapter.case_for(&rung, case));
        let case = own.find(|case| rung.refusal(case).is_none()).unwrap_or(cases[0]);
        Step { rung, case }
    };
    let steps = broken.map(step).collect();
    Part { name: "broken".into(), steps, skipped: Vec::new(), is_timed: false, chapter }
}
