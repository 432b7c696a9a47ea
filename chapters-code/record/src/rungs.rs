//! Every rung of every chapter, once each.

use anyhow::Result;
use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use harness::{Case, Chapter, Device, Dtype, Input, Op, RungInfo, Shape};

use crate::launches::{Launch, reported};

/// Sizes: 256 blocks of 256, and one that is a multiple of nothing.
const SIZES: [u64; 2] = [1 << 16, 100_003];

const MATRIX: Shape = Shape::Matrix {
    rows: 300,
    cols: 200,
};

/// All chapters with kernels, in order.
pub fn chapters() -> Vec<Box<dyn Chapter>> {
    vec![Box::new(Setup), Box::new(Reduce)]
}

fn case(shape: Shape) -> Case {
    Case {
        shape,
        dtype: Dtype::F32,
        op: Op::Sum,
        input: Input::Uniform,
        seed: 1,
        parameters: Default::default(),
    }
}

/// Launches every rung that is not broken on purpose, and hands each launch to `done`.
pub(crate) fn all(device: &Device, done: &mut dyn FnMut(Launch) -> Result<()>) -> Result<()> {
    let [even, odd] = SIZES.map(|n| Shape::Vector { n });
    for shape in [even, odd, MATRIX] {
        for chapter in chapters() {
            of_chapter(device, &*chapter, case(shape), done)?;
        }
    }
    Ok(())
}

fn of_chapter(
    device: &Device,
    chapter: &dyn Chapter,
    case: Case,
    done: &mut dyn FnMut(Launch) -> Result<()>,
) -> Result<()> {
    let runs = |rung: &RungInfo| !rung.is_broken() && chapter.refusal(rung.name, &case).is_none();
    let rungs: Vec<_> = chapter.rungs().into_iter().filter(runs).collect();
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
        let name = format!("{}/{}/{}", chapter.name(), rung.name, case.shape);
        reported(device, &name)
            .into_iter()
            .try_for_each(&mut *done)?;
    }
    Ok(())
}
