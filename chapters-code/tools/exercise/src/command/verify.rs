//! For authors: does every exercise keep what it promises?

use std::time::Duration;

use anyhow::Result;
use console::style;
use report::terminal::print;

use super::{student::Submission, tell};
use crate::{
    author::{self, Specimen},
    check::{Job, Outcome, Supervisor, Target},
    course::{Course, Exercise},
};

/// Checks the submissions of one exercise, or of all, and prints a line for each, with the whole message if that is
/// wanted; false if a promise is not kept.
pub fn verify(course: &Course, text: Option<&str>, seed: u64, messages: bool) -> Result<bool> {
    super::setup::look()?;
    // An author's machine may check many at a time.
    let supervisor = Supervisor { time: Duration::from_secs(300), ..Supervisor::new()? };
    let mut right = true;
    let wanted = text.map(|text| course.find(text)).transpose()?;
    let all = course.exercises.iter();
    for exercise in all.filter(|exercise| wanted.is_none_or(|wanted| wanted.name == exercise.name))
    {
        print(&tell::heading(exercise, &exercise.name))?;
        let specimens = author::specimens(exercise)?;
        let seeded = |job| Job { seeds: vec![seed], ..job };
        let outcomes = author::examine(exercise, &specimens, &supervisor, seeded)?;
        for (specimen, outcome) in specimens.iter().zip(&outcomes) {
            right &= specimen.is_kept_by(outcome);
            print(&line(specimen, outcome))?;
            if messages {
                print(&message(exercise, specimen, outcome))?;
            }
        }
    }
    Ok(right)
}

fn line(specimen: &Specimen, outcome: &Outcome) -> String {
    let mark = match specimen.is_kept_by(outcome) {
        true => style("kept").green(),
        false => style("BROKEN").red().bold(),
    };
    let came = match outcome.failure() {
        None => "passes".to_owned(),
        Some(failure) => failure.diagnosis.to_string(),
    };
    let seconds = outcome.check_seconds;
    let promise = match specimen.is_kept_by(outcome) {
        true => String::new(),
        false => format!("  (promised: {:?})", specimen.promise),
    };
    format!("  {mark:<6} {:<42} {came:<18} {seconds:.2} s{promise}\n", specimen.name)
}

fn message(exercise: &Exercise, specimen: &Specimen, outcome: &Outcome) -> String {
    let submission = Submission {
        name: exercise.file_name(),
        bytes: specimen.source.clone().into_bytes(),
        skeleton: String::new(),
    };
    tell::outcome(exercise, &submission, Target::Simulator, outcome)
}
