//! A question for a number is answered in the unit that it asks for: what unfolds shows the field that `measured` names.

use crate::Problem;
use crate::check::Page;
use crate::expand::{Call, calls, words};

/// The fields that a rung's own sentence has.
const OF_A_RUNG: [&str; 4] = ["gb_per_s", "fraction_of_ceiling", "fraction_of_peak", "gain"];

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let all: Vec<Call<'_>> = calls(page.text).collect();
    let asks = all.iter().enumerate().filter(|(_, call)| call.name() == "ask");
    let unanswered = asks.filter_map(|(at, ask)| {
        let sought = sought(ask)?;
        let unfolded = all[at + 1..].iter().take_while(|call| call.name() != "end");
        let is_answered = unfolded.into_iter().any(|call| shows(call, &sought));
        let field = sought.split_whitespace().next().unwrap_or_default();
        let message = || format!("what unfolds does not show what was asked for: {field}");
        (!is_answered).then(|| page.problem(ask.range.start, message()))
    });
    unanswered.collect()
}

/// What the directive `measured` would take, if the question is for a recorded number.
fn sought(ask: &Call<'_>) -> Option<String> {
    let words = words(ask.arguments()).ok()?;
    words.iter().find_map(|word| word.strip_prefix("measured=").map(str::to_owned))
}

/// Whether a directive shows the field of the kernel that is sought.
fn shows(call: &Call<'_>, sought: &str) -> bool {
    let (field, keys) = sought.split_once(' ').unwrap_or((sought, ""));
    let is_of_kernel = kernel(call.arguments()) == kernel(keys);
    match call.name() {
        "measured" => call.arguments().starts_with(field) && is_of_kernel,
        "measured_rung" => OF_A_RUNG.contains(&field) && is_of_kernel,
        "measured_table" | "measured_in_flight" | "computed" | "verdict" => true,
        _ => false,
    }
}

fn kernel(keys: &str) -> Option<&str> {
    keys.split_whitespace().find_map(|word| word.strip_prefix("kernel="))
}
