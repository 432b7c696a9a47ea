//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use std::borrow::Cow;

use harness::{
    By, Case, Chapter, Density, Device, Dtype, Error, Op, Operation, Parameters, Pattern, Problem,
    Refusal, RungInfo, Shape,
    baselines::{BaselineRun, Baselines},
    buffer::POISON,
    ceiling::Ceiling,
    uploaded::Uploaded,
    verify::{self, Checker, Exact, Failure, Verdict},
    with_element,
};
use rayon::prelude::*;

use crate::{
    RUNGS, baseline, broken, entry,
    inputs::{self, DTYPES},
    layout::{self, HEADER, Layout},
    reference,
};

/// Chapter 4.
#[derive(Clone, Debug, Default)]
pub struct Compact {
    /// The mask, where it is not made from the case's seed.
    pub mask: Option<Vec<bool>>,
}

impl Compact {
    /// With masks that are made from seeds.
    pub const SEEDED: Self = Self { mask: None };
}

impl Chapter for Compact {
    fn name(&self) -> &'static str {
        "chapter_4_compact"
    }

    fn summary(&self) -> &'static str {
        "Chapter 4, compact: the elements that a mask keeps, side by side"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        RUNGS.infos(Ceiling::Copy)
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        let (density, pattern) = match &self.mask {
            Some(mask) => (part_kept(mask), None),
            None => (layout::density(case), Some(layout::pattern(case))),
        };
        let case = Case {
            parameters: Parameters {
                by: Some(layout::by(case)),
                density: Some(density),
                mask: pattern,
                ..case.parameters
            },
            ..*case
        };
        match RUNGS.is_broken(rung) {
            true => broken::case_for(rung, &case),
            false => case,
        }
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        let (density, by) = (layout::density(case), layout::by(case));
        match by {
            by if self.mask.is_some() => format!("compact: {shape} {dtype}, kept by a file's {by}"),
            By::Predicate => format!("compact: {shape} {dtype}, {density} kept by predicate"),
            by => {
                let pattern = layout::pattern(case);
                format!("compact: {shape} {dtype}, {density} kept by {by}, {pattern}")
            }
        }
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = RUNGS.find(name).ok()?;
        let is_matrix = matches!(case.shape, Shape::Matrix { .. });
        let by = layout::by(case);
        match name {
            _ if case.op != Op::Sum || !DTYPES.contains(&case.dtype) => Some(Refusal::NoKernel),
            "rows" if !is_matrix => Some(Refusal::WantsMatrix),
            "rows" if by == By::Predicate => Some(BY_MASK_ONLY),
            "rows" => None,
            _ if is_matrix => Some(Refusal::WantsVector),
            _ if rung.has_entry(&entry(case)) => index_refusal(name, case),
            "warp_specialized" | "read_back" => Some(BY_MASK_ONLY),
            _ => Some(Refusal::NoKernel),
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        if matches!(case.shape, Shape::Matrix { cols: 0, .. }) {
            let remedy = "remedy: give -n ROWSxCOLS with one column at least";
            let shape = case.shape;
            return Err(Error::Usage(format!(
                "rows of {shape} hold nothing\n  {remedy}"
            )));
        }
        match &self.mask {
            Some(_) if layout::by(case) == By::Predicate => Err(Error::Usage(
                "by predicate no mask says what is kept\n  remedy: leave --mask-file out, or give --select mask \
                 or --select bits"
                    .into(),
            )),
            Some(mask) => inputs::check_mask(case, mask),
            None => Ok(()),
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        let layout = Layout::of(case);
        // The input, an output for all, two indices an element, and something for the driver.
        (layout.input_bytes() + layout.output_bytes(layout.n)) as u64 + 8 * layout.n + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        let seeded = || inputs::mask(case);
        let mask = self.mask.clone().unwrap_or_else(seeded);
        let input = inputs::input(case, &inputs::data(case), &mask)?;
        Ok(Box::new(Compacted {
            kept: reference::kept(case, &input),
            uploaded: Uploaded::new(device, case, input)?,
        }))
    }
}

/// The part of a mask that is set; none of an empty one, and as near as 32 bits come for a longer one.
fn part_kept(mask: &[bool]) -> Density {
    let kept = mask.iter().filter(|&&keep| keep).count();
    let shift = mask.len().checked_ilog2().unwrap_or(0).saturating_sub(31);
    Density::new((kept >> shift) as u32, (mask.len() >> shift).max(1) as u32)
        .unwrap_or(Density::HALF)
}

const BY_MASK_ONLY: Refusal =
    Refusal::Because("keeps by a mask: give --select mask or --select bits");

/// The rungs whose indices have 32 bits.
fn index_refusal(name: &str, case: &Case) -> Option<Refusal> {
    let has_small_indices = ["scan_then_scatter", "inclusive_index", "flag_counted_twice"];
    let is_large = case.elements() > u64::from(u32::MAX);
    (is_large && has_small_indices.contains(&name)).then_some(Refusal::Because(
        "has indices of 32 bits: give -n, up to 4294967295",
    ))
}

/// A case, and what should come out.
struct Compacted {
    uploaded: Uploaded<u8>,
    kept: Vec<u8>,
}

impl Problem for Compacted {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let (case, kept) = (self.uploaded.case, &self.kept);
        let layout = Layout::of(&case);
        let room = broken::room(name, &layout, kept.len());
        let expected = Expected::of(name, &case, kept);
        let written = match name {
            "partition" => layout.n,
            _ => count(&layout, kept),
        };
        let moved = layout.moved(written);
        let judge = move |input: &[u8], computed: &[u8]| expected.judge(input, computed);
        self.uploaded
            .operation_that_moves(moved, ready, layout.output_bytes(room), judge)
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        let expected = Expected::of("", &self.uploaded.case, &self.kept);
        baseline::select(&self.uploaded, &expected, baselines)
    }

    fn own_baseline<'a>(
        &'a mut self,
        rung: &str,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        let expected = Expected::of(rung, &self.uploaded.case, &self.kept);
        match rung {
            "partition" => baseline::partition(&self.uploaded, &expected, baselines),
            _ => Ok(None),
        }
    }
}

/// Elements, or rows, of some bytes.
fn count(layout: &Layout, bytes: &[u8]) -> u64 {
    bytes.len() as u64 / (layout.width * layout.size).max(1)
}

/// What a rung should write.
pub(crate) struct Expected<'a> {
    case: Case,
    kept: &'a [u8],
    order: Order,
}

/// In which order results come.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// What is kept, in order.
    Kept,
    /// What is kept, in any order.
    Any,
    /// What is kept, in order; then what is not, last first.
    Partition,
}

/// A result's bits are kept up to this size: copying a gigabyte takes longer than all the rest.
const LARGEST_HASHED: usize = 1 << 24;

impl<'a> Expected<'a> {
    pub(crate) fn of(rung: &str, case: &Case, kept: &'a [u8]) -> Self {
        let order = match rung {
            "unordered" => Order::Any,
            "partition" => Order::Partition,
            _ => Order::Kept,
        };
        Self {
            case: *case,
            kept,
            order,
        }
    }

    /// Judges an output: the number kept, the elements, and that nothing was written behind them.
    pub(crate) fn judge(&self, input: &[u8], computed: &[u8]) -> Verdict {
        let layout = Layout::of(&self.case);
        let (header, elements) = computed.split_at(HEADER);
        let wanted = match self.order {
            Order::Partition => Cow::Owned([self.kept, &self.last_first(input)].concat()),
            _ => Cow::Borrowed(self.kept),
        };
        let written = wanted.len().min(elements.len());
        let (elements, behind) = elements.split_at(written);
        let mut verdict = match self.order {
            Order::Any => self.compare(&self.sorted(elements), &self.sorted(&wanted)),
            _ => self.compare(elements, &wanted),
        };
        if elements.len() <= LARGEST_HASHED {
            let all = [&header[..8], elements].concat();
            verdict.checksum = verify::checksum(&all);
        }
        let mut wrong = |message| {
            let by = Checker::Result;
            verdict.failures.push(Failure { by, message });
        };
        let number: u64 = bytemuck::pod_read_unaligned(&header[..8]);
        let right = count(&layout, self.kept);
        if right != number {
            wrong(format!("{number} are said to be kept, expected {right}"));
        }
        if let Some(at) = behind.par_iter().position_first(|&byte| byte != POISON) {
            wrong(format!(
                "{at} bytes behind the last result, something was written"
            ));
        }
        verdict
    }

    /// What is not kept, the last first.
    fn last_first(&self, input: &[u8]) -> Vec<u8> {
        let others = reference::others(&self.case, input);
        others
            .rchunks_exact(self.case.dtype.size())
            .flatten()
            .copied()
            .collect()
    }

    fn compare(&self, computed: &[u8], wanted: &[u8]) -> Verdict {
        if computed == wanted {
            return Verdict::default();
        }
        with_element!(self.case.dtype, T => {
            let wanted = wanted.chunks_exact(size_of::<T>());
            let wanted = wanted.map(bytemuck::pod_read_unaligned::<T>);
            verify::compare(computed, wanted.map(Exact::Equal))
        })
    }

    /// The same elements in the order of their bits.
    fn sorted(&self, elements: &[u8]) -> Vec<u8> {
        match self.case.dtype.size() {
            1 => sorted::<u8>(elements),
            4 => sorted::<u32>(elements),
            _ => sorted::<u64>(elements),
        }
    }
}

fn sorted<W: bytemuck::Pod + Ord + Send>(elements: &[u8]) -> Vec<u8> {
    let words = elements.chunks_exact(size_of::<W>());
    let mut words: Vec<W> = words.map(bytemuck::pod_read_unaligned).collect();
    words.par_sort_unstable();
    bytemuck::cast_slice(&words).to_vec()
}

/// The cases whose results a recorded run keeps, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let selections = [
        (By::Mask, Density::HALF, Pattern::Random),
        (By::Bits, Density::HALF, Pattern::Clustered),
        (By::Predicate, Density::HALF, Pattern::Random),
    ];
    let mut cases = Vec::new();
    for dtype in [Dtype::F32, Dtype::I64, Dtype::U8] {
        for (by, density, pattern) in selections {
            cases.extend([1024, (1 << 16) + 3].map(|n| Case {
                seed: 7,
                parameters: Parameters::of_selection(by, density, pattern),
                ..Case::vector(n, dtype, Op::Sum)
            }));
        }
    }
    cases
}

/// Whether a rung gives the same bits in every run.
pub fn has_fixed_order(rung: &str, _: &Case) -> bool {
    rung != "unordered"
}
