//! Bits that say where segments begin.

use harness::Input;
use serde::Deserialize;

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Output, Reference, Wrong, segments,
};
use crate::diagnosis::Diagnosis;

/// `bits` holds one bit per element, 32 to a word, the lowest first: 1 if a segment that is not empty
/// begins. Zero before. Dimensions: `n`, `segments` and `words`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadFlags {}

impl Reference for HeadFlags {
    fn instance(&self, case: &Case) -> Instance {
        let segments = segments::of(case, 0);
        let words = segments.bits();
        let mut dimensions = segments::dimensions(&segments);
        dimensions.insert("words".into(), words.len() as u64);
        let mut out = Output::equal("bits", &words);
        out.initial = Initial::Zero;
        Instance {
            dimensions,
            inputs: vec![Array::of("offsets", segments.as_slice())],
            outputs: vec![out],
        }
    }

    fn input_name(&self, input: Input) -> String {
        segments::input_name(input)
    }

    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::LostUpdate
    }

    fn explain(&self, _: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let (mut missing, mut strange) = (None, None);
        for wrong in seen.wrong {
            let (got, expected) = (wrong.got as u32, wrong.expected as u32);
            let place = |bits: u32| 32 * wrong.index as u32 + bits.trailing_zeros();
            missing = missing.or((expected & !got != 0).then(|| place(expected & !got)));
            strange = strange.or((got & !expected != 0).then(|| place(got & !expected)));
        }
        let turned = |wrong: &Wrong| wrong.got as u32 == (wrong.expected as u32).reverse_bits();
        match (missing, strange) {
            _ if seen.wrong.iter().all(turned) => {
                let because =
                    "the bits of each word are in the opposite order: element 0 is the lowest bit";
                Finding::new(Diagnosis::Reversed, because)
            }
            (Some(at), None) => {
                let because = format!(
                    "a segment begins at {at}, and bit {} of word {} is 0",
                    at % 32,
                    at / 32
                );
                Finding::new(Diagnosis::LostElement, because)
            }
            (_, Some(at)) => {
                let because = format!(
                    "no segment begins at {at}, and bit {} of word {} is 1",
                    at % 32,
                    at / 32
                );
                Finding::new(Diagnosis::NotSelected, because)
            }
            _ => None,
        }
    }
}
