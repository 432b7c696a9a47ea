//! Predictions against a run. No answer is written down anywhere: the kernel is compiled and run,
//! and its counts are what is right.

use anyhow::Result;
use serde::Deserialize;

use super::{
    Counted, Failure, Passed,
    bench::Bench,
    cost::{self, Wanted},
};
use crate::{
    course::{Declaration, Question},
    diagnosis::Diagnosis,
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
        if let Some(failure) = differs(answer, counted.value, question) {
            return Ok(Err(at_line(failure, sheet, question)));
        }
        passed.runs += 1;
        passed.counted.push(counted);
    }
    Ok(Ok(passed))
}

/// What a run counts, in answer to a question.
pub fn count(bench: &Bench, declaration: &Declaration, question: &Question) -> Result<Counted> {
    let case = cost::problem(question.at, None);
    let mut instance = declaration.operation.instance(&case);
    instance.dimensions.extend(question.with.clone());
    let ran = bench.run(&instance)?.map_err(|failure| anyhow::anyhow!(failure.seen))?;
    let wanted = Wanted { counter: &question.counter, per: question.per.as_deref() };
    let counters = ran.report.counters().unwrap_or_default();
    Ok(Counted {
        name: question.name.clone(),
        value: wanted.of(&counters, bench, &instance)?,
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

/// Whole counts must be met, ratios to two decimals.
fn differs(answer: f64, counted: f64, question: &Question) -> Option<Failure> {
    let near = if counted.fract() == 0.0 { 0.0 } else { 0.005 };
    if (answer - counted).abs() <= near {
        return None;
    }
    let how = match answer > counted {
        true => "more than",
        false => "fewer than",
    };
    let seen = format!("`{}`: {} is {how} the run counts", question.name, cost::short(answer));
    let mut failure = Failure::new(Diagnosis::Prediction, seen);
    failure.hint = Some(question.hint.clone());
    let factor = (answer / counted).max(counted / answer);
    let told = [
        (2.0, "loads and stores, or one of the two?"),
        (4.0, "bytes or 4-byte words?"),
        (8.0, "sectors of 32 bytes hold 8 words: sectors or words?"),
        (32.0, "a warp is 32 lanes: of threads or of warps?"),
    ];
    let told = told.iter().find(|(is, _)| (factor - is).abs() < 0.01);
    Some(match told {
        Some((factor, ask)) => failure.note(format!("you are out by a factor of {factor}: {ask}")),
        None => failure,
    })
}

fn at_line(mut failure: Failure, sheet: &str, question: &Question) -> Failure {
    let is_answer = |line: &str| {
        let rest = line.trim_start().strip_prefix(question.name.as_str());
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    if let Some(at) = sheet.lines().position(is_answer) {
        failure.places.push(super::Place { line: at + 1, who: String::new() });
    }
    failure
}
