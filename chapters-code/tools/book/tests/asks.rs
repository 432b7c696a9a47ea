//! Questions that wait for the reader's number, and the list of them.

use crate::reading::{assert_refused, built, page};

const SUMMARY: &str =
    "- [One](chapter_1/one.md)\n- [Two](chapter_1/two.md)\n- [Other](chapter_2/other.md)\n";

const RUN: &str = r#"{"device": {"name": "NVIDIA H200"}, "date": "2026-01-02", "rows": [
    {"chapter": "chapter_1", "kernel": "slow", "n": 1024, "gb_per_s": 500.0, "time_ms": {"median": 0.25}},
    {"chapter": "chapter_1", "kernel": "fast", "n": 1024, "gb_per_s": 1250.0, "fraction_of_peak": 0.26,
     "registers": 24, "time_ms": {"median": 0.1}}
  ]}"#;

const OTHER: &str =
    "# Other\n\n{{#ask question=\"How many?\" answer=\"7\" unit=\"steps\"}}\n{{#end}}\n";

fn files<'a>(one: &'a str, two: &'a str) -> [(&'static str, &'a str); 5] {
    [
        ("book/SUMMARY.md", SUMMARY),
        ("book/measurements/h200.json", RUN),
        ("book/chapter_1/one.md", one),
        ("book/chapter_1/two.md", two),
        ("book/chapter_2/other.md", OTHER),
    ]
}

fn ask(arguments: &str) -> String {
    format!("# One\n\n{{{{#ask {arguments}}}}}\n*So.*\n{{{{#end}}}}\n")
}

const PART: &str = "unit=\"% of peak\" question=\"How near will `fast` come?\" measured=\"fraction_of_peak kernel=fast n=2^10\"";

#[test]
fn a_question_unfolds_what_was_measured() {
    let folder = built(&files(&ask(PART), "# Two\n")).expect("a sound book");
    let one = page(&folder, "chapter_1/one.html");
    for expected in [
        "<div class=\"asked\" id=\"ask-fast-fraction_of_peak\"",
        "data-key=\"chapter_1/one#ask-fast-fraction_of_peak\" data-unit=\"% of peak\" data-kind=\"measured\" data-value=\"26\">",
        "<details class=\"ask\">\n<summary>How near will <code>fast</code> come?</summary>",
        "<div class=\"unfolded\">\n<p><em>So.</em></p>",
    ] {
        assert!(one.contains(expected), "{expected}: {one}");
    }
    assert_eq!(one.matches("<details").count(), one.matches("</details>").count());
}

/// Code, figures and claims may stand in it; what folds by itself may not.
#[test]
fn a_question_holds_no_other_block() {
    let listing = "# One\n\n{{#ask question=\"How?\" answer=\"so\"}}\n```text\nx\n```\n\
                   {{#measured gb_per_s kernel=fast n=2^10}}{{#claim gb_per_s kernel=fast > 1 where n=2^10}}\n{{#end}}\n";
    let folder = built(&files(listing, "# Two\n")).expect("a sound book");
    assert!(page(&folder, "chapter_1/one.html").contains("1,250\u{a0}GB/s"));
    for block in ["question", "teachers minutes=5", "aside More", PART_OF_ANOTHER] {
        let text = format!("# One\n\n{{{{#ask {PART}}}}}\n{{{{#{block}}}}}\n{{{{#end}}}}\n");
        let name = block.split(' ').next().unwrap_or_default();
        let message =
            format!("book/chapter_1/one.md:4: `{name}` stands in an ask, which needs its end");
        assert_refused(&files(&text, "# Two\n"), &message);
    }
    let open = format!("# One\n\n{{{{#ask {PART}}}}}\n");
    assert_refused(&files(&open, "# Two\n"), "book/chapter_1/one.md:3: this block has no {{#end}}");
}

const PART_OF_ANOTHER: &str = "ask question=\"Why?\" answer=\"so\"";

#[test]
fn a_question_that_nothing_answers_is_refused() {
    let refused = |arguments: &str, message: &str| {
        let message = format!("book/chapter_1/one.md:3: {message}");
        assert_refused(&files(&ask(arguments), "# Two\n"), &message);
    };
    let of = |unit: &str, measured: &str| {
        format!("question=\"Q?\" unit=\"{unit}\" measured=\"{measured} kernel=fast n=2^10\"")
    };
    refused("question=\"Q?\"", "write {{#ask");
    refused("answer=\"1\"", "write {{#ask");
    refused("question=\"Q?\" answer=\"1\" measured=\"gb_per_s\" unit=\"GB/s\"", "write {{#ask");
    refused("question=\"Q?\" kernel=fast", "there is no key kernel here");
    refused("question=\"Q?\" question=\"R?\"", "question is given twice");
    refused("question=\"\" answer=\"1\"", "question is empty");
    refused("question=\"Q?\" measured=\"gb_per_s kernel=fast\"", "say in which unit");
    refused("question=\"Q?\" answer=\"no\" unit=\"steps\"", "no is no number");
    refused("question=\"Q?\" answer=\"1.8\" unit=\"×\"", "1.8× is typed");
    refused("question=\"Q?\" answer=\"37\" unit=\"% of peak\"", "37\u{a0}% of peak is typed");
    refused(&of("ms", "gb_per_s"), "the field gb_per_s is not in ms, but in GB/s or TB/s");
    refused(&of("GB/s", "registers"), "the field registers has no unit");
    refused(&of("×", "gain"), "name the rung before");
    refused(&of("watts", "power"), "the recorded row has no field power");
    refused("question=\"Q?\" unit=\"GB/s\" measured=\"gb_per_s kernel=gone\"", "no row");
}

#[test]
fn two_questions_of_a_page_have_two_names() {
    let twice = format!("{}\n{}", ask(PART), ask(PART));
    let message = "one.md:9: two questions of this page are called ask-fast-fraction_of_peak";
    assert_refused(&files(&twice, "# Two\n"), message);
    let named = format!("{}\n{}", ask(PART), ask(&format!("{PART} id=again")));
    let folder = built(&files(&named, "# Two\n")).expect("a sound book");
    assert!(page(&folder, "chapter_1/one.html").contains("id=\"ask-again\""));
}

/// Those of the pages in one folder, in their order, each with what was measured, in the question's unit.
#[test]
fn predictions_are_listed() {
    let questions = [
        PART,
        "question=\"How *long* is $2^2$?\" unit=\"µs\" measured=\"time_ms.median kernel=fast n=2^10\"",
        "question=\"Gain?\" unit=\"× the rung before\" measured=\"gain kernel=fast before=slow n=2^10\"",
        "question=\"Registers?\" unit=\"registers\" measured=\"registers kernel=fast n=2^10\"",
        "question=\"A conflict?\" answer=\"yes, `two`\"",
    ];
    let one = questions.map(ask).join("\n");
    let two = format!(
        "{}\n{{{{#predictions}}}}\n",
        ask("question=\"How many?\" answer=\"4,096\" unit=\"blocks\"")
    );
    let folder = built(&files(&one, &two)).expect("a sound book");
    let two = page(&folder, "chapter_1/two.html");
    let cells: Vec<&str> = two
        .split("<td>")
        .skip(1)
        .map(|cell| cell.split("</td>").next().unwrap_or_default())
        .collect();
    let links: Vec<&&str> = cells.iter().step_by(2).collect();
    let found: Vec<&&str> = cells.iter().skip(1).step_by(2).collect();
    assert_eq!(
        found,
        [
            &"<span>26.0\u{a0}% of peak</span>",
            &"<span>100\u{a0}µs</span>",
            &"<span>2.50× the rung before</span>",
            &"<span>24\u{a0}registers</span>",
            &"<span>yes, <code>two</code></span>",
            &"<span>4,096\u{a0}blocks</span>",
        ]
    );
    let first = "<a href=\"../chapter_1/one.html#ask-fast-fraction_of_peak\">How near will <code>fast</code> come?</a>";
    assert_eq!(links[0], &first);
    // A question that does not name its kernel is listed with the name.
    assert!(links[1].contains("<code>fast</code>: How *long* is"), "{}", links[1]);
    assert!(links[4].contains(">A conflict?"), "{}", links[4]);
    assert_eq!(links[5], &"<a href=\"../chapter_1/two.html#ask-how-many\">How many?</a>");
    assert_eq!(two.matches("<td class=\"own\" data-key=\"chapter_1/").count(), 6, "{two}");
}

/// A chapter lists those of its deeper pages last; the list of all keeps the order of the book.
#[test]
fn predictions_of_deeper_pages_are_listed_last() {
    let one = ask("question=\"First?\" answer=\"1\" unit=\"steps\"");
    let two = ask("question=\"Second?\" answer=\"2\" unit=\"steps\"");
    let summary = "- [Folder](chapter_1/index.md)\n  - [Deeper]()\n    - [One](chapter_1/one.md)\n  - [Two](chapter_1/two.md)\n\
                   - [List](list.md)\n";
    let files = [
        ("book/SUMMARY.md", summary),
        ("book/chapter_1/index.md", "# Chapter\n\n{{#predictions}}\n"),
        ("book/chapter_1/one.md", &one),
        ("book/chapter_1/two.md", &two),
        ("book/list.md", "# List\n\n{{#predictions all}}\n"),
    ];
    let folder = built(&files).expect("a sound book");
    let order = |name: &str| {
        let html = page(&folder, name);
        ["First?", "Second?", "On deeper pages"].map(|text| html.find(&format!("{text}<")))
    };
    let [first, second, deeper] = order("chapter_1/index.html");
    assert!(second < deeper && deeper < first, "{second:?} {deeper:?} {first:?}");
    let [first, second, deeper] = order("list.html");
    assert!(first < second && deeper.is_none(), "{first:?} {second:?} {deeper:?}");
}

#[test]
fn a_chapter_without_questions_has_no_list() {
    let two = "# Two\n\n\n{{#predictions}}\n";
    assert_refused(&files("# One\n", two), "book/chapter_1/two.md:4: no page of this folder has");
}
