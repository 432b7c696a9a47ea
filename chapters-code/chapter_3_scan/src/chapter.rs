//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Device, Dtype, Element, Error, Input, Kind, Op, Operation, Parameters, Problem,
    Refusal, RungInfo, Shape,
    ceiling::Ceiling,
    inputs, kernel,
    peers::{PeerRun, Peers},
    rung::Uploaded,
    verify, with_element,
};

use crate::{LADDER, Rung, broken, peer, reference};

/// Chapter 3.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan;

/// All rungs: the ladder, then the broken ones.
pub fn rungs() -> impl Iterator<Item = &'static Rung> {
    LADDER.iter().chain(broken::BROKEN)
}

fn rung(name: &str) -> Result<&'static Rung, Error> {
    let found = rungs().find(|rung| rung.name == name);
    found.ok_or_else(|| Error::Usage(format!("there is no kernel `{name}`; see --list")))
}

/// One thread takes some hundred nanoseconds an element on a GPU.
const ONE_THREAD_MOST: u64 = 1 << 20;

impl Chapter for Scan {
    fn name(&self) -> &'static str {
        "chapter_3_scan"
    }

    fn summary(&self) -> &'static str {
        "Chapter 3, scan: every element becomes the fold of all up to it"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        let info = |rung: &Rung| RungInfo {
            name: rung.name,
            idea: rung.idea,
            caught_by: rung.caught_by,
            ceiling: Ceiling::Copy,
            most_elements: match rung.name {
                "one_thread" => ONE_THREAD_MOST,
                _ => u64::MAX,
            },
            target: kernel::lowest_target(rung.ptx),
            is_endless: broken::ENDLESS.contains(&rung.name),
        };
        rungs().map(info).collect()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let n = if device.is_simulated() {
            1 << 20
        } else {
            1 << 28
        };
        vec![Shape::Vector { n }]
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        let is_broken = broken::BROKEN.iter().any(|broken| broken.name == rung);
        match is_broken {
            true => broken::case_for(rung, case),
            false => *case,
        }
    }

    fn title(&self, case: &Case) -> String {
        format!("{} scan: {case}", kind(case))
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = rung(name).ok()?;
        let entry = format!("{}_{}_{}", kind(case), case.op, case.dtype);
        match case.shape {
            Shape::Matrix { .. } => Some(Refusal::WantsVector),
            _ if !kernel::has_entry(rung.ptx, &entry) => Some(Refusal::NoKernel),
            _ => None,
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the output, two values for each block of 256 and of those in turn, and
        // something for the driver.
        2 * case.input_bytes() + case.input_bytes() / 64 + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        with_element!(case.dtype, T => {
            let host = inputs::generate::<T>(case);
            Ok(Box::new(Scanned(Uploaded::new(device, case, host)?)))
        })
    }
}

/// The case's kind.
pub(crate) fn kind(case: &Case) -> Kind {
    case.parameters.kind.unwrap_or(Kind::Inclusive)
}

struct Scanned<T>(Uploaded<T>);

impl<T: Element> Problem for Scanned<T> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.0.ready(rung(name)?)?;
        let (case, depth) = (self.0.case, ready.depth);
        let bytes = case.input_bytes() as usize;
        self.0.operation(ready, bytes, move |host, computed| {
            verify::compare(computed, reference::scan(&case, depth, host))
        })
    }

    fn set_block(&mut self, threads: u32) -> Result<(), Error> {
        self.0.block = Some(threads);
        Ok(())
    }

    fn peer<'a>(&'a mut self, peers: &'a Peers) -> Result<Option<PeerRun<'a>>, Error> {
        peer::scan(&self.0, peers)
    }
}

/// Whether a rung gives the same bits in every run: all but look-back on floats, which adds to whatever
/// prefix it meets first.
pub fn has_fixed_order(rung: &str, case: &Case) -> bool {
    rung != "lookback" || !case.dtype.is_float() || case.op != Op::Sum
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let operands = [
        (Dtype::F32, Op::Sum),
        (Dtype::F64, Op::Sum),
        (Dtype::U32, Op::Sum),
        (Dtype::I64, Op::Affine),
        (Dtype::F32, Op::Max),
        (Dtype::U8, Op::Sum),
    ];
    let of = |n: u64, kind| {
        operands.map(|(dtype, op)| Case {
            shape: Shape::Vector { n },
            dtype,
            op,
            input: Input::Uniform,
            seed: 7,
            parameters: Parameters::of_kind(kind),
        })
    };
    let kinds = [Kind::Inclusive, Kind::Exclusive];
    let sizes = [1024, (1 << 16) + 3];
    let all = sizes.map(|n| kinds.map(|kind| of(n, kind)));
    all.into_iter().flatten().flatten().collect()
}
