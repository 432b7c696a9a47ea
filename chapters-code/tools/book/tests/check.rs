//! Each check refuses what it is for, with the line, and lets the rest pass.

use std::path::Path;

use book::Problem;
use book::check::{Page, check_for_release, check_page};

/// The problems of a page with this text, in a folder with `kernel.cu`, as "line: message".
fn problems(text: &str) -> Vec<String> {
    found_by(check_page, text)
}

fn found_by(check: fn(&Page<'_>) -> Vec<Problem>, text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = "before\n// ANCHOR: body\ninside\n// ANCHOR_END: body\n// ANCHOR: open\n";
    std::fs::write(folder.path().join("kernel.cu"), kernel).expect("a file");
    let page = Page {
        name: Path::new("book/page.md"),
        folder: folder.path(),
        source: folder.path(),
        text,
    };
    check(&page).iter().map(|p| format!("{}: {}", p.line, p.message)).collect()
}

#[test]
fn a_sound_page_passes() {
    let text = "# Title\n\n```cpp\n{{#include kernel.cu:body}}\n```\n\n$n \\log n$\n\n\
                $$\\sum_{i=0}^{n-1} x_i$$\n\n[code](kernel.cu), [web](https://example.org)\n\n\
                ```text\nfree text\n```\n";
    assert_eq!(problems(text), Vec::<String>::new());
}

#[test]
fn what_a_page_must_not_have_is_refused_with_its_line() {
    for (text, line, message) in [
        ("one\n\n{{#include missing.cu:body}}\n", 3, "cannot include missing.cu"),
        ("{{#include kernel.cu:absent}}", 1, "`ANCHOR: absent`"),
        ("\n{{#include kernel.cu:open}}", 2, "`ANCHOR_END: open`"),
        ("{{#include kernel.cu:1:3}}", 1, "by an anchor"),
        ("a\n{{#include kernel.cu", 2, "not closed"),
        ("text\n\n```cpp\nint x;\n```\n", 4, "never typed"),
        ("~~~cpp\nint x;\n~~~\n", 2, "never typed"),
        ("see\n[this](nowhere.md#part)\n", 2, "nowhere.md"),
        ("[up](../)\n", 1, "leaves the book: ../"),
        ("`a\nb` and [this](nowhere.md), `c\n", 2, "nowhere.md"),
        ("fine: $x$\n\nbad: $\\frac{1}$\n", 3, "KaTeX rejects `\\frac{1}`"),
        ("$x$ and $x$\n\n$$\n\\nosuchmacro\n$$\n", 3, "KaTeX rejects"),
        ("a\n\n```\nx\n```\n", 3, "does not say its language"),
        ("a\n\n~~~\nx\n~~~\n", 3, "does not say its language"),
        ("a\n\n    x = 1\n", 3, "between fences"),
        ("a\n\n```sass\nx\n```\n", 3, "not coloured as `sass`"),
        ("~~~output,ignore\nx\n~~~\n", 1, "not coloured as `output`"),
        ("text\n\n| a | | c |\n| --- | --- | --- |\n| 1 | | 3 |\n", 3, "has no heading"),
        ("| a |\n| --- |\n\n||b|\n|-|-|\n", 4, "has no heading"),
    ] {
        let found = problems(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(&format!("{line}: ")), "{found:?}");
        assert!(found[0].contains(message), "{found:?}");
    }
    let lambdas = "`[&](a)`, ``[&](`)``\n\n```console\n[&](a)\n```\n";
    for sound in [lambdas, "| $n$ | `a` |\n| --- | ---: |\n| | |\n"] {
        assert_eq!(problems(sound), Vec::<String>::new());
    }
}

/// The one problem that a release has with a text and a draft has not.
#[track_caller]
fn for_release(text: &str) -> String {
    let mut found = found_by(check_for_release, &format!("one\n\n{text}\n"));
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    assert_eq!(problems(text), Vec::<String>::new(), "a draft may have it");
    found.remove(0)
}

#[test]
fn a_typed_rate_is_refused_for_a_release() {
    let typed = [
        "It reaches 4,412 GB/s.",
        "It reaches 4.8\u{a0}TB/s.",
        "A launch takes 2.7 µs.",
        "A launch takes 3 ms, and",
        "a load 349\nns",
        "**Measured:** 1.8× the rung before.",
        "a gain{{#claim a k=1 < 2}} of 1.8×",
        "a gain{{#claim a k=1 < 2}} of $1.8\\times$.",
        "It reaches $4.8\\,\\mathrm{TB/s}$.",
        "$$4{,}412~\\text{GB/s}$$",
        "It takes $2.7\\ \\mu\\mathrm{s}$.",
        "It takes $2.7\\,\\text{µs}$.",
        "$97\\,\\%$ of the peak",
        "3 times faster than{{#claim a k=1 < 2}}",
        "97 % of peak",
        "97\u{a0}% of\nthe theoretical peak",
        "{{#figure tree kernel=a n=8 caption=\"It takes 2 ms.\"}}",
        "{{#ask unit=\"ms\" prediction=\"3 ms\" question=\"More than 2 ms?\" measured=\"x\"}}\n{{#measured x}}\n{{#end}}",
        "| a | 12 GB/s |",
    ];
    for text in typed {
        assert!(for_release(text).starts_with("3: "), "{text}");
        assert!(for_release(text).contains("is typed"), "{text}");
    }
}

#[test]
fn what_is_no_typed_rate_passes_a_release() {
    let text = "{{#measured gb_per_s kernel=a n=2^28}}, {{#predict 1.8×}}, {{#published 2.3× cite=x}}, {{#verdict predicted=\"3 ms\" measured=\"x\"}},\n\
                {{#ask unit=\"ms\" question=\"How long?\" measured=\"x\" prediction=\"3 ms\"}}\n{{#measured x}}\n{{#end}}\n\
                a tile of 64×64, of 64 × 64, of $64 \\times 64$ and of $3 \\times n$; the `GB/s` column; `12 GB/s`.\n\
                <!-- 3 ms -->\n\n```output\n12 GB/s\n```\n\n| median ms | GB/s |\n";
    assert_eq!(found_by(check_for_release, text), Vec::<String>::new());
}

#[test]
fn a_comparison_needs_a_claim_for_a_release() {
    let compares = [
        "It is faster than `a`.",
        "A sentence. It takes twice as\nlong.",
        "Both take the same time.",
        "{{#measured time_ms.median kernel=a}}, slower than `b`.",
        "It takes {{#measured baseline.ratio kernel=a}} of CUB's.",
        "It outran `b`. And `c`. {{#claim a k=1 < 2}}",
        "It held.",
        "- It is ahead of `a`.",
        "| `a` | wins |",
    ];
    for text in compares {
        assert!(for_release(text).contains("compares speed"), "{text}");
    }
}

#[test]
fn what_compares_nothing_or_has_its_claim_passes_a_release() {
    let text = "# The fastest\n\nIt is faster.{{#claim a k=1 < 2}}{{#claim b k=1 < 2}}\n\n\
                It is slower:{{#claim a k=1 < 2}} it waits.\n\nIs it faster? **Why is it slower?**\n\n\
                **Prediction.** It takes longer. It wins.\n\n```text\nfaster\n```\n\nThe column `faster`.\n\n\
                It is faster in theory.<!-- no claim: proved above --> It waits as long as it must.\n";
    assert_eq!(found_by(check_for_release, text), Vec::<String>::new());
    let exercises = Page {
        name: Path::new("book/exercises.md"),
        folder: Path::new("."),
        source: Path::new("."),
        text: "Make it faster.",
    };
    assert!(check_for_release(&exercises).is_empty());
}

#[test]
fn a_typed_verdict_is_refused_for_a_release() {
    let verdicts = [
        "The prediction held.{{#claim a k=1 < 2}}",
        "Our prediction for segments of one\nfailed.{{#claim a k=1 < 2}}",
        "Both predictions were wrong.",
        "The guess was far too small.",
        "The guess, for once, came true.",
        "This prediction does not hold.{{#claim a k=1 < 2}}",
        "The prediction of 99 % does not hold there.{{#claim a k=1 < 2}}",
        "That is a little better than predicted.{{#claim a k=1 < 2}}",
        "It is a hundredth, as predicted.",
        "It is half of the prediction.{{#claim a k=1 < 2}}",
        "The *number* failed.{{#claim a k=1 < 2}}",
        "The ratio held{{#claim a k=1 < 2}} and the bet is lost.",
        "- It missed the prediction.",
        "| `a` | we predicted it correctly |",
        "It held the prediction.{{#claim a k=1 < 2}} <!-- no verdict: -->",
        "{{#ask question=\"Q?\" answer=\"a\"}}\nFor bytes it failed.{{#claim a k=1 < 2}}\n{{#end}}",
    ];
    for text in verdicts {
        assert!(for_release(text).contains("is a verdict that is typed"), "{text}");
    }
}

#[test]
fn what_is_no_typed_verdict_passes_a_release() {
    let text = "# Predictions that held\n\nThe prediction {{#verdict}}, and the ratio {{#verdict}}.\n\n\
                Has the prediction held? We predict that a warp held back by a lock waits.<!-- no verdict: of locks -->\n\n\
                The launch failed. An H200 holds 2,048 threads, and the law says so. `the prediction held`\n\n\
                {{#ask question=\"Which prediction held?\" answer=\"a\"}}\nA block holds 8 KiB.\n{{#end}}\n";
    assert_eq!(found_by(check_for_release, text), Vec::<String>::new());
}

#[test]
fn an_answer_shows_what_was_asked_for_in_a_release() {
    let ask = |answer: &str| {
        format!(
            "one\n\n{{{{#ask unit=\"ms\" question=\"?\" measured=\"time_ms.median kernel=a n=1\"}}}}\n{answer}\n{{{{#end}}}}\n"
        )
    };
    let found = |answer: &str| found_by(check_for_release, &ask(answer));
    for wrong in
        ["{{#measured_rung kernel=a n=1}}", "{{#measured time_ms.median kernel=b n=1}}", ""]
    {
        assert_eq!(found(wrong).len(), 1, "{wrong}");
        assert!(found(wrong)[0].starts_with("3: what unfolds does not show"), "{wrong}");
    }
    let right = "{{#measured time_ms.median kernel=a n=1}}";
    assert_eq!(found(right), Vec::<String>::new());
}

#[test]
fn a_claim_that_is_made_twice_is_refused_for_a_release() {
    let twice = "It is faster.{{#claim a k=1 < 0.9x a k=2}}{{#claim a k=1 < 0.8x a k=2}}";
    let found = found_by(check_for_release, twice);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("says again"), "{found:?}");
    let both = "It is faster.{{#claim a k=1 < 0.9x a k=2}}{{#claim a k=1 > 0.8x a k=2}}";
    assert_eq!(found_by(check_for_release, both), Vec::<String>::new());
}
