//! `{{#verdict}}`: what came of a prediction of the book, in words that follow *the prediction* in a sentence: `held`,
//! `missed by 12 %`, `was 18 times too high`. The rule is `crate::verdict`'s.
//!
//! ```text
//! {{#verdict}}                                   of the question that is open, or the last one before
//! {{#verdict ask=NAME}}                          of the question of this name on the page
//! {{#verdict predicted="1.3×" measured="gain kernel=b before=a n=2^28"}}
//! {{#verdict predicted="45" answer="45" unit="wavefronts"}}
//! ```
//!
//! A prediction is a number with its unit (`88 %`, `1.8×`, `45`), a range (`85..90 %`), a bound (`> 90 %`, `≥`, `<`, `≤`), or a
//! word where the answer is one. In place of a number may stand what it was predicted from, see `measured::quantity`:
//! `0.5 · [time_ms.median kernel=a n=2^28]`.

use super::ask::{Ask, Sought, given, pairs};
use crate::verdict::Prediction;

const USAGE: &str = "write {{#verdict}} behind an ask that has a prediction=\"…\", {{#verdict ask=ID}}, or \
                     {{#verdict predicted=\"…\" measured=\"FIELD KEY=VALUE …\"}}, or answer=\"…\" in place of measured";

/// A prediction of the book, and what it predicts.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) prediction: String,
    pub(crate) sought: Sought,
}

impl Judged {
    /// What the directive with these arguments judges, on a page that has had these questions.
    pub(super) fn parse(arguments: &str, asks: &[Ask]) -> Result<Self, String> {
        let [ask, predicted, measured, answer, unit] =
            pairs(arguments, ["ask", "predicted", "measured", "answer", "unit"], USAGE)?;
        let sought = match (measured, answer) {
            (None, None) if predicted.is_none() && unit.is_none() => return of_ask(ask, asks),
            (Some(value), None) => Sought::Measured { value, unit: unit.unwrap_or_default() },
            (None, Some(answer)) => given(answer, unit.as_deref())?,
            _ => return Err(USAGE.to_owned()),
        };
        match (predicted, ask) {
            (Some(prediction), None) => Ok(Self { prediction, sought }),
            _ => Err(USAGE.to_owned()),
        }
    }
}

/// What the question of this name, or the last one, judges.
fn of_ask(name: Option<String>, asks: &[Ask]) -> Result<Judged, String> {
    let is_meant = |ask: &&Ask| {
        name.as_ref().is_none_or(|name| ask.id.strip_prefix("ask-") == Some(name.as_str()))
    };
    let ask = asks.iter().rev().find(is_meant).ok_or_else(|| match &name {
        Some(name) => format!("no question before this verdict is called {name}"),
        None => format!("no question stands before this verdict: {USAGE}"),
    })?;
    let prediction = ask.prediction.clone();
    let prediction = prediction.ok_or_else(|| {
        let id = &ask.id;
        format!("the question {id} has no prediction that could hold: give it prediction=\"…\"")
    })?;
    Ok(Judged { prediction, sought: ask.sought.clone() })
}

/// The prediction that `text` states, whose numbers `number` reads; none while a draft waits for what they were predicted
/// from.
///
/// # Errors
/// If it is no prediction, or `number` has none.
pub(crate) fn read(
    text: &str,
    is_count: bool,
    number: impl Fn(&str) -> Result<Option<f64>, String>,
) -> Result<Option<Prediction>, String> {
    let text = text.trim();
    if let Some((least, most)) = text.split_once("..") {
        let ends = number(least)?.zip(number(most)?);
        return match ends {
            Some((least, most)) if least > most => Err(format!("{text} is no range: it goes down")),
            ends => Ok(ends.map(|(least, most)| Prediction::Range(least, most))),
        };
    }
    type Relation = fn(f64) -> Prediction;
    let relations: [(&str, Relation); 6] = [
        (">=", Prediction::AtLeast),
        ("≥", Prediction::AtLeast),
        (">", Prediction::MoreThan),
        ("<=", Prediction::AtMost),
        ("≤", Prediction::AtMost),
        ("<", Prediction::LessThan),
    ];
    let bound = relations.iter().find_map(|(sign, of)| Some((*of, text.strip_prefix(sign)?)));
    let exactly = if is_count { Prediction::Exactly } else { Prediction::About };
    let (of, text) = bound.unwrap_or((exactly, text));
    Ok(number(text)?.map(of))
}
