//! Every exercise keeps what it promises: its skeleton compiles and fails, its solution and its
//! variants pass, its mutants are caught, each with its diagnosis.

use crate::common::{course, has_compiler, supervisor};
use exercise::{
    author::{self, Promise, Specimen},
    course::Exercise,
};

/// Submissions of all exercises keep their promises: those that `wanted` picks.
fn check_promises(wanted: fn(&Specimen) -> bool) {
    if !has_compiler() {
        return;
    }
    let mut broken = Vec::new();
    for exercise in &course().exercises {
        let mut specimens = author::specimens(exercise).expect("its files fit");
        specimens.retain(wanted);
        let outcomes = author::examine(exercise, &specimens, &supervisor()).expect("it is checked");
        for (specimen, outcome) in specimens.iter().zip(outcomes) {
            if !specimen.is_kept_by(&outcome) {
                let came = outcome.failure().map(|failure| (failure.diagnosis, &failure.seen));
                let (name, promise) = (&exercise.name, specimen.promise);
                broken.push(format!("{name}: {}: {promise:?}, but {came:?}", specimen.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Whether a submission is a mutant or a variant.
fn is_of_many(specimen: &Specimen) -> bool {
    ["mutant ", "variant "].iter().any(|kind| specimen.name.starts_with(kind))
}

#[test]
fn skeletons_fail_and_solutions_pass() {
    check_promises(|specimen| !is_of_many(specimen));
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_mutants_are_caught_and_variants_pass() {
    check_promises(is_of_many);
}

/// Exercises whose kernels students write.
fn with_kernels() -> Vec<Exercise> {
    let all = course().exercises.into_iter();
    all.filter(Exercise::has_kernel).collect()
}

#[test]
fn there_are_enough_mutants_and_variants() {
    for exercise in with_kernels() {
        let mutants = exercise.mutants().expect("they fit").len();
        let variants = exercise.variants().expect("they can be read").len();
        assert!(mutants >= 5, "{} has {mutants} mutants", exercise.name);
        assert!(variants >= 2, "{} has {variants} variants", exercise.name);
    }
}

#[test]
fn the_course_has_150_mutants() {
    let mutants = |exercise: &Exercise| exercise.mutants().expect("they fit").len();
    let count: usize = with_kernels().iter().map(mutants).sum();
    assert!(count >= 150, "there are {count}");
}

#[test]
fn each_chapter_has_five_exercises() {
    let course = course();
    let chapters: std::collections::BTreeSet<u32> =
        course.exercises.iter().map(|exercise| exercise.chapter).collect();
    for chapter in chapters {
        let count = course.exercises.iter().filter(|e| e.chapter == chapter).count();
        assert!(count >= 5, "chapter {chapter} has {count}");
    }
}

/// A file that is kept twice would be a variant that is the solution, or a mutant that is none.
#[test]
fn nothing_is_there_twice() {
    for exercise in with_kernels() {
        let specimens = author::specimens(&exercise).expect("its files fit");
        for (at, one) in specimens.iter().enumerate() {
            for other in &specimens[..at] {
                let (a, b) = (&one.name, &other.name);
                assert_ne!(one.source, other.source, "{}: {a} and {b}", exercise.name);
                assert_ne!(a, b, "{}", exercise.name);
            }
        }
    }
}

#[test]
fn what_is_to_be_read_is_in_the_book() {
    let book = exercise::workspace().join("book");
    for exercise in &course().exercises {
        let own = exercise.declaration.advice.values();
        let sections = own.filter_map(|advice| advice.read.as_ref());
        for section in sections.chain([&exercise.declaration.read]) {
            check_section(&book, section);
        }
    }
    for diagnosis in exercise::diagnosis::Diagnosis::ALL {
        if !diagnosis.section().is_empty() {
            check_section(&book, diagnosis.section());
        }
    }
}

fn check_section(book: &std::path::Path, section: &str) {
    let (page, anchor) = section.split_once('#').unwrap_or((section, ""));
    let text = std::fs::read_to_string(book.join(page)).unwrap_or_default();
    assert!(!text.is_empty(), "there is no page {page}");
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let found = headings.map(|heading| anchor_of(heading.trim_start_matches('#')));
    assert!(anchor.is_empty() || found.into_iter().any(|is| is == anchor), "no {section}");
}

/// As mdBook makes it of a heading.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The checker must be able to fail: a solution that is promised to fail is a broken promise.
#[test]
fn a_broken_promise_is_seen() {
    if !has_compiler() {
        return;
    }
    let exercise = &with_kernels()[0];
    let mut specimens = author::specimens(exercise).expect("its files fit");
    specimens.truncate(2);
    specimens[0].promise = Promise::Passes;
    specimens[1].promise = Promise::Fails;
    let outcomes = author::examine(exercise, &specimens, &supervisor()).expect("it is checked");
    for (specimen, outcome) in specimens.iter().zip(&outcomes) {
        assert!(!specimen.is_kept_by(outcome), "{}", specimen.name);
    }
}
