//! Every exercise keeps what it promises: its skeleton compiles and fails, its solution and its
//! variants pass, its mutants are caught, each with its diagnosis.

use crate::common::{MANY_WEAK_SEEDS, course, has_compiler, supervisor};
use exercise::{
    author::{self, Promise, Specimen},
    check::{Job, SMALL, Target, WEAK_SEEDS, trials},
    course::Exercise,
    diagnosis::Diagnosis,
};
use rayon::prelude::*;

/// Submissions of all exercises keep their promises, on sizes of at most so many elements: those that
/// `wanted` picks.
fn check_promises(wanted: fn(&Specimen) -> bool, max_elements: Option<u64>, weak_seeds: u64) {
    if !has_compiler() {
        return;
    }
    let broken = |exercise: &Exercise| broken_promises(exercise, wanted, max_elements, weak_seeds);
    let broken: Vec<String> = course().exercises.par_iter().flat_map(broken).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The promises of an exercise that are not kept.
fn broken_promises(
    exercise: &Exercise,
    wanted: fn(&Specimen) -> bool,
    max_elements: Option<u64>,
    weak_seeds: u64,
) -> Vec<String> {
    let mut specimens = author::specimens(exercise).expect("its files fit");
    specimens.retain(wanted);
    let limited = |job| Job { max_elements, weak_seeds, ..job };
    let outcomes = author::examine(exercise, &specimens, &supervisor(), limited);
    let outcomes = outcomes.expect("it is checked");
    let pairs = specimens.iter().zip(&outcomes);
    let broken = pairs.filter(|(specimen, outcome)| !specimen.is_kept_by(outcome));
    let named = broken.map(|(specimen, outcome)| {
        let came = outcome.failure().map(|failure| (failure.diagnosis, &failure.seen));
        let (name, promise) = (&exercise.name, specimen.promise);
        format!("{name}: {}: {promise:?}, but {came:?}", specimen.name)
    });
    named.collect()
}

/// Whether a submission is a mutant or a variant.
fn is_of_many(specimen: &Specimen) -> bool {
    ["mutant ", "variant "].iter().any(|kind| specimen.name.starts_with(kind))
}

/// The exhaustive test below takes the large sizes, too.
#[test]
fn skeletons_fail_and_solutions_pass() {
    check_promises(|specimen| !is_of_many(specimen), Some(SMALL), WEAK_SEEDS);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_promises_are_kept() {
    check_promises(|_| true, None, MANY_WEAK_SEEDS);
}

/// Exercises that are not run on 2^20 elements, and why.
const SMALLER: [(&str, &str); 10] = [
    ("off_by_one", "it is for one warp"),
    ("no_lane_waits", "it takes many instructions per element"),
    ("look_back", "it takes many instructions per element, with weak memory more"),
    ("one_atomic_a_block", "all its kinds of input are large once"),
    ("staged", "all its kinds of input are large once"),
    ("swizzle", "it takes many instructions per element"),
    ("forgotten_flag", "it takes many instructions per element"),
    ("border", "it takes many instructions per element"),
    ("rows_by_index", "its sizes count rows of 16 elements"),
    ("particles", "its sizes count records of 7 elements"),
];

/// An index of 16 bits, or a grid of a fixed size, shows on none of the small sizes.
#[test]
fn every_exercise_has_a_large_size() {
    for exercise in with_kernels() {
        let job = Job::new(&exercise, String::new(), "kernel.cu", Target::Simulator);
        let trials = trials(&exercise.declaration, &job).expect("there are sizes");
        let most = trials.iter().map(|trial| trial.case.shape.elements()).max();
        let is_smaller = SMALLER.iter().any(|(name, _)| *name == exercise.name);
        assert_ne!(most >= Some(1 << 20), is_smaller, "{}: {most:?}", exercise.name);
    }
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
    let everywhere = Diagnosis::ALL.iter().filter_map(|diagnosis| diagnosis.advice());
    for section in everywhere.filter_map(|advice| advice.read.as_ref()) {
        check_section(&book, section);
    }
    for exercise in &course().exercises {
        let own = exercise.declaration.advice.values();
        let sections = own.filter_map(|advice| advice.read.as_ref());
        for section in sections.chain([&exercise.declaration.read]) {
            check_section(&book, section);
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
    let outcomes = author::examine(exercise, &specimens, &supervisor(), |job| job);
    let outcomes = outcomes.expect("it is checked");
    for (specimen, outcome) in specimens.iter().zip(&outcomes) {
        assert!(!specimen.is_kept_by(outcome), "{}", specimen.name);
    }
}
