//! Kernels as people write them: wrong ones, which must be refused for what is wrong with them, and right
//! ones in unusual styles, which must pass. Each is a file with a first line that says so.
//!
//! `// exercise 1.6: missing-fence|lost-update, "counter"` is one of `attacks/`: one of these diagnoses
//! must come of it, and the message must hold the text. `// exercise 1.6` is one of `right/`.

use std::{fs, path::Path};

use exercise::{
    check::{Job, Outcome, Target, WEAK_SEEDS},
    course::Course,
};
use rayon::prelude::*;

use crate::common::{MANY_WEAK_SEEDS, course, has_compiler, supervisor};

/// A file of the corpus.
struct Kernel {
    name: String,
    source: String,
    exercise: String,
    /// The diagnoses that are right, and what the message must hold; nothing if it must pass.
    wrong: Option<(Vec<String>, String)>,
}

/// The kernels of a folder, in the order of their names.
fn kernels(folder: &str) -> Vec<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let mut kernels: Vec<Kernel> = entries
        .map(|entry| {
            let path = entry.expect("it is a file").path();
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            kernel(name, fs::read_to_string(&path).expect("it is text"))
        })
        .collect();
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    kernels
}

fn kernel(name: String, source: String) -> Kernel {
    let head = source.lines().next().and_then(|line| line.strip_prefix("// exercise "));
    let head = head.unwrap_or_else(|| panic!("{name}: the first line names no exercise"));
    let (exercise, wrong) = match head.split_once(": ") {
        None => (head, None),
        Some((exercise, said)) => {
            let (diagnoses, text) = said.split_once(", ").expect("a text follows the diagnoses");
            let diagnoses = diagnoses.split('|').map(str::to_owned).collect();
            (exercise, Some((diagnoses, text.trim_matches('"').to_owned())))
        }
    };
    Kernel { exercise: exercise.to_owned(), wrong, name, source: source.clone() }
}

impl Kernel {
    /// What is wrong with the kernel's outcome, if anything is. A kernel that is right also runs with `weak_seeds` seeds of
    /// weak memory.
    fn objection(&self, course: &Course, weak_seeds: u64) -> Option<String> {
        let exercise = course.find(&self.exercise).expect("there is the exercise");
        let job = Job::new(exercise, self.source.clone(), "kernel.cu", Target::Simulator);
        let outcome = supervisor().check(Job { weak_seeds, ..job }).expect("it is checked");
        let is_right = match (&self.wrong, outcome.failure()) {
            (None, failure) => failure.is_none(),
            (Some(_), None) => false,
            (Some((diagnoses, text)), Some(failure)) => {
                let diagnosis = failure.diagnosis.to_string();
                diagnoses.contains(&diagnosis) && said(&outcome).contains(text)
            }
        };
        let (name, wanted) = (&self.name, &self.wrong);
        (!is_right).then(|| format!("{name}: wanted {wanted:?}, but {}", said(&outcome)))
    }
}

/// Everything that is said of a failure, in one text.
fn said(outcome: &Outcome) -> String {
    outcome.failure().map_or("it passes".to_owned(), |failure| {
        format!("{}: {} {}", failure.diagnosis, failure.seen, failure.notes.join(" "))
    })
}

/// Checks kernels, as many at a time as there are cores.
fn check(kernels: &[Kernel], weak_seeds: u64) {
    if !has_compiler() {
        return;
    }
    let course = course();
    let objections: Vec<String> =
        kernels.par_iter().filter_map(|kernel| kernel.objection(&course, weak_seeds)).collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

/// Some that are quick and of different kinds: the normal run has seen each way to fail.
const QUICK: [&str; 9] = [
    "1_1_one_thread",
    "1_3_active_mask",
    "1_5_atomics_for_loads",
    "1_6_block_atomic",
    "1_6_no_fence",
    "2_4_signed_key",
    "4_4_only_ones",
    "6_2_leaves_the_old_size_out",
    "7_6_known_time_step",
];

#[test]
fn some_wrong_kernels_are_refused() {
    let mut wrong = kernels("attacks");
    wrong.retain(|kernel| QUICK.contains(&kernel.name.as_str()));
    assert_eq!(wrong.len(), QUICK.len());
    check(&wrong, WEAK_SEEDS);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_wrong_kernels_are_refused() {
    check(&kernels("attacks"), WEAK_SEEDS);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_right_kernels_pass() {
    check(&kernels("right"), MANY_WEAK_SEEDS);
}

/// A kernel in which one lane does it all is tried on every exercise, and is refused.
#[test]
fn the_corpus_is_large_and_of_all_kinds() {
    let (wrong, right) = (kernels("attacks"), kernels("right"));
    assert!(wrong.len() >= 60 && right.len() >= 30, "{} and {}", wrong.len(), right.len());
    assert!(wrong.iter().all(|kernel| kernel.wrong.is_some()));
    assert!(right.iter().all(|kernel| kernel.wrong.is_none()));
    for exercise in course().exercises.iter().filter(|exercise| exercise.has_kernel()) {
        let is_tried = |kernel: &Kernel| {
            let costs = |(diagnoses, _): &(Vec<String>, _)| diagnoses.iter().any(|d| d == "cost");
            kernel.exercise == exercise.number() && kernel.wrong.as_ref().is_some_and(costs)
        };
        assert!(wrong.iter().any(is_tried), "no cost is tried on {}", exercise.name);
    }
}

/// Returns the notes on a kernel of `right/`, which passes; none without a compiler.
fn notes_on(name: &str) -> Option<Vec<String>> {
    if !has_compiler() {
        return None;
    }
    let all = kernels("right");
    let kernel = all.iter().find(|kernel| kernel.name == name).expect("it is there");
    let course = course();
    let exercise = course.find(&kernel.exercise).expect("there is the exercise");
    let job = Job::new(exercise, kernel.source.clone(), "kernel.cu", Target::Simulator);
    let outcome = supervisor().check(job).expect("it is checked");
    let passed = outcome.verdict.as_ref().unwrap_or_else(|_| panic!("{}", said(&outcome)));
    Some(passed.notes.clone())
}

/// The Programming Guide's last block has no fence on the side that reads: right on GPUs, and not promised
/// by PTX. The verdict says so.
#[test]
fn a_barrier_in_place_of_a_fence_is_noted() {
    let Some(notes) = notes_on("1_6_programming_guide") else { return };
    assert!(notes.iter().any(|note| note.contains("does not promise")), "{notes:?}");
    assert_eq!(notes_on("1_6_volatile_with_fences"), Some(Vec::new()));
}
