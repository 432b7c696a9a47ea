//! Predictions against a run. No answer is written down anywhere: the kernel is compiled and run,
//! and its counts are what is right.

use anyhow::{Context, Result};
use harness::Input;
use serde::Deserialize;

use super::{Counted, Failure, Passed, bench::Bench, cost};
use crate::{
    course::{Declaration, Question},
    diagnosis::Diagnosis,
    operation::Case,
};

/// What a student typed.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Number(f64),
    Text(String),
}

/// Compares the answers with what a run counts.
///
/// # Errors
/// Outside, what no answer can do; inside, the first answer that is missing or wrong.
pub fn predict(
    bench: &Bench,
    declaration: &Declaration,
    sheet: &str,
) -> Result<Result<Passed, Failure>> {
    let answers: toml::Table = match toml::from_str(sheet) {
        Ok(answers) => answers,
        Err(error) => {
            return Ok(Err(Failure::new(Diagnosis::AnswerSheet, error.to_string())));
        }
    };
    let mut passed = Passed::default();
    for question in &declaration.question {
        let answer = match answer(&answers, question) {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(at_line(failure, sheet, question))),
        };
        let counted = count(bench, declaration, question)?;
        let first = declaration.launch.first().context("there is a launch")?.block()?;
        let warps = (first.0 * first.1 * first.2).div_ceil(32);
        if let Some(failure) = differs(answer, counted.value, question, warps) {
            return Ok(Err(at_line(failure, sheet, question)));
        }
        passed.runs += 1;
        passed.counted.push(counted);
    }
    Ok(Ok(passed))
}

/// What a run counts, in answer to a question.
pub fn count(bench: &Bench, declaration: &Declaration, question: &Question) -> Result<Counted> {
    let case = Case { shape: question.at, input: Input::Uniform, seed: 1 };
    let mut instance = declaration.operation.problem(&case);
    instance.dimensions.extend(question.with.clone());
    let ran = bench.run(&instance)?.map_err(|failure| anyhow::anyhow!(failure.seen))?;
    let counters = ran.report.counters().unwrap_or_default();
    Ok(Counted {
        name: question.name.clone(),
        value: cost::asked(question, &counters, bench, &instance)?,
        most: None,
    })
}

fn answer(answers: &toml::Table, question: &Question) -> Result<f64, Failure> {
    let unanswered = |seen: String| Failure::new(Diagnosis::Unanswered, seen);
    let Some(value) = answers.get(&question.name) else {
        return Err(unanswered(format!("`{}` is missing", question.name)));
    };
    let number = match value.clone().try_into() {
        Ok(Answer::Number(number)) => Some(number),
        Ok(Answer::Text(text)) => text.trim().replace(',', "").parse().ok(),
        Err(_) => None,
    };
    match number.filter(|number: &f64| number.is_finite()) {
        Some(number) => Ok(number),
        None => Err(unanswered(format!("`{}` is {value}, not a number", question.name))),
    }
}

/// Whole counts must be met, ratios to two decimals. A block has that many warps.
fn differs(answer: f64, counted: f64, question: &Question, warps: u32) -> Option<Failure> {
    let near = if counted.fract() == 0.0 { 0.0 } else { 0.005 };
    if (answer - counted).abs() <= near {
        return None;
    }
    let seen = format!("`{}`: {} is not what the run counts", question.name, cost::short(answer));
    let failure = Failure::new(Diagnosis::Prediction, seen).hint(&question.hint);
    let factor = (answer / counted).max(counted / answer);
    Some(match unit(factor, &question.counter, warps) {
        Some(ask) => failure.note(format!("you are out by a factor of {factor:.0}: {ask}")),
        None => failure,
    })
}

/// Which units may be mixed up where a count is wrong by a factor.
fn unit(factor: f64, counter: &str, warps: u32) -> Option<String> {
    let is = |wanted: f64| (factor - wanted).abs() < 0.01;
    let of_sectors = counter.ends_with("_sectors");
    match counter {
        _ if of_sectors && is(4.0) => Some("bytes or 4-byte words?".to_owned()),
        _ if of_sectors && is(8.0) => {
            Some("sectors of 32 bytes hold 8 words: sectors or words?".to_owned())
        }
        "shared_bank_conflicts" if is(2.0) => {
            Some("loads and stores, or one of the two?".to_owned())
        }
        _ if is(32.0) => Some("a warp is 32 lanes: threads or warps?".to_owned()),
        _ if warps > 1 && is(f64::from(warps)) => {
            Some(format!("a block has {warps} warps: once per warp, or once per block?"))
        }
        _ => None,
    }
}

fn at_line(failure: Failure, sheet: &str, question: &Question) -> Failure {
    let is_answer = |line: &str| {
        let rest = line.trim_start().strip_prefix(question.name.as_str());
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    failure.at(sheet.lines().position(is_answer).map(|at| at + 1))
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn units_are_those_of_the_counter() {
        let asked = |factor, counter| unit(factor, counter, 8).unwrap_or_default();
        assert!(asked(8.0, "barriers").contains("8 warps"));
        assert!(asked(8.0, "global_load_sectors").contains("sectors or words"));
        assert!(asked(32.0, "shared_store_requests").contains("threads or warps"));
        assert_eq!(unit(3.0, "barriers", 8), None);
        assert_eq!(unit(1.0, "barriers", 1), None);
    }
}
