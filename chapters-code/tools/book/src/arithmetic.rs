//! Arithmetic that a page writes out is right: `4 · 132 = 528`, `224/2,370 = {{#predict 9 % of peak}}`,
//! `$8 \cdot 56 = 448$`, `132 · 8 KiB / 332 ns = 3,257 GB/s`. What can be computed from what stands there, numbers that
//! `{{#measured …}}` prints included, must come to what is printed, to its last digit. A comment may hold the equation:
//! `{{#predict 0.5 ms}}<!-- = 2 GiB / {{#measured ceilings.copy_gb_per_s}} -->`. Behind *about* and `≈`, zeros at a
//! number's end need not be digits.
//!
//! `{{#computed EXPRESSION in UNIT}}` prints what an expression comes to. It has the same numbers, units and signs,
//! and between brackets what the directive `measured` takes:
//! `{{#computed [time_ms.median kernel=gather n=2^8] / 7 in µs}}`.

mod tokens;
mod value;

use figures::number::{rate, thousands};

use crate::check::rates;
use crate::expand::calls;
use tokens::{Number, Token, UNITS, UNKNOWN, tokens};
use value::{Value, longest};

/// Directives whose text a reader reads.
const READ: [&str; 1] = ["predict"];

/// What is wrong in `text`: where it begins, and what it comes to. `measured` gives what a directive with such arguments prints.
pub(crate) fn faults(
    text: &str,
    measured: &dyn Fn(&str) -> Option<String>,
) -> Vec<(usize, String)> {
    let tokens = read(text, measured);
    let signs = (0..tokens.len()).filter(|at| is_equality(tokens[*at].1));
    signs.filter_map(|at| Equation::at(&tokens, at)).filter_map(|it| it.fault(text)).collect()
}

fn is_equality(token: Token) -> bool {
    matches!(token, Token::Equals | Token::Is | Token::About)
}

/// The tokens of a page, with the numbers of directives in their places.
fn read(text: &str, measured: &dyn Fn(&str) -> Option<String>) -> Vec<(usize, Token)> {
    let mut bytes = text.as_bytes().to_vec();
    for (range, is_inline) in rates::code(text) {
        blank(&mut bytes[range], is_inline);
    }
    let mut printed = Vec::new();
    for call in calls(text) {
        let (start, end) = (call.range.start, call.range.end);
        if READ.contains(&call.name()) {
            blank(&mut bytes[start..end - 2 - call.arguments().len()], false);
            blank(&mut bytes[end - 2..end], false);
            continue;
        }
        let is_value = ["measured", "computed"].contains(&call.name());
        blank(&mut bytes[start..end], is_value);
        if call.name() == "measured" {
            printed.extend(measured(call.arguments()).map(|text| (start, text)));
        }
    }
    // Whole characters have been blanked, never parts of one.
    let mut found = tokens(&String::from_utf8_lossy(&bytes));
    for (start, text) in printed {
        let at = found.binary_search_by_key(&start, |(place, _)| *place);
        if let (Ok(at), [(_, number @ Token::Number(_))]) = (at, &*tokens(&text)) {
            found[at].1 = *number;
        }
    }
    found
}

fn blank(bytes: &mut [u8], is_value: bool) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    if let (Some(first), true) = (bytes.first_mut(), is_value) {
        *first = UNKNOWN as u8;
    }
}

/// Two sides that are said to be equal.
struct Equation {
    start: usize,
    end: Option<usize>,
    sides: [(Value, Option<Number>); 2],
    is_about: bool,
}

impl Equation {
    /// The one around the sign `tokens[at]`, if both sides have a value.
    fn at(tokens: &[(usize, Token)], at: usize) -> Option<Self> {
        let is_end = |token: Token| is_equality(token) || token == Token::Boundary;
        let begin =
            tokens[..at].iter().rposition(|(_, token)| is_end(*token)).map_or(0, |at| at + 1);
        // An expression may stand in a parenthesis of the prose.
        let opened = tokens[begin..at].iter().take_while(|(_, token)| *token == Token::Open('('));
        let begins = begin..=begin + opened.count();
        let (begin, left) = begins.into_iter().find_map(|begin| {
            let (value, length) = longest(&tokens[begin..at])?;
            (begin + length == at).then_some((begin, value))
        })?;
        // Not *the floats near 10^8 are 8 apart*.
        let computes =
            |(_, token): &(usize, Token)| matches!(token, Token::Sign(sign) if *sign != '^');
        if tokens[at].1 == Token::Is && !tokens[begin..at].iter().any(computes) {
            return None;
        }
        let (right, length) = longest(&tokens[at + 1..])?;
        let end = at + 1 + length;
        let goes_on =
            |(_, token): &&(usize, Token)| matches!(token, Token::Unknown | Token::Sign(_));
        if tokens.get(end).filter(goes_on).is_some() {
            return None;
        }
        let sides = [(left, printed(&tokens[begin..at])), (right, printed(&tokens[at + 1..end]))];
        let is_about = tokens[at].1 == Token::About;
        Some(Self {
            start: tokens[begin].0,
            end: tokens.get(end).map(|(end, _)| *end),
            sides,
            is_about,
        })
    }

    /// What is wrong with it. Two numbers alone, as in *4 bytes are one*, say nothing.
    fn fault(&self, text: &str) -> Option<(usize, String)> {
        let [(left, left_printed), (right, right_printed)] = self.sides;
        let (computed, unit, is_right) = match (left_printed, right_printed) {
            (Some(_), Some(_)) => return None,
            (_, Some(printed)) => (left, printed.unit, self.is_printed(left, printed)),
            (Some(printed), _) => (right, printed.unit, self.is_printed(right, printed)),
            (None, None) => {
                (left, 1.0, (left.value - right.value).abs() <= 1e-6 * right.value.abs())
            }
        };
        let written = text[self.start..self.end.unwrap_or(text.len())].split_whitespace();
        let written = written.collect::<Vec<_>>().join(" ");
        let number = (computed.value / unit * 1e4).round() / 1e4;
        let message = || format!("`{written}` does not add up: it comes to {number}");
        (!is_right).then(|| (self.start, message()))
    }

    /// Whether `value` is printed as `printed`. If one of the two has no unit, it may be that of the other.
    fn is_printed(&self, value: Value, printed: Number) -> bool {
        let is = |unit: f64| {
            let (number, step) = (printed.value / unit, self.step(printed) / unit);
            (value.value - number).abs() <= step / 2.0 * (1.0 + 1e-6) + 1e-9 * number.abs()
        };
        is(1.0) || (value.dimension != printed.dimension && is(printed.unit))
    }

    /// What a printed number is rounded to.
    fn step(&self, printed: Number) -> f64 {
        let mut step = printed.last_digit;
        let ends_in_zero = |step: f64| (printed.value / (step * 10.0)).fract().abs() < 1e-9;
        while self.is_about && printed.value != 0.0 && ends_in_zero(step) {
            step *= 10.0;
        }
        step
    }
}

/// The number that a side of an equation is, if it is no more than a number: `33`, or `3.3 · 10^13`.
fn printed(side: &[(usize, Token)]) -> Option<Number> {
    let (number, scale) = match side {
        [(_, Token::Number(number))] => (number, 1.0),
        [(_, Token::Number(number)), (_, Token::Sign('*')), power @ ..] => {
            let is_ten = matches!(power, [(_, Token::Number(ten)), (_, Token::Sign('^')), ..] if ten.value == 10.0);
            let (scale, _) =
                longest(power).filter(|(_, length)| is_ten && *length == power.len())?;
            (number, scale.value)
        }
        _ => return None,
    };
    let [value, last_digit] = [number.value, number.last_digit].map(|part| part * scale);
    Some(Number { value, last_digit, ..*number })
}

/// What the directive `computed` with these arguments prints.
///
/// # Errors
/// If the expression has no value, or not in the unit.
pub(crate) fn computed(
    arguments: &str,
    measured: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let usage =
        "write {{#computed EXPRESSION in UNIT}}, with [FIELD KEY=VALUE …] for a recorded number";
    let (expression, unit) = arguments.rsplit_once(" in ").ok_or(usage)?;
    let mut waits = None;
    let text = filled(expression, |field| {
        let printed = measured(field)?;
        if !tokens(&printed).iter().any(|(_, token)| matches!(token, Token::Number(_))) {
            waits = Some(printed.clone()); // In a draft.
        }
        Ok(printed)
    })?;
    match waits {
        Some(printed) => Ok(printed),
        None => Ok(in_unit(evaluated(&text, unit)?, unit)),
    }
}

/// `expression` with what `number` gives for each field in brackets.
///
/// # Errors
/// Those of `number`, or a bracket that is not closed.
pub(crate) fn filled(
    expression: &str,
    mut number: impl FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = expression;
    while let Some((before, inside)) = rest.split_once('[') {
        let (field, behind) =
            inside.split_once(']').ok_or_else(|| format!("{expression} has a [ without a ]"))?;
        text.extend([before, &number(field)?]);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

/// The value of an expression of numbers, in a unit.
///
/// # Errors
/// If it has none, or not in the unit.
pub(crate) fn evaluated(text: &str, unit: &str) -> Result<f64, String> {
    let read = tokens(text);
    let whole = longest(&read).filter(|(_, length)| *length == read.len());
    let (value, _) = whole.ok_or_else(|| format!("{text} has no value"))?;
    let known = UNITS.iter().find(|(known, ..)| *known == unit);
    let (_, factor, dimension) = known.ok_or_else(|| format!("there is no unit {unit}"))?;
    if value.dimension != *dimension {
        return Err(format!("{text} is not in {unit}"));
    }
    Ok(value.value / factor)
}

fn in_unit(number: f64, name: &str) -> String {
    match name {
        "×" => format!("{number:.2}×"),
        "%" => format!("{number:.0}\u{a0}%"),
        "bytes" => format!("{}\u{a0}bytes", thousands(number.round() as u64)),
        _ => format!("{}\u{a0}{name}", rate(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::{computed, faults};

    fn found(text: &str) -> Vec<String> {
        let measured =
            |arguments: &str| (arguments == "latency_ns").then(|| "332\u{a0}ns".to_owned());
        faults(text, &measured).into_iter().map(|(_, message)| message).collect()
    }

    #[track_caller]
    fn refused(text: &str, comes_to: &str) {
        let found = found(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].ends_with(&format!("it comes to {comes_to}")), "{found:?}");
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        refused("so 4 · 132 = 529 blocks", "528");
        refused("so $4 \\cdot 132 = 529$ blocks", "528");
        refused("$2^{20} / 32 = 32{,}767$", "32768");
        refused("$$ \\begin{aligned} 2 \\cdot (5 \\cdot 8 + 1) + 1 &= 84 \\end{aligned} $$", "83");
        refused("half: $\\frac12 + \\tfrac{1}{4} = 0.74$", "0.75");
        refused("224/2,370 = {{#predict 10 % of peak}}", "9.4515");
        refused("That is {{#predict 2.0×}}: as 2,370/1,155.", "2.0519");
        refused("132 · 8 KiB / 332 ns = 3,200 GB/s", "3257.0602");
        refused("132 · 8 KiB / {{#measured latency_ns}} = {{#predict 3,200 GB/s}}", "3257.0602");
        refused(
            "{{#predict 3,200 GB/s}}<!-- = 132 · 8 KiB / {{#measured latency_ns}} -->",
            "3257.0602",
        );
        refused("132 times 8 KiB are 1.09 million bytes", "1.0813");
        refused("(Here 2 · 3 = 7.)", "6");
        refused("$\\lceil 1000/256 \\rceil = 3$ and 7 mod 3 = 1", "4");
        refused("rows are 11 + 14 = 7 · 2", "25");
        refused("$132 \\cdot 128 \\cdot 1.98 \\cdot 10^9 = 34 \\cdot 10^{12}$", "33454080000000");
        refused("4 · 33 ≈ 140", "132");
    }

    #[test]
    fn what_adds_up_passes_and_so_does_what_has_no_value() {
        for text in [
            "$n = 2^{20}$, so $n/32 = 32{,}768$ and $4\\,n = 12$",
            "$(4 + 7) + (5 + 9) = 11 + 14 = 25$",
            "$132 \\cdot 2{,}048 = 270{,}336$ threads",
            "4 · 33 ≈ 130, or about 130",
            "132 · 8 KiB / 332 ns = 3,257 GB/s",
            "{{#measured other}} · 2 = 5",
            "`a` + 2 = 5 and $x_2 + 1 = 7$",
            "4 bytes are 1 word, and a warp is 32 lanes",
            "The floats near $10^8$ are 8 apart, and $x$ is 2",
            "- 12/8 = {{#predict 1.5 times as long}}",
            "```text\n2 + 2 = 5\n```",
            "$-72 \\bmod 16 = 8$",
            "$1 - (63/64)^8 = 0.12$",
            "$132 \\cdot 128 \\cdot 1.98 \\cdot 10^9 = 33 \\cdot 10^{12}$",
            "$\\log_2 8 = 3$, $3! = 6$",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn an_expression_is_printed_in_its_unit() {
        let measured = |_: &str| Ok("137\u{a0}µs".to_owned());
        let printed =
            |text: &str| computed(text, &measured).map(|text| text.replace('\u{a0}', " "));
        assert_eq!(printed("[time_ms.median kernel=a] / 7 in µs").as_deref(), Ok("19.6 µs"));
        assert_eq!(printed("2 GiB / 4,000 GB/s in ms").as_deref(), Ok("0.537 ms"));
        assert_eq!(printed("[a] / 274 µs in ×").as_deref(), Ok("0.50×"));
        for wrong in ["2 + 2", "[a in µs", "[a] / 7 in GB/s", "2 + x in bytes", "2 bytes in acres"]
        {
            assert!(printed(wrong).is_err(), "{wrong}");
        }
    }
}
