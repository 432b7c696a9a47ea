//! The exercises, with what was passed.

use std::fmt::Write as _;

use anyhow::Result;
use console::style;
use report::terminal::{width, wrap, wrap_after};

use super::student::Student;
use crate::course::Course;

/// A line an exercise, by chapter, and what comes next.
pub fn list(course: &Course, student: &Student) -> Result<String> {
    let mut text = String::new();
    let mut chapter = 0;
    let longest = course.exercises.iter().map(|exercise| exercise.name.len()).max().unwrap_or(0);
    for exercise in &course.exercises {
        if exercise.chapter != chapter {
            chapter = exercise.chapter;
            writeln!(text, "\nChapter {chapter}")?;
        }
        let (mark, styled) = match student.has_passed(exercise) {
            true => ("✓", style("✓").green()),
            false => ("·", style("·").dim()),
        };
        let declaration = &exercise.declaration;
        let label = format!(
            "  {mark} {:<4} {:<longest$} {:>3} min  {:<8}  ",
            exercise.number(),
            exercise.name,
            declaration.minutes,
            declaration.form.name()
        );
        let row = wrap_after(&label, &declaration.title, width());
        text += &row.replacen(mark, &styled.to_string(), 1);
    }
    let passed = course.exercises.iter().filter(|e| student.has_passed(e)).count();
    writeln!(text, "\n{passed} of {} passed", course.exercises.len())?;
    if let Some(next) = student.next(course) {
        let (number, name, file) = (next.number(), &next.name, student.name(next));
        let next = format!(
            "Next: {number} {name}. Edit {file}, then `cargo exercise check {number}`, or let \
             `cargo exercise watch` check on every save. `cargo exercise task {number}` says what to do."
        );
        text += &wrap(&next, width(), 0);
    }
    Ok(text)
}
