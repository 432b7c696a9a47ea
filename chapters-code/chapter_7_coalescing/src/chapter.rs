//! The rungs as the harness runs them: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Device, Dtype, Element, Error, Op, Operation, Order, Problem, Refusal, RungInfo,
    Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    inputs,
    uploaded::Uploaded,
    verify::{self, Exact, Verdict},
};

use crate::{
    BYTES_IN_FLIGHT, RUNGS, Task, broken, bytes_in_flight, indices,
    particles::Layout,
    patterns,
    reference::{self, Expected},
};

/// Chapter 7.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coalescing;

impl Chapter for Coalescing {
    fn name(&self) -> &'static str {
        "chapter_7_coalescing"
    }

    fn summary(&self) -> &'static str {
        "Chapter 7, coalescing: what the memory makes of a warp's request"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        let reads = |name: &str| BYTES_IN_FLIGHT.iter().any(|rung| rung.name == name);
        let ceiling = |name| match reads(name) {
            true => Ceiling::Read,
            false => Ceiling::Copy,
        };
        RUNGS
            .iter()
            .map(|rung| rung.info(ceiling(rung.name)))
            .collect()
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        match RUNGS.is_broken(rung) {
            true => broken::case_for(rung, case),
            false => *case,
        }
    }

    fn title(&self, case: &Case) -> String {
        let Case {
            shape,
            dtype,
            parameters,
            ..
        } = case;
        format!("{} of {shape} {dtype}{parameters}", Task::of(case).verb())
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let repeats = case.parameters.order.is_some_and(Order::repeats);
        match case.shape {
            Shape::Matrix { .. } => Some(Refusal::WantsVector),
            _ if case.op != Op::Sum || case.dtype != Dtype::F32 => Some(Refusal::NoKernel),
            _ if !Task::of(case).is_of(name) => Some(Refusal::OfAnotherKind),
            _ if name == "scatter" && repeats => Some(Refusal::Because(
                "scatters to each place once: give --index-order ascending, or a window's length",
            )),
            _ => None,
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        refuse(case).map_or(Ok(()), |(what, remedy)| {
            Err(Error::Usage(format!("{what}\n  remedy: {remedy}")))
        })
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the output, indices, and something for the driver.
        let bytes = case.elements().saturating_mul(4);
        bytes.saturating_mul(3).saturating_add(64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        self.check(case)?;
        Ok(Box::new(Accesses::new(device, case)?))
    }
}

/// Why a case makes no sense, and what would: places that are not in the array, above all.
fn refuse(case: &Case) -> Option<(String, String)> {
    let n = case.elements();
    match Task::of(case) {
        Task::Offset(offset) if offset > n => Some((
            format!("an offset of {offset} leaves a buffer of {n} elements"),
            format!("give --offset {n} or less"),
        )),
        Task::Stride(0) => Some((
            "a stride of 0 would copy one element again and again".into(),
            "give --stride 1 or more".into(),
        )),
        Task::Stride(stride) if stride > n.max(1) => Some((
            format!("a stride of {stride} leaves a buffer of {n} elements with its first step"),
            format!("give --stride {} or less", n.max(1)),
        )),
        Task::Gather(_) if n > indices::MOST => Some((
            format!("{n} elements are more than indices of 32 bits reach"),
            "give -n 2^32 or less".into(),
        )),
        Task::BytesInFlight { loads, .. } if !bytes_in_flight::LOADS.contains(&loads) => Some((
            format!("there is no kernel with {loads} loads a thread under way"),
            "give --loads-per-thread 1, 2, 4 or 8".into(),
        )),
        Task::BytesInFlight { resident, .. }
            if !(1..=bytes_in_flight::MOST_RESIDENT).contains(&resident) =>
        {
            Some((
                format!("a multiprocessor does not hold {resident} blocks"),
                "give --resident 1 to 8".into(),
            ))
        }
        Task::BytesInFlight { loads, resident }
            if loads * resident > bytes_in_flight::MOST_TOGETHER =>
        {
            Some((
                format!(
                    "{resident} blocks with {loads} loads a thread need more registers than there are"
                ),
                format!(
                    "give --resident {} or less",
                    bytes_in_flight::MOST_TOGETHER / loads
                ),
            ))
        }
        _ => None,
    }
}

/// A case's elements, on the device.
struct Accesses {
    uploaded: Uploaded<f32>,
}

impl Accesses {
    fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let host = inputs::generate::<f32>(case);
        Ok(Self {
            uploaded: Uploaded::new(device, case, host)?,
        })
    }
}

impl Problem for Accesses {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let case = self.uploaded.case;
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let task = Task::of(&case);
        let moved = task.results(case.elements()) * task.bytes_a_result();
        if broken::is_in_place(name) {
            let offset = case.parameters.offset.unwrap_or(0) as usize;
            let judge = move |host: &[f32], _, computed: &[u8]| {
                let expected = [&host[offset..], &host[host.len() - offset..]].concat();
                judge(&expected, computed)
            };
            return self.uploaded.operation_in_place(moved, ready, judge);
        }
        if task == Task::Particles {
            let layout = Layout::of(name);
            return self.uploaded.operation_in_place(
                moved,
                ready,
                move |host, updates, computed| updated(layout, host, updates, computed),
            );
        }
        let multiprocessors = self.uploaded.device.properties.multiprocessors;
        let expected = reference::expected(name, &case, &self.uploaded.host, multiprocessors);
        let bytes = expected.bytes();
        self.uploaded.operation_that_moves(
            moved,
            ready,
            bytes,
            move |_, computed| match &expected {
                Expected::Elements(elements) => judge(elements, computed),
                Expected::Words(words) => judge(words, computed),
            },
        )
    }

    fn baseline<'a>(&'a mut self, _: &'a Baselines) -> Result<Option<BaselineRun<'a>>, Error> {
        Ok(None)
    }
}

/// Elements that one core compares at a time.
const CHUNK: usize = 1 << 16;

/// Compares what was computed with what it should be.
fn judge<T: Element>(expected: &[T], computed: &[u8]) -> Verdict {
    verify::compare_chunks(computed, CHUNK, |c| {
        expected[c * CHUNK..].iter().copied().map(Exact::Equal)
    })
}

/// Compares particles with what they should be after so many updates.
fn updated(layout: Layout, host: &[f32], updates: u64, computed: &[u8]) -> Verdict {
    verify::compare_chunks(computed, CHUNK, |c| {
        let elements = c * CHUNK..host.len();
        elements.map(move |e| Exact::Equal(layout.after(updates, host, e as u64)))
    })
}

/// Whether a rung gives the same bits in every run: all do.
pub fn has_fixed_order(_rung: &str, _case: &Case) -> bool {
    true
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let sizes = [257, 5000, 100_003];
    let of_size = |n| {
        patterns::usual().map(|parameters| Case {
            seed: 7,
            parameters,
            ..Case::vector(n, Dtype::F32, Op::Sum)
        })
    };
    sizes.into_iter().flat_map(of_size).collect()
}
