//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{Device, Dtype, Element, Error, Kind, Ladder, Op, Posed, Suite, rung::rungs};
use report::{Chapter, Planned, Scope};

use crate::{Case, Rung, ScanParameters, broken::broken, ladder, problem::PrefixScan, recorded};

/// Chapter 3.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan;

/// All rungs, the broken ones last.
fn all<T: Element>() -> Ladder<PrefixScan<T>> {
    [ladder(), broken()].concat()
}

impl Chapter for Scan {
    type Task = ScanParameters;
    const NAME: &'static str = "chapter_3_scan";
    const SUMMARY: &'static str =
        "Chapter 3, scan: every element becomes the combination of all up to it";

    fn rungs(&self) -> Vec<Rung> {
        rungs(&all::<f32>())
    }

    fn title(&self, case: &Case) -> String {
        format!("{} scan: {case}", case.task.kind)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the output, two values per block of 256 on every level, and room for the driver.
        2 * case.input_bytes() + case.input_bytes() / 64 + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<ScanParameters> {
        match case.dtype {
            Dtype::I32 => suite::<i32>(device, case),
            Dtype::U32 => suite::<u32>(device, case),
            Dtype::I64 => suite::<i64>(device, case),
            Dtype::F32 => suite::<f32>(device, case),
            Dtype::F64 => suite::<f64>(device, case),
            Dtype::U8 => suite::<u8>(device, case),
            Dtype::F16 | Dtype::Bf16 | Dtype::U16 | Dtype::U128 => {
                Err(Error::Usage(format!("no kernel scans {}", case.dtype)))
            }
        }
    }

    fn checksum_cases(&self) -> Vec<Case> {
        // Every operator and type, at a size of a few blocks and at one of many tiles.
        let mut cases = Vec::new();
        for dtype in Dtype::ALL {
            for op in Op::ALL.into_iter().filter(|&op| has_kernels(op, dtype)) {
                for kind in [Kind::Inclusive, Kind::Exclusive] {
                    cases.extend([1024, (1 << 16) + 3].map(|n| {
                        Case { seed: 7, ..Case::vector(n, dtype, op) }
                            .with(ScanParameters::of_kind(kind))
                    }));
                }
            }
        }
        cases
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<ScanParameters>> {
        recorded::planned(scope)
    }
}

fn suite<T: Element>(device: &Device, case: &Case) -> Posed<ScanParameters> {
    Ok(Suite::boxed(PrefixScan::<T>::new(device, case)?, all()))
}

fn has_kernels(op: Op, dtype: Dtype) -> bool {
    let entry = format!("inclusive_{op}_{dtype}");
    rungs(&all::<f32>()).iter().any(|rung| rung.has_entry(&entry))
}
