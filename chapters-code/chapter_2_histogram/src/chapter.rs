//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{Device, Dtype, Error, Ladder, Op, Posed, Shape, Suite, Task, rung::rungs};
use report::{Chapter, Planned, Scope, chapter::sum};

use crate::{
    Case, HistogramParameters, Rung,
    bins::{Bins, MOST},
    broken::broken,
    inputs::{self, DTYPES, INPUTS, join},
    keys,
    problem::Counting,
    recorded,
    reference::{Key, beyond},
};

/// Chapter 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Histogram {
    /// How keys without a bin are treated.
    pub out_of_range: OutOfRange,
}

impl Histogram {
    /// The chapter that counts keys without a bin in counters of their own.
    pub const DEFAULT: Self = Self { out_of_range: OutOfRange::Count };
}

/// How keys without a bin are treated. They never change the counter of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OutOfRange {
    /// Count them apart, behind the bins.
    #[default]
    Count,
    /// Refuse an input that has any.
    Refuse,
}

/// All rungs, the broken ones last.
fn all<K: Key>() -> Ladder<Counting<K>> {
    [keys(), broken()].concat()
}

impl Chapter for Histogram {
    type Task = HistogramParameters;
    const DEFAULT_DTYPE: Dtype = Dtype::U32;
    const NAME: &'static str = "chapter_2_histogram";
    const SUMMARY: &'static str = "Chapter 2, histogram: how often does each key occur?";

    fn rungs(&self) -> Vec<Rung> {
        // A rung is the same for every type of keys.
        rungs(&all::<u32>())
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, input, .. } = case;
        format!("histogram of {shape} {dtype}{}, {input} input", case.task.label())
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        Bins::of(case)?;
        Err(if !INPUTS.contains(&case.input) {
            let what = format!("keys have no {} input", case.input);
            Error::usage(what, format!("give --input, one of {}", join(INPUTS)))
        } else if case.elements() > u64::from(u32::MAX) {
            let shape = case.shape;
            let what = format!("{shape} keys are more than a counter of 32 bits can count");
            Error::usage(what, "give -n, up to 4294967295")
        } else {
            return Ok(());
        })
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The keys, one histogram per block for at most 2,048 blocks, and room for the driver.
        let bins = u64::from(case.task.bins);
        case.input_bytes() + 4 * 2048 * bins + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<HistogramParameters> {
        match case.dtype {
            Dtype::U8 => self.counting::<u8>(device, case),
            Dtype::U16 => self.counting::<u16>(device, case),
            Dtype::U32 => self.counting::<u32>(device, case),
            Dtype::F32 => self.counting::<f32>(device, case),
            other => {
                let what = format!("keys are not of type {other}");
                Err(Error::usage(what, format!("give --dtype, one of {}", join(DTYPES))))
            }
        }
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for dtype in DTYPES {
            for (n, bins) in [(1024, 256), ((1 << 16) + 3, 3), ((1 << 16) + 3, MOST)] {
                cases.push(
                    Case { seed: 7, ..Case::vector(n, dtype, Op::Sum) }
                        .with(HistogramParameters::of_bins(bins)),
                );
            }
        }
        cases
    }

    /// Keys of four bytes, and of one.
    fn sample_cases(&self, shape: Shape) -> Vec<Case> {
        let of = |dtype| sum(shape, dtype).with(HistogramParameters::default());
        [Dtype::U32, Dtype::U8].map(of).into()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<HistogramParameters>> {
        recorded::planned(scope)
    }
}

impl Histogram {
    /// The problem for keys of one type.
    fn counting<K: Key>(&self, device: &Device, case: &Case) -> Posed<HistogramParameters> {
        let bins = Bins::of(case)?;
        let host: Vec<K> = inputs::keys(case, &bins);
        if let (OutOfRange::Refuse, Some(found)) = (self.out_of_range, beyond(&host, &bins)) {
            return Err(refused(&host, &bins, found));
        }
        Ok(Suite::boxed(Counting::new(device, case, host)?, all()))
    }
}

/// The error for an input with keys that have no bin: the index of the first one, and their number.
fn refused<K: Key>(keys: &[K], bins: &Bins, (first, count): (usize, usize)) -> Error {
    let (n, key, m) = (keys.len(), keys[first].to_f64(), bins.count);
    let (which, more) = match K::DTYPE.is_float() || bins.divide_integers() {
        true => {
            let (low, high) = bins.range(K::DTYPE);
            (format!("[{low}, {high}) is the range of the {m} bins"), "")
        }
        false => {
            let more = "give --bins so that all keys have one, or ";
            (format!("the last of {m} bins is {}", m - 1), more)
        }
    };
    Error::Usage(format!(
        "{count} of {n} keys have no bin, the first of them key {first}, which is {key}: {which}\n  \
         remedy: {more}count them apart with --out-of-range count"
    ))
}
