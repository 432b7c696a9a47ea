//! The simulator computes the very bits that a recorded device computed.

use std::collections::HashMap;

use harness::{Case, task::AsColumns};
use recording::{Recording, Subject};
use report::{
    AnyCase, AnyChapter, AnyRung,
    recorded::{checksum, of_simulated_device},
};

/// Runs the rungs with a fixed order of operations on a chapter's checksum cases.
///
/// # Panics
/// If a result differs from the recorded one by a bit, or where a tenth of the recorded results is no longer
/// run.
pub fn check_recorded(chapter: &dyn AnyChapter, cases: &[Case<impl AsColumns>]) {
    let Some(recording) = of_the_simulated_profile(chapter) else {
        eprintln!("SKIPPED: book/measurements/ holds no checksums of this chapter on an H200 yet");
        return;
    };
    let own = recording.checksums.iter();
    let own = own.filter(|checksum| checksum.subject.chapter == chapter.name());
    let recorded: HashMap<&Subject, &str> =
        own.map(|checksum| (&checksum.subject, &*checksum.bits)).collect();
    let wanted = |rung: &AnyRung, case: &AnyCase| {
        crate::is_right(rung, case) && !chapter.varies(rung.name, case)
    };
    let mut rows = crate::run(chapter, cases, &wanted);
    // A rung may be newer than the recording.
    rows.retain(|row| recorded.keys().any(|subject| subject.kernel == row.subject.kernel));
    let mut compared = 0;
    let mut different = Vec::new();
    for checksum in rows.iter().map(checksum) {
        let Some(&bits) = recorded.get(&checksum.subject) else {
            continue;
        };
        compared += 1;
        if bits != checksum.bits {
            different.push(format!("{checksum:?}, recorded {bits}"));
        }
    }
    let (wrong, all) = (different.len(), rows.len());
    assert!(wrong == 0, "{wrong}:\n{}", different.join("\n"));
    assert!(compared * 10 >= all * 9, "{compared} of {all} compared");
}

/// Grids, and so the order of additions, are those of the device whose profile is simulated.
fn of_the_simulated_profile(chapter: &dyn AnyChapter) -> Option<&'static Recording> {
    let own = |recording: &&Recording| {
        recording.checksums.iter().any(|checksum| checksum.subject.chapter == chapter.name())
    };
    of_simulated_device().filter(own)
}
