//! How a recorded number is written, by what its field holds.

use figures::chart::GB_PER_S;
use figures::number::{rate, thousands};
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
        Unit::Microseconds => format!("{}\u{a0}µs", rate(number)),
        Unit::Nanoseconds => format!("{}\u{a0}ns", rate(number)),
        Unit::Time if number < 1.0 => format!("{}\u{a0}µs", rate(number * 1e3)),
        Unit::Time => format!("{}\u{a0}ms", rate(number)),
        Unit::Fraction => format!("{:.1}\u{a0}%", number * 100.0),
        // What differs by no more than its noise is recorded as 1, see `records`.
        Unit::Ratio if number == 1.0 => "equal".to_owned(),
        Unit::Ratio => ratio(number, "×"),
        Unit::None if number == 0.0 => "0".to_owned(),
        Unit::None => format!("{number:.3e}"),
    }
}

/// A ratio, followed by `sign`.
fn ratio(number: f64, sign: &str) -> String {
    match number {
        100.0.. => format!("{}{sign}", thousands(number.round() as u64)),
        _ => format!("{number:.2}{sign}"),
    }
}

/// `number` of the field `path` in the unit that `wanted` begins with, followed by `wanted`.
///
/// # Errors
/// If such a field is not in that unit.
pub(super) fn in_unit(path: &str, number: f64, wanted: &str) -> Result<String, String> {
    let scale = scale(path, wanted)?;
    let number = number * scale;
    Ok(match unit(path) {
        Unit::Ratio if number == 1.0 => "equal".to_owned(),
        Unit::Ratio => ratio(number, wanted),
        Unit::Fraction => format!("{number:.1}\u{a0}{wanted}"),
        Unit::None if number.fract() == 0.0 => {
            format!("{}\u{a0}{wanted}", thousands(number as u64))
        }
        _ => format!("{}\u{a0}{wanted}", rate(number)),
    })
}

/// The factor from what is recorded of the field `path` to the unit that `wanted` begins with.
///
/// # Errors
/// If such a field is not in that unit.
pub(super) fn scale(path: &str, wanted: &str) -> Result<f64, String> {
    let first = wanted.split_whitespace().next().unwrap_or_default();
    let own = unit(path).scales();
    let scale = own.iter().find(|(name, _)| *name == first).map(|(_, scale)| *scale);
    let is_count = own.is_empty() && !EVERY.iter().any(|unit| unit.is_in(first));
    scale.or(is_count.then_some(1.0)).ok_or_else(|| {
        let names: Vec<&str> = own.iter().map(|(name, _)| *name).collect();
        match names.as_slice() {
            [] => format!("the field {path} has no unit, so it is not in {first}"),
            names => format!("the field {path} is not in {first}, but in {}", names.join(" or ")),
        }
    })
}

/// Whether the field `path` has no unit.
pub(super) fn is_count(path: &str) -> bool {
    unit(path) == Unit::None
}

/// The unit in which the field `path` is recorded, or nothing for a count.
pub(super) fn first_unit(path: &str) -> &'static str {
    let own = unit(path).scales();
    own.first().map_or("", |(name, _)| name)
}

/// The number that `text` begins with, and what follows it.
pub(crate) fn leading_number(text: &str) -> Option<(f64, &str)> {
    let is_part = |letter: char| letter.is_ascii_digit() || ['.', ','].contains(&letter);
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let number = text[..end].replace(',', "").parse().ok()?;
    Some((number, &text[end..]))
}

/// `number`, which is followed by `own`, in the unit that `wanted` begins with: a number with nothing behind it is in that
/// unit already.
///
/// # Errors
/// If one unit is no multiple of the other.
pub(super) fn converted(number: f64, own: &str, wanted: &str) -> Result<f64, String> {
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let (own, wanted) = (first(own), first(wanted));
    if own.is_empty() || own == wanted {
        return Ok(number);
    }
    let scale = |scales: &[(&str, f64)], name: &str| {
        scales.iter().find(|(known, _)| *known == name).map(|(_, scale)| *scale)
    };
    let scales = EVERY.iter().map(|unit| unit.scales());
    let mut factors = scales.filter_map(|all| Some(scale(all, &wanted)? / scale(all, &own)?));
    let factor = factors.next().ok_or_else(|| format!("{own} is no {wanted}"))?;
    Ok(number * factor)
}

impl Unit {
    /// The names of the unit and of its multiples, each with the factor from what is recorded.
    fn scales(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Rate => &[("GB/s", 1.0), ("TB/s", 1e-3), ("MB/s", 1e3)],
            Self::Time => &[("ms", 1.0), ("µs", 1e3), ("ns", 1e6), ("s", 1e-3)],
            Self::Microseconds => &[("µs", 1.0), ("ns", 1e3), ("ms", 1e-3)],
            Self::Nanoseconds => &[("ns", 1.0), ("µs", 1e-3)],
            Self::Fraction => &[("%", 100.0)],
            Self::Ratio => &[("×", 1.0)],
            Self::None => &[],
        }
    }

    fn is_in(self, name: &str) -> bool {
        self.scales().iter().any(|(own, _)| *own == name)
    }
}

/// The units of which a count has none.
const EVERY: [Unit; 4] = [Unit::Rate, Unit::Time, Unit::Fraction, Unit::Ratio];

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
    } else if has("time_ms") || has("ceiling_ms") {
        Unit::Time
    } else if has("launch_us") {
        Unit::Microseconds
    } else if has("latency_ns") {
        Unit::Nanoseconds
    } else if has("fraction") || has("occupancy") {
        Unit::Fraction
    } else if has("ratio") || has(super::GAIN) {
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
    fn a_ceiling_is_a_time() {
        assert_eq!(value("ceiling_ms", &json!(0.0428)), "42.8\u{a0}µs");
    }

    #[test]
    fn a_ratio_that_noise_explains_is_no_number() {
        assert_eq!(value("baseline.ratio", &json!(1.0)), "equal");
        assert_eq!(value("baseline.ratio", &json!(1.004)), "1.00×");
        assert_eq!(value("baseline.ratio", &json!(1.006)), "1.01×");
        assert_eq!(value("baseline.ratio", &json!(2154.49)), "2,154×");
    }
}
