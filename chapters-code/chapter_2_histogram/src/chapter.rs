//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Device, Dtype, Error, Op, Operation, Parameters, Problem, Refusal, RungInfo,
    Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    uploaded::Uploaded,
    verify::{self, Exact},
};

use crate::{
    RUNGS, baseline,
    bins::{self, Bins, MOST},
    broken,
    inputs::{self, DTYPES, INPUTS, join},
    most_bins,
    reference::{Key, beyond, histogram},
};

/// Chapter 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Histogram {
    /// What is done about keys that have no bin.
    pub out_of_range: OutOfRange,
}

impl Histogram {
    /// Counts keys that have no bin apart.
    pub const COUNTING: Self = Self {
        out_of_range: OutOfRange::Count,
    };
}

/// What is done about keys that have no bin. They are never written beside the bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// They are counted apart, behind the bins.
    #[default]
    Count,
    /// An input that has any is refused.
    Refuse,
}

impl Chapter for Histogram {
    fn name(&self) -> &'static str {
        "chapter_2_histogram"
    }

    fn summary(&self) -> &'static str {
        "Chapter 2, histogram: how often does each key occur?"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        RUNGS.infos(Ceiling::Read)
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        let mut case = *case;
        case.parameters.bins = Some(bins::wanted(&case));
        match RUNGS.is_broken(rung) {
            true => broken::case_for(rung, &case),
            false => case,
        }
    }

    fn title(&self, case: &Case) -> String {
        let Case {
            shape,
            dtype,
            input,
            parameters,
            ..
        } = case;
        format!("histogram of {shape} {dtype}{parameters}, {input} input")
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = RUNGS.find(name).ok()?;
        let entry = format!("histogram_{}", case.dtype);
        let most = most_bins(name);
        match case.shape {
            Shape::Matrix { .. } => Some(Refusal::WantsVector),
            _ if case.op != Op::Sum => Some(Refusal::NoKernel),
            _ if !rung.has_entry(&entry) => Some(Refusal::NoKernel),
            _ if bins::wanted(case) > most => Some(Refusal::TooManyBins { most }),
            _ => None,
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        Bins::of(case)?;
        let Parameters { keys, copies, .. } = case.parameters;
        let are_copies = |copies: u32| copies.is_power_of_two() && copies <= 32;
        let (what, remedy) = if !INPUTS.contains(&case.input) {
            let what = format!("keys have no {} input", case.input);
            (what, format!("give --input, one of {}", join(INPUTS)))
        } else if keys == Some(0) {
            let what = "keys are drawn from 1 at least";
            (what.into(), "give --keys 1 or more".into())
        } else if !copies.is_none_or(are_copies) {
            let what = "copies are a power of two up to 32";
            (what.into(), "give --copies 1, 2, 4, 8, 16 or 32".into())
        } else if case.elements() > u64::from(u32::MAX) {
            let shape = case.shape;
            let what = format!("{shape} keys are more than a counter of 32 bits can count");
            (what, "give -n, up to 4294967295".into())
        } else {
            return Ok(());
        };
        Err(Error::Usage(format!("{what}\n  remedy: {remedy}")))
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The keys; a histogram a block, of which there are some thousands at most; and something
        // for the driver.
        let bins = u64::from(bins::wanted(case));
        case.input_bytes() + 4 * 2048 * bins + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        Ok(match case.dtype {
            Dtype::U8 => Box::new(Counting::<u8>::new(device, case, self.out_of_range)?),
            Dtype::U16 => Box::new(Counting::<u16>::new(device, case, self.out_of_range)?),
            Dtype::U32 => Box::new(Counting::<u32>::new(device, case, self.out_of_range)?),
            Dtype::F32 => Box::new(Counting::<f32>::new(device, case, self.out_of_range)?),
            other => {
                let known = join(DTYPES);
                return Err(Error::Usage(format!(
                    "keys are not of type {other}\n  remedy: give --dtype, one of {known}"
                )));
            }
        })
    }
}

/// A case, and what should come out.
struct Counting<K> {
    uploaded: Uploaded<K>,
    counts: Vec<u32>,
}

impl<K: Key> Counting<K> {
    fn new(device: &Device, case: &Case, option: OutOfRange) -> Result<Self, Error> {
        let bins = Bins::of(case)?;
        let keys: Vec<K> = inputs::keys(case, &bins);
        if let (OutOfRange::Refuse, Some(found)) = (option, beyond(&keys, &bins)) {
            return Err(refused(&keys, &bins, found));
        }
        Ok(Self {
            counts: histogram(&keys, &bins),
            uploaded: Uploaded::new(device, case, keys)?,
        })
    }
}

/// Why an input with such keys is refused.
fn refused<K: Key>(keys: &[K], bins: &Bins, (first, count): (usize, usize)) -> Error {
    let (n, key, m) = (keys.len(), keys[first].to_f64(), bins.count);
    let which = match K::DTYPE.is_float() {
        true => format!("[{}, {}) is the range of the {m} bins", bins.low, bins.high),
        false => format!("the last of {m} bins is {}", m - 1),
    };
    let more = match K::DTYPE.is_float() {
        true => "",
        false => "give --bins so that all keys have one, or ",
    };
    Error::Usage(format!(
        "{count} of {n} keys have no bin, the first of them key {first}, which is {key}: {which}\n  \
         remedy: {more}count them apart with --out-of-range count"
    ))
}

impl<K: Key> Problem for Counting<K> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let counts = &self.counts;
        let judge = |_: &[K], computed: &[u8]| {
            verify::compare(computed, counts.iter().copied().map(Exact::Equal))
        };
        self.uploaded.operation(ready, 4 * counts.len(), judge)
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        baseline::histogram(&self.uploaded, &self.counts, baselines)
    }
}

/// The cases whose counts a recorded run keeps, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DTYPES {
        for (n, bins) in [(1024, 256), ((1 << 16) + 3, 3), ((1 << 16) + 3, MOST)] {
            cases.push(Case {
                seed: 7,
                parameters: Parameters::of_bins(bins),
                ..Case::vector(n, dtype, Op::Sum)
            });
        }
    }
    cases
}
