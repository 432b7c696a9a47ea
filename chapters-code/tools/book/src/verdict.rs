//! What came of a prediction, by one rule for the whole book, for the book's own predictions and for a reader's.
//!
//! The rule compares unrounded numbers: what a page shows after rounding never decides.
//!
//! | prediction | holds if |
//! | --- | --- |
//! | a number, of what is measured | the measured number differs by at most 10 % of the predicted one |
//! | a number, of what is counted | it is the count |
//! | a range | it contains the value, its ends included |
//! | at least, at most, more than, less than | it is true, and the value is within a factor of two of the bound |
//! | a word | it is the answer |

use figures::number::thousands;

/// What a measured number may differ by, as a part of the predicted one.
pub const TOLERANCE: f64 = 0.1;

/// How far from its bound a one-sided prediction may lie, as a factor.
pub const REACH: f64 = 2.0;

/// What two numbers may differ by for being written in binary: 0.77 is one tenth more than 0.7.
const ROUNDING: f64 = 1e-12;

/// A prediction of a number. Its numbers and the value that it is compared with have one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prediction {
    /// A measured number.
    About(f64),
    /// A count.
    Exactly(f64),
    /// From the first number to the second, both included.
    Range(f64, f64),
    /// Greater than a bound.
    MoreThan(f64),
    /// Greater than a bound or equal to it.
    AtLeast(f64),
    /// Less than a bound.
    LessThan(f64),
    /// Less than a bound or equal to it.
    AtMost(f64),
}

/// What came of a prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It held.
    Held,
    /// The value differs by this part of the predicted number, or of the end or bound that it lies beyond.
    Off(f64),
    /// The count differs by this many.
    Miscounted(f64),
    /// The prediction is this many times the value: more than two, or infinity if there is no such number.
    TooHigh(f64),
    /// The value is this many times the prediction: more than two, or infinity if there is no such number.
    TooLow(f64),
    /// A lower bound that is true, and the value is this many times the bound.
    TrueButTooLow(f64),
    /// An upper bound that is true, and it is this many times the value.
    TrueButTooHigh(f64),
    /// A word that is not the answer.
    Wrong,
}

/// Judges a prediction of a number by the value that was measured or counted, by the rule above. Both have the same unit and
/// are not rounded. The source of the rule is the book's introduction, which states it for readers.
pub fn judge(prediction: Prediction, value: f64) -> Verdict {
    use Prediction::{About, AtLeast, AtMost, Exactly, LessThan, MoreThan, Range};
    match prediction {
        About(number) if (value - number).abs() <= TOLERANCE * number.abs() * (1.0 + ROUNDING) => {
            Verdict::Held
        }
        About(number) => off(number, value),
        Exactly(count) if is_same(count, value) => Verdict::Held,
        Exactly(count) => match off(count, value) {
            Verdict::Off(_) => Verdict::Miscounted((value - count).abs()),
            far => far,
        },
        Range(least, _) if value < least && !is_same(least, value) => off(least, value),
        Range(_, most) if value > most && !is_same(most, value) => off(most, value),
        Range(..) => Verdict::Held,
        MoreThan(bound) if is_same(bound, value) || value < bound => off(bound, value),
        AtLeast(bound) if !is_same(bound, value) && value < bound => off(bound, value),
        LessThan(bound) if is_same(bound, value) || value > bound => off(bound, value),
        AtMost(bound) if !is_same(bound, value) && value > bound => off(bound, value),
        MoreThan(bound) | AtLeast(bound) => match ratio(value, bound) {
            far if far > REACH => Verdict::TrueButTooLow(far),
            _ => Verdict::Held,
        },
        LessThan(bound) | AtMost(bound) => match ratio(bound, value) {
            far if far > REACH => Verdict::TrueButTooHigh(far),
            _ => Verdict::Held,
        },
    }
}

/// Judges a prediction in words by the answer; capital letters do not matter.
pub fn judge_words(prediction: &str, answer: &str) -> Verdict {
    match prediction.trim().to_lowercase() == answer.trim().to_lowercase() {
        true => Verdict::Held,
        false => Verdict::Wrong,
    }
}

/// How a value lies beside a predicted number that it does not agree with.
fn off(number: f64, value: f64) -> Verdict {
    let is_comparable = number != 0.0 && value != 0.0 && (number > 0.0) == (value > 0.0);
    match (is_comparable, value < number) {
        (false, true) => Verdict::TooHigh(f64::INFINITY),
        (false, false) => Verdict::TooLow(f64::INFINITY),
        (true, true) if ratio(number, value) >= REACH => Verdict::TooHigh(ratio(number, value)),
        (true, false) if ratio(value, number) >= REACH => Verdict::TooLow(ratio(value, number)),
        (true, _) => Verdict::Off((value - number).abs() / number.abs()),
    }
}

fn ratio(value: f64, of: f64) -> f64 {
    match of == 0.0 {
        true if value == 0.0 => 1.0,
        true => f64::INFINITY,
        false => value / of,
    }
}

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

impl Verdict {
    /// Whether the prediction held.
    pub fn is_held(self) -> bool {
        self == Self::Held
    }

    /// What follows *the prediction* in a sentence: `held`, `missed by 12 %`, `was 18 times too high`.
    pub fn words(self) -> String {
        match self {
            Self::Held => "held".to_owned(),
            Self::Off(part) => format!("missed by {}", percent(part)),
            Self::Miscounted(count) => format!("missed by {}", plain(count)),
            Self::TooHigh(f64::INFINITY) => "was too high".to_owned(),
            Self::TooLow(f64::INFINITY) => "was too low".to_owned(),
            Self::TooHigh(factor) => format!("was {} times too high", times(factor)),
            Self::TooLow(factor) => format!("was {} times too low", times(factor)),
            Self::TrueButTooLow(f64::INFINITY) => "was true, but far too low".to_owned(),
            Self::TrueButTooHigh(f64::INFINITY) => "was true, but far too high".to_owned(),
            Self::TrueButTooLow(factor) => {
                format!("was true, but {} times too low", times(factor))
            }
            Self::TrueButTooHigh(factor) => {
                format!("was true, but {} times too high", times(factor))
            }
            Self::Wrong => "was wrong".to_owned(),
        }
    }

    /// The words as HTML, with a class that says whether the prediction held.
    pub fn html(self) -> String {
        let class = if self.is_held() { "held" } else { "missed" };
        let words = self.words().replace(" %", "\u{a0}%");
        format!("<span class=\"verdict {class}\">{words}</span>")
    }
}

/// A part in percent, which does not look like the tolerance itself.
fn percent(part: f64) -> String {
    let number = part * 100.0;
    match number {
        ..0.05 => "less than 0.1 %".to_owned(),
        ..9.95 => format!("{} %", decimals(number, 1)),
        _ => format!("{} %", apart(number, TOLERANCE * 100.0, 0)),
    }
}

/// A factor, which does not look like the reach itself unless it is that.
fn times(factor: f64) -> String {
    match factor {
        ..9.95 => apart(factor, REACH, 1),
        _ => thousands(factor.round() as u64),
    }
}

/// A number with as few decimals as distinguish it from `other`, but at least `least`.
fn apart(number: f64, other: f64, least: usize) -> String {
    let mut texts = (least..=6).map(|places| decimals(number, places));
    let is_other = |text: &String| is_same(number, other) || text.parse() != Ok(other);
    texts.clone().find(is_other).or(texts.next_back()).unwrap_or_default()
}

/// A number with this many decimals, without zeros at their end.
fn decimals(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A count, or a mean of counts.
fn plain(count: f64) -> String {
    match count.fract() == 0.0 {
        true => thousands(count as u64),
        false => decimals(count, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::Prediction::{About, AtLeast, AtMost, Exactly, LessThan, MoreThan, Range};
    use super::{Prediction, judge, judge_words};

    #[track_caller]
    fn check(prediction: Prediction, value: f64, words: &str) {
        let verdict = judge(prediction, value);
        assert_eq!(verdict.words(), words, "{prediction:?}, {value}");
        assert_eq!(verdict.is_held(), words == "held");
    }

    #[test]
    fn what_is_measured_holds_within_a_tenth_of_the_prediction() {
        for number in [0.7, 0.9, 1.0, 1.8, 3.0, 57.0, 88.0, 4_321.0] {
            check(About(number), number, "held");
            check(About(number), number * 1.1, "held");
            check(About(number), number * 0.9, "held");
            check(About(number), number * 1.1001, "missed by 10.01 %");
            check(About(number), number * 0.8999, "missed by 10.01 %");
        }
    }

    /// Of these the theme's script gives the same words for a reader's number (`.ci/browser/asks.test.mjs`).
    #[test]
    fn single_numbers() {
        let cases =
            include_str!("../tests/verdicts.tsv").lines().filter(|line| !line.starts_with('#'));
        for case in cases {
            let [kind, predicted, value, words] =
                case.split('\t').collect::<Vec<_>>().try_into().expect("four columns");
            let [predicted, value] = [predicted, value].map(|text| text.parse().expect("a number"));
            let prediction = if kind == "count" { Exactly(predicted) } else { About(predicted) };
            check(prediction, value, words);
        }
    }

    #[test]
    fn a_bound_of_zero_has_no_multiple() {
        check(LessThan(0.0), 0.0, "was too low");
        check(MoreThan(0.0), 3.0, "was true, but far too low");
        check(LessThan(3.0), 0.0, "was true, but far too high");
    }

    #[test]
    fn a_range_holds_if_it_contains_the_value() {
        for value in [85.0, 87.0, 90.0, 0.85 * 100.0] {
            check(Range(85.0, 90.0), value, "held");
        }
        check(Range(85.0, 90.0), 84.99, "missed by less than 0.1 %");
        check(Range(85.0, 90.0), 84.0, "missed by 1.2 %");
        check(Range(85.0, 90.0), 99.0, "missed by 10 %");
        check(Range(85.0, 90.0), 30.0, "was 2.8 times too high");
        check(Range(85.0, 90.0), 270.0, "was 3 times too low");
    }

    #[test]
    fn a_bound_is_true_and_within_a_factor_of_two() {
        check(MoreThan(45.0), 45.1, "held");
        check(MoreThan(45.0), 90.0, "held");
        check(MoreThan(45.0), 90.01, "was true, but 2.0002 times too low");
        check(MoreThan(45.0), 45.0, "missed by less than 0.1 %");
        check(AtLeast(45.0), 45.0, "held");
        check(AtLeast(57.0), 0.57 * 100.0, "held");
        check(MoreThan(45.0), 40.0, "missed by 11 %");
        check(LessThan(2.0), 1.0, "held");
        check(LessThan(2.0), 0.99, "was true, but 2.02 times too high");
        check(LessThan(2.0), 2.0, "missed by less than 0.1 %");
        check(AtMost(2.0), 2.0, "held");
        check(LessThan(2.0), 5.0, "was 2.5 times too low");
    }

    #[test]
    fn a_word_is_the_answer_or_wrong() {
        assert!(judge_words("Yes ", "yes").is_held());
        assert_eq!(judge_words("no", "yes").words(), "was wrong");
        let html = judge(About(1.0), 1.5).html();
        assert_eq!(html, "<span class=\"verdict missed\">missed by 50\u{a0}%</span>");
        assert!(judge(About(1.0), 1.0).html().contains("class=\"verdict held\""));
    }
}
