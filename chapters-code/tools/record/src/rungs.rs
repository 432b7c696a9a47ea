//! All chapters, and the cases that their rungs are launched on.

use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use chapter_2_histogram::chapter::Histogram;
use chapter_3_scan::chapter::Scan;
use chapter_4_compact::chapter::Compact;
use chapter_5_segmented_scan::{
    Conversion, Matrix, SegmentParameters, Segments, chapter::Segmented,
};
use chapter_6_transpose::chapter::Transpose;
use chapter_7_coalescing::{AccessParameters, chapter::Coalescing, patterns};
use chapter_8_multi_gpu::chapter::MultiGpu;
use harness::{Case, Dtype, Input, Kind, Op, Rung, Shape};
use report::Chapter;

/// 256 blocks of 256 threads have one element per thread.
pub const EVEN: Shape = Shape::Vector { n: 1 << 16 };
/// No block size divides this size.
pub const ODD: Shape = Shape::Vector { n: 100_003 };
/// A matrix whose sides are no powers of two.
pub const MATRIX: Shape = Shape::Matrix { rows: 300, cols: 200 };

/// All chapters with kernels, in order.
pub fn chapters() -> Vec<Box<dyn Chapter>> {
    let mut all = chapters_of_one_device();
    all.push(Box::new(MultiGpu));
    all
}

/// The chapters whose kernels run on one device at a time, in order.
pub fn chapters_of_one_device() -> Vec<Box<dyn Chapter>> {
    vec![
        Box::new(Setup),
        Box::new(Reduce),
        Box::new(Histogram::DEFAULT),
        Box::new(Scan),
        Box::new(Compact::DEFAULT),
        Box::new(Segmented::DEFAULT),
        Box::new(Transpose),
        Box::new(Coalescing),
    ]
}

/// The cases that a chapter's rungs are launched on: the sum of f32, or keys, or every task on segments,
/// or every pattern of access.
pub fn cases(chapter: &dyn Chapter, shape: Shape) -> Vec<Case> {
    if chapter.name() == Segmented::DEFAULT.name() {
        return segmented(shape);
    }
    if chapter.name() == Coalescing.name() {
        return patterned(shape);
    }
    let dtypes: &[Dtype] = match chapter.name() == Histogram::DEFAULT.name() {
        true => &[Dtype::U32, Dtype::U8],
        false => &[Dtype::F32],
    };
    dtypes.iter().map(|&dtype| case(shape, dtype)).collect()
}

fn segmented(shape: Shape) -> Vec<Case> {
    let scan = SegmentParameters { kind: Some(Kind::Inclusive), ..SegmentParameters::default() };
    let product = SegmentParameters::product(Matrix::PowerLaw);
    let of = |parameters: SegmentParameters| case(shape, Dtype::F32).with(parameters);
    let conversions = Conversion::ALL
        .map(|to| SegmentParameters { convert: Some(to), ..SegmentParameters::default() });
    let others = [scan, SegmentParameters::default(), product];
    let mut cases: Vec<Case> = conversions.into_iter().chain(others).map(of).collect();
    if shape == EVEN {
        // Enough of them, and long enough, for rungs that look at that. They are alike: lanes whose
        // segments are not leave loops apart from each other if ptxas has unrolled them.
        cases.push(Case {
            shape: Shape::Vector { n: 300_300 },
            ..of(SegmentParameters::in_segments(None, Segments::Of(2100)))
        });
    }
    cases
}

/// Every pattern on the size that is even, and on the other one of each task.
fn patterned(shape: Shape) -> Vec<Case> {
    let patterns = match shape == EVEN {
        true => patterns::all(),
        false => patterns::usual().into(),
    };
    let of = |parameters: AccessParameters| case(shape, Dtype::F32).with(parameters);
    patterns.into_iter().map(of).collect()
}

/// The sum of uniform elements of a type, with seed 1.
pub fn case(shape: Shape, dtype: Dtype) -> Case {
    Case {
        shape,
        dtype,
        op: Op::Sum,
        input: Input::Uniform,
        seed: 1,
        parameters: Default::default(),
        block: None,
    }
}

/// The rungs that run on a case and are not broken on purpose.
pub fn rungs_for(chapter: &dyn Chapter, case: &Case) -> Vec<Rung> {
    let runs = |rung: &Rung| !rung.is_broken() && rung.refusal(case).is_none();
    chapter.rungs().into_iter().filter(runs).collect()
}
