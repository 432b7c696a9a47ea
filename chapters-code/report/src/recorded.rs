//! Recorded runs, compiled into the program: what stands in for a time on the simulator.

use std::sync::LazyLock;

use recording::{Checksum, Recording, Subject};

use crate::{AnyCase, Row};

// FILES: the compressed text of every recorded run in book/measurements/.
include!(concat!(env!("OUT_DIR"), "/measurements.rs"));

/// What the row of a chapter's rung on a case is of.
pub fn subject(chapter: &str, kernel: &str, case: &AnyCase) -> Subject {
    let (rows, cols) = case.shape.sides().unzip();
    Subject {
        chapter: chapter.into(),
        kernel: kernel.into(),
        n: case.elements(),
        rows,
        cols,
        dtype: case.dtype.name().into(),
        op: case.op.name().into(),
        input: Some(case.input.name().into()),
        seed: case.seed,
        task: case.task.clone(),
    }
}

/// The bits of a row's result.
pub fn checksum(row: &Row) -> Checksum {
    let subject = Subject { input: None, ..row.subject.clone() };
    Checksum { subject, bits: row.checksum.clone() }
}

/// All recordings, without their samples, the latest first.
///
/// # Panics
/// If the build script wrote what is no recording.
pub fn recordings() -> &'static [Recording] {
    static ALL: LazyLock<Vec<Recording>> = LazyLock::new(|| {
        let mut all: Vec<Recording> = FILES.iter().map(|compressed| read(compressed)).collect();
        all.sort_by(|a, b| b.head.date.cmp(&a.head.date));
        all
    });
    &ALL
}

fn read(compressed: &[u8]) -> Recording {
    let text = lz4_flex::decompress_size_prepended(compressed).expect("it was compressed");
    serde_json::from_slice(&text).expect("it was a recording")
}

/// The latest recording of one H200, the device whose profile the simulator has.
pub fn of_simulated_device() -> Option<&'static Recording> {
    recordings().iter().find(|recording| {
        let device = &recording.head.device;
        device.name.contains("H200") && device.devices.is_none()
    })
}
