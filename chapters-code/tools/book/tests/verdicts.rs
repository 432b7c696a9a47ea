//! Verdicts on predictions: computed from what is recorded or counted, and refused where nothing can be judged.

use book::{Strictness, build};

use crate::reading::{assert_refused, built, folder_with, page};

const RUN: &str = r#"{"device": {"name": "NVIDIA H200"}, "date": "2026-01-02", "ceilings": {"launch_us": 2.0}, "rows": [
    {"chapter": "chapter_1", "kernel": "slow", "n": 1024, "gb_per_s": 500.0, "time_ms": {"median": 0.25}},
    {"chapter": "chapter_1", "kernel": "fast", "n": 1024, "gb_per_s": 1250.0, "fraction_of_peak": 0.25,
     "registers": 24, "time_ms": {"median": 0.1}}
  ]}"#;

const ASK: &str = "{{#ask unit=\"% of peak\" question=\"How near will `fast` come?\" \
                   measured=\"fraction_of_peak kernel=fast n=2^10\" prediction=\"30 %\"}}\nThe prediction {{#verdict}}.\n{{#end}}\n";

fn files(text: &str) -> [(&'static str, &str); 3] {
    [
        ("book/SUMMARY.md", "- [One](chapter_1/one.md)\n"),
        ("book/measurements/h200.json", RUN),
        ("book/chapter_1/one.md", text),
    ]
}

/// The words of the first verdict of a page.
#[track_caller]
fn verdict(text: &str) -> String {
    let folder = built(&files(text)).expect("a sound book");
    let page = page(&folder, "chapter_1/one.html");
    let (_, rest) = page.split_once("<span class=\"verdict ").expect("a verdict");
    let (_, words) = rest.split_once('>').expect("a tag");
    words.split('<').next().unwrap_or_default().replace('\u{a0}', " ")
}

#[track_caller]
fn check(arguments: &str, words: &str) {
    assert_eq!(verdict(&format!("The prediction {{{{#verdict {arguments}}}}}.\n")), words);
}

#[test]
fn a_question_states_the_prediction_that_is_judged() {
    assert_eq!(verdict(ASK), "missed by 17 %");
    let later = format!("{}\nIt {{{{#verdict}}}}.\n", ASK.replace("{{#verdict}}", "is here"));
    assert_eq!(verdict(&later), "missed by 17 %");
    let other = "{{#ask unit=\"steps\" question=\"How many?\" answer=\"7\" prediction=\"7\" id=steps}}\n{{#end}}\n\n";
    assert_eq!(verdict(&format!("{other}{ASK}")), "missed by 17 %");
    let named = ASK.replace("{{#verdict}}", "{{#verdict ask=steps}}");
    assert_eq!(verdict(&format!("{other}{named}")), "held");
}

/// What judges a reader's number stands beside the question.
#[test]
fn a_question_has_what_judges_a_number() {
    let word = "\n{{#ask question=\"Yes?\" answer=\"yes\" prediction=\"no\"}}\nIt {{#verdict}}.\n{{#end}}\n";
    let folder = built(&files(&format!("{ASK}{word}"))).expect("a sound book");
    let page = page(&folder, "chapter_1/one.html");
    for expected in [
        "data-unit=\"% of peak\" data-prediction=\"30 %\" data-kind=\"measured\" data-value=\"25\"",
        "data-prediction=\"no\" data-kind=\"word\"",
        "<span class=\"verdict missed\">was wrong</span>",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

#[test]
fn a_verdict_has_a_prediction_of_its_own() {
    check("predicted=\"2.3×\" measured=\"gain kernel=fast before=slow n=2^10\"", "held");
    check(
        "predicted=\"1.0×\" measured=\"gain kernel=fast before=slow n=2^10\"",
        "was 2.5 times too low",
    );
    check(
        "predicted=\"0.05 ms\" measured=\"time_ms.median kernel=fast n=2^10\"",
        "was 2 times too low",
    );
    check("predicted=\"95 µs\" measured=\"time_ms.median kernel=fast n=2^10\"", "held");
    check("predicted=\"1.3 TB/s\" measured=\"gb_per_s kernel=fast n=2^10\"", "held");
    check(
        "predicted=\"27..30 %\" measured=\"fraction_of_peak kernel=fast n=2^10\"",
        "missed by 7.4 %",
    );
    check("predicted=\"> 20 %\" measured=\"fraction_of_peak kernel=fast n=2^10\"", "held");
    check(
        "predicted=\"≤ 80 %\" measured=\"fraction_of_peak kernel=fast n=2^10\"",
        "was true, but 3.2 times too high",
    );
    check("predicted=\"25\" measured=\"registers kernel=fast n=2^10\"", "missed by 1");
    check("predicted=\"1,024 steps\" answer=\"1,024\" unit=\"steps\"", "held");
    check("predicted=\"6 %\" answer=\"5.6\" unit=\"% of the keys\"", "held");
}

/// A prediction may be derived from what was measured before, and its value from several measurements.
#[test]
fn both_sides_may_be_derived_from_recordings() {
    let fast = "measured=\"time_ms.median kernel=fast n=2^10\"";
    check(
        &format!("predicted=\"0.5 · [time_ms.median kernel=slow n=2^10]\" {fast}"),
        "missed by 20 %",
    );
    check(
        &format!("predicted=\"0.5 · [time_ms.median kernel=slow n=2^10] - 20 µs\" {fast}"),
        "held",
    );
    check(&format!("predicted=\"98 µs + [ceilings.launch_us]\" {fast}"), "held");
    check(
        &format!("predicted=\"< time_ms.median kernel=slow n=2^10\" {fast}"),
        "was true, but 2.5 times too high",
    );
    let quotient =
        "measured=\"[time_ms.median kernel=slow n=2^10] / [time_ms.median kernel=fast n=2^10]\"";
    check(&format!("predicted=\"2.5×\" {quotient}"), "held");
    check(&format!("predicted=\"1\" {quotient}"), "was 2.5 times too low");
}

#[test]
fn a_verdict_on_nothing_is_refused() {
    let refused = |text: &str, message: &str| {
        assert_refused(&files(text), &format!("book/chapter_1/one.md:1: {message}"));
    };
    let fast = "measured=\"time_ms.median kernel=fast n=2^10\"";
    refused("It {{#verdict}}.", "no question stands before this verdict");
    refused("It {{#verdict ask=gone}}.", "no question before this verdict is called gone");
    refused("It {{#verdict predicted=\"3 ms\"}}.", "write {{#verdict}} behind an ask");
    refused(&format!("It {{{{#verdict {fast}}}}}."), "write {{#verdict}} behind an ask");
    refused("It {{#verdict of=\"3\"}}.", "there is no key of here");
    refused(&format!("It {{{{#verdict predicted=\"3 %\" {fast}}}}}."), "% is no ms");
    refused(
        &format!("It {{{{#verdict predicted=\"9..3 ms\" {fast}}}}}."),
        "9..3 ms is no range: it goes down",
    );
    refused(
        &format!("It {{{{#verdict predicted=\"gb_per_s kernel=slow n=2^10\" {fast}}}}}."),
        "the field gb_per_s is not in ms",
    );
    refused(
        &format!("It {{{{#verdict predicted=\"soon kernel=slow n=2^10\" {fast}}}}}."),
        "the recorded row has no field soon",
    );
    refused(
        "It {{#verdict predicted=\"3 tiles\" answer=\"3\" unit=\"steps\"}}.",
        "3 tiles is no number of steps",
    );
    let silent = ASK.replace(" prediction=\"30 %\"", "").replace('\n', " ");
    assert_refused(
        &files(&silent),
        "the question ask-fast-fraction_of_peak has no prediction that could hold",
    );
}

/// A draft waits for a recording; a book that is published does not.
#[test]
fn a_verdict_waits_for_its_recording() {
    let text = "The prediction {{#verdict predicted=\"3 ms\" measured=\"time_ms.median kernel=a n=2^4\"}}.\n";
    let files =
        [("book/SUMMARY.md", "- [One](chapter_1/one.md)\n"), ("book/chapter_1/one.md", text)];
    let folder = built(&files).expect("a draft");
    assert!(page(&folder, "chapter_1/one.html").contains("not recorded yet"));
    let folder = folder_with(&files);
    let error = build(folder.path(), None, Strictness::Strict).expect_err("a refusal");
    assert!(error.to_string().contains("nothing is recorded yet"), "{error}");
}
