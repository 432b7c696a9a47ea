//! Lines of the submission, out of what the simulator says.

use harness::simulator::{AccessKind, AccessSpace, Event, Race, RaceAccess};

use super::{Place, bench::Ran};
use crate::operation::Output;

/// The number of a line, if it is one of the submission: `exercises/chapter_1/x.cu:12` is 12. Line 0
/// is that of code which the compiler made up.
pub fn line(text: &str, name: &str) -> Option<usize> {
    let after = text.split_once(name)?.1.strip_prefix(':')?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|line| *line > 0)
}

/// An access and who makes it, if its line is one of the submission.
pub fn side(access: &RaceAccess, name: &str) -> Option<Place> {
    let [x, y, z] = access.block;
    let block = match [y, z] {
        [0, 0] => x.to_string(),
        _ => format!("({x},{y},{z})"),
    };
    Some(Place {
        line: line(&access.line, name)?,
        who: format!(
            "{} by block {block}, warp {}, lane {}",
            access.access, access.warp, access.lane
        ),
    })
}

/// The two sides of a race; one where both are the same line and thread.
pub fn sides(race: &Race, name: &str) -> Vec<Place> {
    let sides = [&race.first, &race.second].into_iter();
    let mut sides: Vec<Place> = sides.filter_map(|access| side(access, name)).collect();
    sides.dedup();
    sides
}

/// Who stored element `index` of an output last, in a run that was traced.
pub fn writer(ran: &Ran, output: &Output, which: usize, index: usize, name: &str) -> Option<Place> {
    let size = output.dtype.size() as u64;
    let address = ran.addresses[which] + index as u64 * size;
    let mut writer = None;
    for event in ran.report.traces().flat_map(|trace| &trace.events) {
        let Event::Access { place, access } = event else {
            continue;
        };
        if access.space != AccessSpace::Global || access.access == AccessKind::Load {
            continue;
        }
        let lanes = (0..32u32).filter(|lane| access.lanes >> lane & 1 == 1);
        for (lane, &at) in lanes.zip(&access.addresses) {
            if (at..at + u64::from(access.bytes)).contains(&address) {
                writer = Some((place, lane, access.access));
            }
        }
    }
    let (place, lane, what) = writer?;
    Some(Place {
        line: line(&place.line, name)?,
        who: format!("{what} by block {}, warp {}, lane {lane}", place.block, place.warp),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_of_the_submission_or_none() {
        assert_eq!(line("exercises/a.cu:12", "exercises/a.cu"), Some(12));
        assert_eq!(line("at /tmp/exercises/a.cu:7 (then)", "exercises/a.cu"), Some(7));
        assert_eq!(line("exercises/a.cu:0", "exercises/a.cu"), None);
        assert_eq!(line("cuda_fp16.hpp:3", "exercises/a.cu"), None);
    }
}
