//! The exercises, with what was passed.

use std::fmt::Write as _;

use anyhow::Result;
use console::style;

use super::student::Student;
use crate::course::Course;

/// A line an exercise, by chapter, and what comes next.
pub fn list(course: &Course, student: &Student) -> Result<String> {
    let mut text = String::new();
    let mut chapter = 0;
    for exercise in &course.exercises {
        if exercise.chapter != chapter {
            chapter = exercise.chapter;
            writeln!(text, "\nChapter {chapter}")?;
        }
        let mark = match student.has_passed(exercise) {
            true => style("✓").green().to_string(),
            false => style("·").dim().to_string(),
        };
        let declaration = &exercise.declaration;
        writeln!(
            text,
            "  {mark} {:<4} {:<22} {:>3} min  {:<8}  {}",
            exercise.number(),
            exercise.name,
            declaration.minutes,
            declaration.form.name(),
            declaration.title
        )?;
    }
    let passed = course.exercises.iter().filter(|e| student.has_passed(e)).count();
    writeln!(text, "\n{passed} of {} passed", course.exercises.len())?;
    if let Some(next) = student.next(course) {
        let path = student.path(next);
        let path = path.strip_prefix(std::env::current_dir()?).unwrap_or(&path);
        writeln!(
            text,
            "Next: {} {}. Edit {}, then `cargo exercise check {}`, or let\n`cargo exercise watch` check on every save.",
            next.number(),
            next.name,
            path.display(),
            next.number()
        )?;
    }
    Ok(text)
}
