//! Text that waits for a recorded run is marked `<!-- after recording: … -->` where it belongs. A
//! strict build has none.

use crate::Problem;
use crate::check::Page;

const MARK: &str = "<!-- after recording:";

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    page.text
        .match_indices(MARK)
        .map(|(offset, _)| page.problem(offset, "this text is still to be written"))
        .collect()
}
