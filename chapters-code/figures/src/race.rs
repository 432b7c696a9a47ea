//! A race or a stale read in words: two accesses, and what is missing between them.

use simt_report::{Action, Missing, Race, RaceAccess, Space, StaleRead};

use crate::page::inline;

/// What a report says of a race in place of what the race itself says, with code between backquotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The location that both access, such as `` `out[9]` ``.
    pub location: Option<String>,
    /// What is missing between the two.
    pub gap: Option<String>,
}

/// The race as HTML: a list of the two accesses with the gap between them. `lines` are the lines of
/// source of the two, with code between backquotes.
pub fn draw(race: &Race, lines: [&str; 2]) -> String {
    draw_as(race, lines, Words::default(), &race.message)
}

/// As [`draw`], with other words and another message.
pub fn draw_as(race: &Race, lines: [&str; 2], words: Words, message: &str) -> String {
    let place = words.location.unwrap_or_else(|| match race.space {
        Space::Shared => format!("byte {} of the shared array `{}`", race.offset, race.array),
        Space::Global => format!("byte {} of {}", race.offset, race.array),
        Space::Local | Space::Warp | Space::Block => "a register".to_owned(),
    });
    let gap = words.gap.unwrap_or_else(|| gap(race));
    let [first, second] = [(&race.first, lines[0]), (&race.second, lines[1])]
        .map(|(access, line)| side(access, &place, line));
    report([&first, &gap, &second], message)
}

/// A stale read as HTML: a list of the store and of the load that missed it, with what would have ordered
/// them. `lines` are the lines of source of the two, with code between backquotes; `location` is that of the word as
/// the source names it, such as `out[9]`, if a name is certain.
pub fn draw_stale(read: &StaleRead, lines: [&str; 2], location: Option<&str>) -> String {
    let by_address = format!("byte {} of {}", read.offset, read.array);
    let place = location.map_or(by_address.clone(), |name| format!("`{name}`"));
    let store = read.store.as_ref().map(|store| side(store, &place, lines[0]));
    let store = store.unwrap_or_else(|| format!("<li>A copy writes {}.</li>\n", inline(&place)));
    let load = side(&read.load, &format!("an older value of {place}"), lines[1]);
    let message = read.message.replace(&by_address, &place);
    report([&store, &format!("What is missing: {}.", read.cure), &load], &message)
}

/// The list of two accesses with the gap between them, and the whole report to be unfolded.
fn report([first, gap, second]: [&str; 3], message: &str) -> String {
    format!(
        "<ol class=\"race\">\n{first}<li class=\"gap\"><strong>{}</strong></li>\n{second}</ol>\n\
         <details class=\"said\"><summary>The report</summary><p>{}</p></details>\n",
        inline(gap),
        inline(message)
    )
}

fn side(access: &RaceAccess, place: &str, line: &str) -> String {
    let RaceAccess { warp, lane, .. } = access;
    let thread = 32 * warp + lane;
    let block = access.block.map(|index| index.to_string()).join(",");
    let verb = match access.access {
        Action::Read => "reads",
        Action::Write => "writes",
        Action::Atomic => "updates",
        Action::Absent => "has left, and would have to give up",
        other @ (Action::Copy | Action::Wait | Action::Branch) => other.name(),
    };
    let device = access.device.map_or(String::new(), |device| format!(" on device {device}"));
    let who = format!("Thread {thread} of block ({block}){device}, warp {warp}, lane {lane},");
    format!(
        "<li><span class=\"who\">{who}</span> {verb} {}:<br/>{}</li>\n",
        inline(place),
        inline(line)
    )
}

fn gap(race: &Race) -> String {
    let missing: Missing = race.missing;
    match missing.is_function() {
        _ if race.is_update => "Both threads read this value, change it and write it back, and one of the two changes is \
             lost. A barrier does not help: an atomic operation is missing."
            .to_owned(),
        true => format!("Nothing orders the two: no `{missing}()` lies between them."),
        false => format!("What is missing: {missing}."),
    }
}
