//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    Device, Dtype, Element, Error, Ladder, Op, Posed, Shape, Suite, inputs::generate, rung::rungs,
    with_element,
};
use report::{Chapter, Planned, Scope};

use crate::{
    By, Case, Density, Pattern, Rung, SelectionParameters, broken::broken, inputs, ladder,
    problem::Compaction, recorded,
};

/// Chapter 4.
#[derive(Clone, Debug, Default)]
pub struct Compact {
    /// The mask, if it is not made from the case's seed.
    pub mask: Option<Vec<bool>>,
}

impl Compact {
    /// The chapter with masks that are made from seeds.
    pub const DEFAULT: Self = Self { mask: None };
}

/// All rungs, the broken ones last.
fn all<T: Element>() -> Ladder<Compaction<T>> {
    [ladder(), broken()].concat()
}

impl Chapter for Compact {
    type Task = SelectionParameters;
    const NAME: &'static str = "chapter_4_compact";
    const SUMMARY: &'static str =
        "Chapter 4, compact: the elements that a mask selects, side by side";

    fn rungs(&self) -> Vec<Rung> {
        rungs(&all::<f32>())
    }

    /// A file's mask selects what it selects.
    fn complete(&self, case: &Case) -> Case {
        match &self.mask {
            Some(mask) => case.with(SelectionParameters {
                density: part_selected(mask),
                mask: None,
                ..case.task
            }),
            None => *case,
        }
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        let (density, by) = (case.task.density, case.task.by);
        match by {
            by if self.mask.is_some() => {
                format!("compact: {shape} {dtype}, selected by a file's {by}")
            }
            By::Predicate => format!("compact: {shape} {dtype}, {density} selected by predicate"),
            by => {
                let pattern = inputs::pattern(case);
                format!("compact: {shape} {dtype}, {density} selected by {by}, {pattern}")
            }
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        if matches!(case.shape, Shape::Matrix { cols: 0, .. }) {
            let what = format!("rows of {} hold nothing", case.shape);
            return Err(Error::usage(what, "give -n ROWSxCOLS with one column at least"));
        }
        match &self.mask {
            Some(_) if case.task.by == By::Predicate => Err(Error::usage(
                "by predicate no mask says what is selected",
                "leave --mask-file out, or give --select mask or --select bits",
            )),
            Some(mask) => inputs::check_mask(case, mask),
            None => Ok(()),
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        let (n, _) = inputs::sizes(case);
        // The input and a byte of mask per element, an output for all, two indices per element, and room for
        // the driver.
        2 * case.input_bytes() + 9 * n + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<SelectionParameters> {
        let mask = self.mask.clone().unwrap_or_else(|| inputs::mask(case));
        let (n, _) = inputs::sizes(case);
        with_element!(@ case.dtype, T => {
            let problem = Compaction::<T>::new(device, case, generate(case), &mask, n)?;
            Ok(Suite::boxed(problem, all()))
        }, I32 i32, U32 u32, I64 i64, F32 f32, F64 f64, U8 u8;
            other => Err(Error::Usage(format!("no kernel selects {other}"))))
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let selections = [
            (By::Mask, Density::HALF, Pattern::Random),
            (By::Bits, Density::HALF, Pattern::Clustered),
            (By::Predicate, Density::HALF, Pattern::Random),
        ];
        let mut cases = Vec::new();
        for dtype in [Dtype::F32, Dtype::I64, Dtype::U8] {
            for (by, density, pattern) in selections {
                cases.extend([1024, (1 << 16) + 3].map(|n| {
                    Case { seed: 7, ..Case::vector(n, dtype, Op::Sum) }
                        .with(SelectionParameters::new(by, density, pattern))
                }));
            }
        }
        cases
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<SelectionParameters>> {
        recorded::planned(scope)
    }
}

/// The part of a mask that is set: none of an empty one, and for a long one as exact as 32 bits allow.
fn part_selected(mask: &[bool]) -> Density {
    let selected = mask.iter().filter(|&&flag| flag).count();
    let shift = mask.len().checked_ilog2().unwrap_or(0).saturating_sub(31);
    Density::new((selected >> shift) as u32, (mask.len() >> shift).max(1) as u32)
        .unwrap_or(Density::HALF)
}
