//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Device, Dtype, Element, Error, Kind, Op, Operation, Parameters, Problem,
    Refusal, RungInfo, Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    inputs,
    uploaded::Uploaded,
    with_element,
};

use crate::{RUNGS, baseline, broken, reference::Reference};

/// Chapter 3.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan;

impl Chapter for Scan {
    fn name(&self) -> &'static str {
        "chapter_3_scan"
    }

    fn summary(&self) -> &'static str {
        "Chapter 3, scan: every element becomes the fold of all up to it"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        RUNGS.infos(Ceiling::Copy)
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        match RUNGS.is_broken(rung) {
            true => broken::case_for(rung, case),
            false => *case,
        }
    }

    fn title(&self, case: &Case) -> String {
        format!("{} scan: {case}", case.kind())
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = RUNGS.find(name).ok()?;
        let entry = format!("{}_{}_{}", case.kind(), case.op, case.dtype);
        match case.shape {
            Shape::Matrix { .. } => Some(Refusal::WantsVector),
            _ if !rung.has_entry(&entry) => Some(Refusal::NoKernel),
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
            Ok(Box::new(Scanned {
                reference: Reference::new(case, &host),
                uploaded: Uploaded::new(device, case, host)?,
            }))
        })
    }
}

/// A case, and what should come out.
struct Scanned<T> {
    uploaded: Uploaded<T>,
    reference: Reference<T>,
}

impl<T: Element> Problem for Scanned<T> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let (reference, depth) = (&self.reference, ready.depth);
        let bytes = self.uploaded.case.input_bytes() as usize;
        let judge = move |host: &[T], computed: &[u8]| reference.judge(depth, host, computed);
        self.uploaded.operation(ready, bytes, judge)
    }

    fn set_block(&mut self, threads: u32) -> Result<(), Error> {
        self.uploaded.block = Some(threads);
        Ok(())
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        baseline::scan(&self.uploaded, &self.reference, baselines)
    }
}

/// Whether a rung gives the same bits in every run: all but look-back on floats, which adds to whatever
/// prefix it meets first.
pub fn has_fixed_order(rung: &str, case: &Case) -> bool {
    rung != "lookback" || !case.dtype.is_float() || case.op != Op::Sum
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce: every
/// operator and type, at a size of a few blocks and at one of many tiles.
pub fn checksum_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in Dtype::ALL {
        for op in Op::ALL.into_iter().filter(|&op| has_kernels(op, dtype)) {
            for kind in [Kind::Inclusive, Kind::Exclusive] {
                cases.extend([1024, (1 << 16) + 3].map(|n| Case {
                    seed: 7,
                    parameters: Parameters::of_kind(kind),
                    ..Case::vector(n, dtype, op)
                }));
            }
        }
    }
    cases
}

fn has_kernels(op: Op, dtype: Dtype) -> bool {
    let entry = format!("inclusive_{op}_{dtype}");
    RUNGS.iter().any(|rung| rung.has_entry(&entry))
}
