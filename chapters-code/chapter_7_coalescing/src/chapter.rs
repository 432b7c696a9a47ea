//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Op, Parameters, Rung, Suite,
    rung::rungs,
};
use report::{
    Chapter,
    values::{Values, chosen, number, parsed},
};

use crate::{AccessParameters, Task, broken::broken, indices, patterns, problem::Accesses, reads};

/// Chapter 7.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coalescing;

impl Chapter for Coalescing {
    fn name(&self) -> &'static str {
        "chapter_7_coalescing"
    }

    fn summary(&self) -> &'static str {
        "Chapter 7, coalescing: how memory serves a warp's request"
    }

    fn rungs(&self) -> Vec<Rung> {
        [rungs(&crate::rungs()), rungs(&broken())].concat()
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        AccessParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(AccessParameters {
            offset: number(value, "offset")?,
            stride: number(value, "stride")?,
            records: chosen(value, "records")?,
            order: parsed(value, "order")?,
            loads: number(value, "loads")?,
            resident: number(value, "resident")?,
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        let parameters = AccessParameters::of(case);
        format!("{} of {shape} {dtype}{parameters}", Task::of(case).verb())
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        refusal(case).map_or(Ok(()), Err)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, two outputs or an output and indices, and room for the driver.
        let bytes = case.elements().saturating_mul(4);
        bytes.saturating_mul(3).saturating_add(64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        self.check(case)?;
        Ok(Suite::boxed(Accesses::new(device, case)?, [crate::rungs(), broken()]))
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let sizes = [257, 5000, 100_003];
        let of_size = |n| {
            patterns::usual().map(|parameters| {
                Case { seed: 7, ..Case::vector(n, Dtype::F32, Op::Sum) }.with(parameters)
            })
        };
        sizes.into_iter().flat_map(of_size).collect()
    }
}

/// The reason why a case makes no sense, such as addresses outside the array, and the remedy.
fn refusal(case: &Case) -> Option<Error> {
    let n = case.elements();
    let (what, remedy) = match Task::of(case) {
        Task::Offset(offset) if offset > n => (
            format!("an offset of {offset} leaves a buffer of {n} elements"),
            format!("give --offset {n} or less"),
        ),
        Task::Stride(0) => (
            "a stride of 0 would copy one element again and again".into(),
            "give --stride 1 or more".into(),
        ),
        Task::Stride(stride) if stride > n.max(1) => (
            format!("a stride of {stride} leaves a buffer of {n} elements with its first step"),
            format!("give --stride {} or less", n.max(1)),
        ),
        Task::Gather(_) if n > indices::MOST => (
            format!("{n} elements are more than indices of 32 bits reach"),
            "give -n 2^32 or less".into(),
        ),
        Task::BytesInFlight { loads, .. } if !reads::LOADS.contains(&loads) => (
            format!("there is no kernel with {loads} loads per thread under way"),
            "give --loads-per-thread 1, 2, 4 or 8".into(),
        ),
        Task::BytesInFlight { resident, .. } if !(1..=reads::MOST_RESIDENT).contains(&resident) => {
            (
                format!("a multiprocessor does not hold {resident} blocks"),
                "give --resident 1 to 8".into(),
            )
        }
        Task::BytesInFlight { loads, resident } if loads * resident > reads::MOST_TOGETHER => (
            format!(
                "{resident} blocks with {loads} loads per thread need more registers than there are"
            ),
            format!("give --resident {} or less", reads::MOST_TOGETHER / loads),
        ),
        _ => return None,
    };
    Some(Error::usage(what, remedy))
}
