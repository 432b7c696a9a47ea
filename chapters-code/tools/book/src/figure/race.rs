//! What the race detector says of a kernel: two accesses, and what is missing between them.

use std::fmt::Write as _;
use std::path::Path;

use harness::simulator::{Access, Race};
use harness::trace::Traced;

use super::Part;
use super::html::inline;
use super::source;

/// A report as a list of the two accesses with the gap between them.
pub(super) fn draw(
    traced: &Traced,
    part: &Part,
    number: usize,
    root: &Path,
) -> Result<String, String> {
    let races = &part.launch(traced)?.races;
    let race = number.checked_sub(1).and_then(|index| races.get(index));
    let race = race.ok_or_else(|| {
        format!(
            "the race detector reports {} races there, and none is number {number}",
            races.len()
        )
    })?;
    let mut html = String::from("<ol class=\"race\">\n");
    html.push_str(&side(race, &race.first, root));
    let _ = writeln!(
        html,
        "<li class=\"gap\"><strong>{}</strong></li>",
        inline(&gap(race))
    );
    html.push_str(&side(race, &race.second, root));
    html.push_str("</ol>\n");
    let _ = writeln!(
        html,
        "<details class=\"said\"><summary>The report</summary><p>{}</p></details>",
        inline(&race.message)
    );
    Ok(html)
}

fn side(race: &Race, access: &Access, root: &Path) -> String {
    let thread = 32 * access.warp + access.lane;
    let block = access.block.map(|index| index.to_string()).join(",");
    let place = match race.space.as_str() {
        "shared" => format!("byte {} of the shared array `{}`", race.offset, race.array),
        "global" => format!("byte {} of {}", race.offset, race.array),
        _ => "a register".to_owned(),
    };
    let verb = match access.access.as_str() {
        "read" => "reads",
        "write" => "writes",
        "atomic" => "updates",
        "absent" => "has left, and would have to give up",
        other => other,
    };
    let who = format!(
        "Thread {thread} of block ({block}), warp {}, lane {},",
        access.warp, access.lane
    );
    format!(
        "<li><span class=\"who\">{who}</span> {verb} {}:<br/>{}</li>\n",
        inline(&place),
        inline(&source::quoted(root, &access.line))
    )
}

fn gap(race: &Race) -> String {
    match race.missing.as_str() {
        missing if missing.starts_with("__") => {
            format!("Nothing orders the two: no `{missing}()` lies between them.")
        }
        missing => format!("What is missing: {missing}."),
    }
}
