//! The rungs that run on a case.

use report::{AnyCase, AnyChapter, AnyRung};

/// The rungs that run on a case and are not broken on purpose.
pub fn rungs_for(chapter: &dyn AnyChapter, case: &AnyCase) -> Vec<AnyRung> {
    let runs = |rung: &AnyRung| !rung.is_broken() && chapter.refusal(rung.name, case).is_none();
    chapter.rungs().into_iter().filter(runs).collect()
}
