//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Device, Dtype, Element, Error, Op, Operation, Problem, Refusal, RungInfo, Shape,
    baselines::{BaselineRun, Baselines},
    buffer::POISON,
    ceiling::Ceiling,
    inputs,
    uploaded::Uploaded,
    verify::{self, Exact, Verdict},
    with_element,
};

use crate::{RUNGS, baseline, broken, in_place::is_in_place, layout::Layout, reference};

/// Chapter 6.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transpose;

impl Chapter for Transpose {
    fn name(&self) -> &'static str {
        "chapter_6_transpose"
    }

    fn summary(&self) -> &'static str {
        "Chapter 6, transpose: the element in row r, column c goes to row c, column r"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        RUNGS.infos(Ceiling::Copy)
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let [side, rows, cols] = match device.is_simulated() {
            true => [1024, 1023, 511],
            false => [16_384, 16_383, 8191],
        };
        let square = Shape::Matrix {
            rows: side,
            cols: side,
        };
        vec![square, Shape::Matrix { rows, cols }]
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
        format!("transpose of {shape} {dtype}{parameters}")
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        match case.shape {
            Shape::Vector { .. } => Some(Refusal::WantsMatrix),
            _ if case.op != Op::Sum => Some(Refusal::NoKernel),
            _ if is_in_place(name) && !Layout::of(case).is_square() => Some(Refusal::WantsSquare),
            _ => None,
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        let Layout { cols, ld_in, .. } = Layout::of(case);
        if ld_in >= cols {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "a leading dimension of {ld_in} is smaller than the width, {cols}: rows would overlap\n  \
             remedy: give --ld {cols} or more, or leave it out"
        )))
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, the output, and something for the driver.
        let layout = Layout::of(case);
        let elements = layout
            .input_elements()
            .saturating_add(layout.output_elements());
        let bytes = elements.saturating_mul(case.dtype.size() as u64);
        bytes.saturating_add(64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        with_element!(case.dtype, T => Ok(Box::new(Transposition::<T>::new(device, case)?)))
    }
}

/// A case, and what should come out.
struct Transposition<T> {
    uploaded: Uploaded<T>,
    layout: Layout,
    /// In an output of its own, whose gaps nobody writes.
    apart: Option<Vec<T>>,
    /// In the place of the input, whose gaps stay as they are.
    in_place: Option<Vec<T>>,
}

impl<T: Element> Transposition<T> {
    fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let layout = Layout::of(case);
        let whole = Shape::Vector {
            n: layout.input_elements(),
        };
        let host = inputs::generate::<T>(&Case {
            shape: whole,
            ..*case
        });
        Ok(Self {
            uploaded: Uploaded::new(device, case, host)?,
            layout,
            apart: None,
            in_place: None,
        })
    }

    /// Bytes that must be moved: each element read once and written once.
    fn moved(&self) -> u64 {
        2 * self.layout.elements() * size_of::<T>() as u64
    }

    fn with_gaps(&self, mut output: Vec<T>) -> Vec<T> {
        reference::transpose(&self.layout, &self.uploaded.host, &mut output);
        output
    }

    /// What a rung should write into an output full of poison.
    fn expected(&mut self) -> &mut Vec<T> {
        if self.apart.is_none() {
            let untouched = bytemuck::pod_read_unaligned(&[POISON; 16][..size_of::<T>()]);
            let output = vec![untouched; self.layout.output_elements() as usize];
            self.apart = Some(self.with_gaps(output));
        }
        self.apart.get_or_insert_default()
    }
}

impl<T: Element> Problem for Transposition<T> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let moved = self.moved();
        if is_in_place(name) {
            if self.in_place.is_none() {
                self.in_place = Some(self.with_gaps(self.uploaded.host.clone()));
            }
            let turned = self.in_place.get_or_insert_default();
            return self
                .uploaded
                .operation_in_place(moved, ready, |host, launches, computed| {
                    // A second launch turns it back.
                    let is_turned = launches % 2 == 1;
                    judge(if is_turned { turned } else { host }, computed)
                });
        }
        self.expected();
        let expected = self.apart.get_or_insert_default();
        let bytes = size_of_val(&expected[..]);
        self.uploaded
            .operation_that_moves(moved, ready, bytes, |_, computed| judge(expected, computed))
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        self.expected();
        let expected = self.apart.get_or_insert_default();
        baseline::transpose(&self.uploaded, &self.layout, expected, baselines)
    }
}

/// Elements that one core compares at a time.
const CHUNK: usize = 1 << 16;

/// Compares what was computed with what it should be: every element, and every gap.
pub(crate) fn judge<T: Element>(expected: &[T], computed: &[u8]) -> Verdict {
    verify::compare_chunks(computed, CHUNK, |c| {
        expected[c * CHUNK..].iter().copied().map(Exact::Equal)
    })
}

/// Whether a rung gives the same bits in every run: all do.
pub fn has_fixed_order(_rung: &str, _case: &Case) -> bool {
    true
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let dtypes = [Dtype::U8, Dtype::U16, Dtype::F32, Dtype::I64, Dtype::U128];
    let shapes = [(64, 64), (300, 200), (257, 129)];
    let of_shape = |(rows, cols)| {
        dtypes.map(|dtype| Case {
            shape: Shape::Matrix { rows, cols },
            seed: 7,
            ..Case::vector(0, dtype, Op::Sum)
        })
    };
    shapes.into_iter().flat_map(of_shape).collect()
}
