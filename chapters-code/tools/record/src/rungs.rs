//! Every rung of every chapter, once each.

use anyhow::Result;
use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use chapter_2_histogram::chapter::Histogram;
use chapter_3_scan::chapter::Scan;
use chapter_4_compact::chapter::Compact;
use chapter_5_segmented_scan::chapter::Segmented;
use chapter_6_transpose::chapter::Transpose;
use chapter_7_coalescing::{chapter::Coalescing, patterns};
use harness::{
    Case, Chapter, Conversion, Device, Dtype, Input, Kind, Matrix, Op, Parameters, RungInfo,
    Segments, Shape,
};

use crate::launches::{Launch, reported};

/// Sizes: 256 blocks of 256, and one that is a multiple of nothing.
pub(crate) const EVEN: Shape = Shape::Vector { n: 1 << 16 };
pub(crate) const ODD: Shape = Shape::Vector { n: 100_003 };

pub(crate) const MATRIX: Shape = Shape::Matrix {
    rows: 300,
    cols: 200,
};

/// All chapters with kernels, in order.
pub fn chapters() -> Vec<Box<dyn Chapter>> {
    vec![
        Box::new(Setup),
        Box::new(Reduce),
        Box::new(Histogram::COUNTING),
        Box::new(Scan),
        Box::new(Compact::SEEDED),
        Box::new(Segmented::OF_SEED),
        Box::new(Transpose),
        Box::new(Coalescing),
    ]
}

/// What a chapter's rungs are launched on: the sum of f32, or keys; in segments, each of the tasks.
pub(crate) fn cases(chapter: &dyn Chapter, shape: Shape) -> Vec<Case> {
    if chapter.name() == "chapter_5_segmented_scan" {
        return segmented(shape);
    }
    if chapter.name() == Coalescing.name() {
        return patterned(shape);
    }
    let dtypes: &[Dtype] = match chapter.name() {
        "chapter_2_histogram" => &[Dtype::U32, Dtype::U8],
        _ => &[Dtype::F32],
    };
    dtypes.iter().map(|&dtype| case(shape, dtype)).collect()
}

fn segmented(shape: Shape) -> Vec<Case> {
    let scan = Parameters::of_kind(Kind::Inclusive);
    let product = Parameters {
        matrix: Some(Matrix::PowerLaw),
        ..Parameters::default()
    };
    let of = |parameters| Case {
        parameters,
        ..case(shape, Dtype::F32)
    };
    let conversions = Conversion::ALL.map(|to| Parameters {
        convert: Some(to),
        ..Parameters::default()
    });
    let others = [scan, Parameters::default(), product];
    let mut cases: Vec<Case> = conversions.into_iter().chain(others).map(of).collect();
    if shape == EVEN {
        // Enough of them, and long enough, for rungs that look at that. They are alike: lanes whose
        // segments are not leave loops apart from each other if ptxas has unrolled them.
        cases.push(Case {
            shape: Shape::Vector { n: 300_300 },
            ..of(Parameters {
                segments: Some(Segments::Of(2100)),
                ..Parameters::default()
            })
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
    let of = |parameters| Case {
        parameters,
        ..case(shape, Dtype::F32)
    };
    patterns.into_iter().map(of).collect()
}

pub(crate) fn case(shape: Shape, dtype: Dtype) -> Case {
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

/// Launches every rung that is not broken on purpose, and hands each launch to `done`.
pub(crate) fn all(device: &Device, done: &mut dyn FnMut(Launch) -> Result<()>) -> Result<()> {
    for shape in [EVEN, ODD, MATRIX] {
        for chapter in chapters() {
            for case in cases(&*chapter, shape) {
                of_chapter(device, &*chapter, case, done)?;
            }
        }
    }
    Ok(())
}

/// The rungs that run on a case and are not broken on purpose.
pub(crate) fn rungs_for(chapter: &dyn Chapter, case: &Case) -> Vec<RungInfo> {
    let runs = |rung: &RungInfo| !rung.is_broken() && chapter.refusal(rung.name, case).is_none();
    chapter.rungs().into_iter().filter(runs).collect()
}

fn of_chapter(
    device: &Device,
    chapter: &dyn Chapter,
    case: Case,
    done: &mut dyn FnMut(Launch) -> Result<()>,
) -> Result<()> {
    let rungs = rungs_for(chapter, &case);
    if rungs.is_empty() {
        return Ok(());
    }
    let mut problem = chapter.problem(device, &case)?;
    for rung in rungs {
        let mut operation = problem.operation(rung.name)?;
        operation.poison()?;
        device.take_report();
        operation.launch()?;
        device.finish(rung.name)?;
        let mut name = format!("{}/{}/{}", chapter.name(), rung.name, case.shape);
        if case.dtype != Dtype::F32 {
            name = format!("{name}/{}", case.dtype);
        }
        if chapter.name() == Coalescing.name() {
            name += &case.parameters.to_string().replace(", ", "/");
        }
        reported(device, &name)
            .into_iter()
            .try_for_each(&mut *done)?;
    }
    Ok(())
}
