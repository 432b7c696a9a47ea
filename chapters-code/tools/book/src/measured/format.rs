//! How a recorded number is written, by what its field holds.

use figures::chart::GB_PER_S;
use figures::number::{significant, thousands};
use serde_json::Value;

/// `found`, the value of the field `path`, with its unit.
pub fn value(path: &str, found: &Value) -> String {
    match found {
        found if path == "caught" => verdict(found),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_u64() {
            Some(count) if unit(path) == Unit::None => thousands(count),
            _ => amount(path, number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "none".to_owned(),
        Value::Array(_) | Value::Object(_) => found.to_string(),
    }
}

/// What came of a kernel that is wrong on purpose: a list of what noticed it, or a word that says
/// that nothing on that device could.
fn verdict(caught: &Value) -> String {
    let checkers = match caught {
        Value::Array(checkers) => checkers,
        Value::String(_) => return "the right result".to_owned(),
        _ => return "nothing noticed it".to_owned(),
    };
    let word = |checker: &Value| match checker.as_str() {
        Some("result") => "a wrong result".to_owned(),
        Some("input") => "the input has changed".to_owned(),
        Some("fault") => "an error of the driver".to_owned(),
        Some("guard") => "a write beside the output".to_owned(),
        Some("races") => "a race".to_owned(),
        _ => checker.to_string(),
    };
    checkers.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// `number` in the unit of the field `path`, which no line break parts from it.
pub fn amount(path: &str, number: f64) -> String {
    match unit(path) {
        Unit::Rate => (GB_PER_S.write)(number),
        Unit::Microseconds => format!("{}\u{a0}µs", significant(number)),
        Unit::Nanoseconds => format!("{}\u{a0}ns", significant(number)),
        Unit::Time if number < 1.0 => format!("{}\u{a0}µs", significant(number * 1e3)),
        Unit::Time => format!("{}\u{a0}ms", significant(number)),
        Unit::Fraction => format!("{:.1}\u{a0}%", number * 100.0),
        // What differs by no more than its noise is recorded as 1, see `records`.
        Unit::Ratio if number == 1.0 => "equal".to_owned(),
        Unit::Ratio => format!("{number:.2}×"),
        Unit::None if number == 0.0 => "0".to_owned(),
        Unit::None => format!("{number:.3e}"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Rate,
    Time,
    Microseconds,
    Nanoseconds,
    Fraction,
    Ratio,
    None,
}

fn unit(path: &str) -> Unit {
    let has = |part: &str| path.split('.').any(|name| name.contains(part));
    if has("gb_per_s") {
        Unit::Rate
    } else if has("time_ms") {
        Unit::Time
    } else if has("launch_us") {
        Unit::Microseconds
    } else if has("latency_ns") {
        Unit::Nanoseconds
    } else if has("fraction") || has("occupancy") {
        Unit::Fraction
    } else if has("ratio") {
        Unit::Ratio
    } else {
        Unit::None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::value;

    #[test]
    fn what_came_of_a_broken_kernel_is_said_in_words() {
        let caught = |found: Value| value("caught", &found);
        assert_eq!(caught(json!(["result"])), "a wrong result");
        assert_eq!(caught(json!(["result", "input"])), "a wrong result, the input has changed");
        assert_eq!(caught(json!(["guard"])), "a write beside the output");
        assert_eq!(caught(json!("not detectable on a GPU")), "the right result");
        assert_eq!(caught(Value::Null), "nothing noticed it");
    }

    #[test]
    fn a_lone_load_is_in_nanoseconds() {
        assert_eq!(value("ceilings.latency_ns", &json!(512.3)), "512\u{a0}ns");
    }

    #[test]
    fn a_ratio_that_noise_explains_is_no_number() {
        assert_eq!(value("baseline.ratio", &json!(1.0)), "equal");
        assert_eq!(value("baseline.ratio", &json!(1.004)), "1.00×");
    }
}
