//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Op, Parameters, Rung, Shape, Suite,
    inputs::generate, rung::rungs, with_element,
};
use report::{
    Chapter,
    values::{Values, chosen, parsed},
};

use crate::{
    By, Density, Pattern, SelectionParameters, broken::broken, inputs, ladder, problem::Compaction,
};

/// Chapter 4.
#[derive(Clone, Debug, Default)]
pub struct Compact {
    /// The mask, where it is not made from the case's seed.
    pub mask: Option<Vec<bool>>,
}

impl Compact {
    /// The chapter with masks that are made from seeds.
    pub const DEFAULT: Self = Self { mask: None };
}

impl Chapter for Compact {
    fn name(&self) -> &'static str {
        "chapter_4_compact"
    }

    fn summary(&self) -> &'static str {
        "Chapter 4, compact: the elements that a mask selects, side by side"
    }

    fn rungs(&self) -> Vec<Rung> {
        [rungs(&ladder::<f32>()), rungs(&broken::<f32>())].concat()
    }

    fn complete(&self, case: &Case) -> Case {
        let (density, pattern) = match &self.mask {
            Some(mask) => (part_selected(mask), None),
            None => (inputs::density(case), Some(inputs::pattern(case))),
        };
        case.with(SelectionParameters {
            by: Some(inputs::by(case)),
            density: Some(density),
            mask: pattern,
        })
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        SelectionParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(SelectionParameters {
            by: chosen(value, "by")?,
            density: parsed(value, "density")?,
            mask: chosen(value, "mask")?,
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        let (density, by) = (inputs::density(case), inputs::by(case));
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
            Some(_) if inputs::by(case) == By::Predicate => Err(Error::usage(
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

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        let mask = self.mask.clone().unwrap_or_else(|| inputs::mask(case));
        let (n, _) = inputs::sizes(case);
        with_element!(@ case.dtype, T => {
            let problem = Compaction::<T>::new(device, case, generate(case), &mask, n)?;
            Ok(Suite::boxed(problem, [ladder(), broken()]))
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
}

/// The part of a mask that is set: none of an empty one, and for a long one as exact as 32 bits allow.
fn part_selected(mask: &[bool]) -> Density {
    let selected = mask.iter().filter(|&&flag| flag).count();
    let shift = mask.len().checked_ilog2().unwrap_or(0).saturating_sub(31);
    Density::new((selected >> shift) as u32, (mask.len() >> shift).max(1) as u32)
        .unwrap_or(Density::HALF)
}
