//! Directives draw on recorded runs, and on nothing else.

use std::path::Path;

use book::measured::{Records, expand};
use book::{Problems, Strictness};

use crate::recorded::completed;

const RUN: &str = r#"{
  "schema": 1, "date": "2026-01-02", "commit": "abc",
  "device": {"name": "NVIDIA H200", "driver": "1.2", "peak_gb_per_s": 4800.0},
  "rows": [
    {"chapter": "chapter_1_reduce", "kernel": "slow", "n": 1024, "dtype": "f32", "broken": false,
     "bytes": 4096, "time_ms": {"median": 0.004}, "gb_per_s": 1.024,
     "fraction_of_ceiling": 0.25, "fraction_of_peak": 0.2, "baseline": null},
    {"chapter": "chapter_1_reduce", "kernel": "slow", "n": 2048, "dtype": "f32", "broken": false,
     "bytes": 8192, "time_ms": {"median": 0.004}, "gb_per_s": 2.048,
     "fraction_of_ceiling": 0.25, "fraction_of_peak": 0.2, "baseline": null},
    {"chapter": "chapter_1_reduce", "kernel": "fast", "n": 2048, "dtype": "f32", "broken": false,
     "bytes": 8192, "time_ms": {"median": 0.002}, "gb_per_s": 4412.4,
     "fraction_of_ceiling": 0.981, "fraction_of_peak": 0.92,
     "baseline": {"name": "CUB", "version": "3", "time_ms": {"median": 0.00205}, "ratio": 1.025}},
    {"chapter": "chapter_1_reduce", "kernel": "fast", "n": 2048, "dtype": "i32", "broken": false,
     "bytes": 8192, "time_ms": {"median": 12.5}, "gb_per_s": 3, "counters": {"barriers": 12345}},
    {"chapter": "chapter_1_reduce", "kernel": "matrix", "n": 2048, "rows": 2, "cols": 1024,
     "dtype": "f32", "broken": false, "gb_per_s": 7.5}
  ]}"#;

fn records(runs: &[&str]) -> Records {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (index, run) in runs.iter().enumerate() {
        let path = folder.path().join(format!("{index}.json"));
        std::fs::write(path, completed(run)).expect("a file");
    }
    Records::load(folder.path()).expect("sound records")
}

fn page(text: &str, records: &Records) -> Result<String, Problems> {
    let page = Path::new("book/chapter_1_reduce/index.md");
    // What is compared below has plain spaces between numbers and units.
    expand(page, text, records, Strictness::Draft).map(|text| text.replace('\u{a0}', " "))
}

fn value(directive: &str) -> String {
    page(&format!("{{{{#measured {directive}}}}}"), &records(&[RUN])).expect("a recorded value")
}

#[test]
fn values_carry_their_units() {
    assert_eq!(value("gb_per_s kernel=fast n=2^11 dtype=f32"), "4,412 GB/s");
    assert_eq!(value("time_ms.median kernel=fast n=2048 dtype=f32"), "2.00 µs");
    assert_eq!(value("time_ms.median kernel=fast n=2048 dtype=i32"), "12.5 ms");
    assert_eq!(value("fraction_of_peak kernel=fast n=2^11 dtype=f32"), "92.0 %");
    assert_eq!(value("baseline.ratio kernel=fast n=2^11 dtype=f32"), "1.02×");
    assert_eq!(value("counters.barriers kernel=fast dtype=i32"), "12,345");
    assert_eq!(value("gb_per_s rows=2 cols=1024"), "7.50 GB/s");
    assert_eq!(value("gain kernel=fast before=slow n=2^11 dtype=f32"), "2,154×");
    assert_eq!(value("device.peak_gb_per_s"), "4,800 GB/s");
    assert_eq!(value("date"), "2026-01-02");
}

fn assert_refused(directive: &str, message: &str) {
    let text = format!("one\n\n{directive}\n");
    let Problems(problems) = page(&text, &records(&[RUN])).expect_err("a refusal");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].line, 3);
    assert!(problems[0].message.contains(message), "{problems:?}");
}

/// Where the recording agrees a claim is not seen; if it does not, a draft says so, and a strict build fails.
#[test]
fn a_claim_holds_on_the_newest_recording() {
    let recorded = records(&[RUN]);
    for claim in [
        "time_ms.median kernel=fast < time_ms.median kernel=slow where n=2^11 dtype=f32",
        "time_ms.median kernel=fast = within 1% 0.5x time_ms.median kernel=slow where n=2^11 dtype=f32",
        "baseline.ratio kernel=fast n=2^11 dtype=f32 > 1",
    ] {
        let shown = page(&format!("Faster.{{{{#claim {claim}}}}}"), &recorded);
        assert_eq!(shown.expect("it holds"), "Faster.", "{claim}");
    }
    let wrong =
        "{{#claim time_ms.median kernel=fast > time_ms.median kernel=slow where n=2^11 dtype=f32}}";
    let why = "2.00 µs is not greater than 4.00 µs";
    let draft = page(wrong, &recorded).expect("a draft");
    assert!(draft.contains(&format!("not so in the newest recording: {why}")), "{draft}");
    let of = Path::new("book/chapter_1_reduce/index.md");
    let refused = expand(of, wrong, &recorded, Strictness::Strict).expect_err("a refusal");
    assert!(refused.to_string().replace('\u{a0}', " ").contains(why), "{refused}");
    let nothing = expand(of, wrong, &Records::default(), Strictness::Draft).expect("a draft");
    assert!(nothing.contains("not recorded yet"), "{nothing}");
    assert_refused("{{#claim gb_per_s kernel=other n=2^11 > 1}}", "no row");
    assert_refused("{{#claim gb_per_s kernel=fast n=2^11}}", "write {{#claim");
}

/// [`RUN`] of an H200 and of an H100, whose memory is half as fast and whose multiprocessors are the same. There `fast` takes
/// twice the time, and `slow` takes `slow` milliseconds.
fn two_memories(slow: f64) -> Records {
    let with_ceilings = RUN
        .replace("\"driver\"", "\"compute_capability\": \"9.0\", \"multiprocessors\": 132, \"clocks\": {\"multiprocessor_mhz\": 1980.0}, \"driver\"")
        .replace("\"time_ms\": {\"median\": 0.00", "\"ceiling_ms\": 0.002, \"time_ms\": {\"median\": 0.00");
    let other = with_ceilings
        .replace("NVIDIA H200", "NVIDIA H100 80GB HBM3")
        .replace("\"ceiling_ms\": 0.002", "\"ceiling_ms\": 0.004")
        .replace("\"median\": 0.004}", &format!("\"median\": {slow}}}"))
        .replace("\"median\": 0.002}", "\"median\": 0.004}");
    records(&[&with_ceilings, &other])
}

/// A claim must hold on each device that differs in its memory only, unless it names one.
#[test]
fn a_claim_holds_with_another_memory_too() {
    let claim = |device: &str, slow: f64| {
        let claim = format!(
            "{{{{#claim time_ms.median kernel=fast < 0.6x time_ms.median kernel=slow where n=2^11 dtype=f32{device}}}}}"
        );
        page(&claim, &two_memories(slow)).expect("a draft")
    };
    assert_eq!(claim("", 0.008), "");
    let why = "4.00 µs is not less than 2.40 µs on the H100";
    assert!(claim("", 0.004).contains(why), "{}", claim("", 0.004));
    assert_eq!(claim(" device=H200", 0.004), "");
    // What such a device does not have, and what differs in more than its memory, is not asked.
    let other = RUN.replace("NVIDIA H200\"", "NVIDIA A100\", \"compute_capability\": \"8.0\"");
    let other = other.replace("0.002", "0.009");
    let of_one =
        "{{#claim time_ms.median kernel=fast < time_ms.median kernel=slow where n=2^11 dtype=f32}}";
    assert_eq!(page(of_one, &records(&[RUN, &other])), Ok(String::new()));
}

/// A kernel that takes as long with half of the rate is not limited by the memory; one that takes twice as long is.
#[test]
fn another_memory_shows_what_limits_a_kernel() {
    let records = two_memories(0.004);
    let table = page("{{#measured_memories n=2^11 dtype=f32}}", &records).expect("a table");
    for line in [
        "| kernel | H200 | H100 | H100 / H200 | does the memory limit it? |",
        "| `slow` | 4.00 µs | 4.00 µs | 1.00× | hardly |",
        "| `fast` | 2.00 µs | 4.00 µs | 2.00× | mostly |",
        "| CUB | 2.05 µs | 2.05 µs | 1.00× | hardly |",
        "| ceiling | 2.00 µs | 4.00 µs | 2.00× |  |",
    ] {
        assert!(table.contains(line), "{table}");
    }
    let sentence = |kernel: &str, slow: f64| {
        let directive = format!("{{{{#other_memory kernel={kernel} n=2^11 dtype=f32}}}}");
        page(&directive, &two_memories(slow)).expect("a sentence")
    };
    assert!(
        sentence("slow", 0.004)
            .contains("`slow` takes 1.00× as long there, so the memory's rate hardly limits it.")
    );
    assert!(sentence("slow", 0.006).contains("`slow` takes 1.50× as long there"));
    assert!(sentence("slow", 0.006).contains("limits it in part"));
    assert!(sentence("fast", 0.004).contains("is most of what limits it"));
    assert_refused("{{#other_memory kernel=fast n=2^11 dtype=f32}}", "in its memory only");
}

#[test]
fn a_missing_or_ambiguous_figure_is_refused() {
    assert_refused("{{#measured gb_per_s kernel=other n=2048}}", "no row");
    assert_refused("{{#measured gb_per_s kernel=fast n=2048}}", "differ in dtype");
    assert_refused("{{#measured watts kernel=slow n=1024}}", "no field watts");
    assert_refused("{{#measured gb_per_s device=B200}}", "called B200");
    assert_refused("{{#measured gain kernel=slow n=1024}}", "name the rung before");
    assert_refused("{{#measured kernel=slow}}", "name the field");
    assert_refused("{{#measured_sum n=1}}", "no directive measured_sum");
    assert_refused("{{#measured gb_per_s slow}}", "not KEY=VALUE");
    assert_refused("{{#measured gb_per_s", "not closed");
}

/// A chapter is written before it is measured.
#[test]
fn a_chapter_that_is_not_recorded_at_all_waits() {
    let (records, of_two) = (records(&[RUN]), Path::new("book/chapter_2_histogram/index.md"));
    let build = |text, strictness| expand(of_two, text, &records, strictness);
    let waiting = "{{#measured gb_per_s kernel=fast}}";
    let draft = build(waiting, Strictness::Draft).expect("a draft");
    assert!(draft.contains("not recorded yet"), "{draft}");
    let Problems(strict) = build(waiting, Strictness::Strict).expect_err("a refusal");
    assert!(strict[0].message.contains("nothing of chapter 2"), "{strict:?}");
    // What is of the whole run does not wait.
    let date = build("{{#measured date}}", Strictness::Strict).expect("a date");
    assert_eq!(date, "2026-01-02");
}

/// Rows that differ from a rung's own number of copies, or divide a range of keys, are not in its ladder.
#[test]
fn copies_and_ranges_are_meant_only_where_asked_for() {
    let row = |copies: &str, rate: u32| {
        format!(
            "{{\"chapter\": \"chapter_2\", \"kernel\": \"banked\", {copies}\"gb_per_s\": {rate}}}"
        )
    };
    let range = row("\"range\": \"0..8\", ", 300);
    let rows = format!("{}, {}, {range}", row("", 100), row("\"copies\": 8, ", 200));
    let run = format!("{{\"device\": {{\"name\": \"H200\"}}, \"rows\": [{rows}]}}");
    let (records, page) = (records(&[&run]), Path::new("chapter_2/index.md"));
    let rate = |keys: &str| {
        let text = format!("{{{{#measured gb_per_s kernel=banked {keys}}}}}");
        expand(page, &text, &records, Strictness::Strict).expect("a rate")
    };
    assert_eq!(rate("").replace('\u{a0}', " "), "100 GB/s");
    assert_eq!(rate("copies=8").replace('\u{a0}', " "), "200 GB/s");
    assert_eq!(rate("range=0..8").replace('\u{a0}', " "), "300 GB/s");
}

#[test]
fn a_rung_is_set_against_the_one_that_is_named() {
    let rung = |before: &str| {
        let text = format!("{{{{#measured_rung kernel=fast before={before} n=2048 dtype=f32}}}}");
        page(&text, &records(&[RUN])).expect("a rung")
    };
    assert_eq!(
        rung("slow"),
        "4,412 GB/s, which is 98.1 % of the ceiling and 92.0 % of the theoretical peak, \
         and 2,154× the rate of `slow`"
    );
    assert!(rung("fast").ends_with(", and within 0.5 % of the rate of `fast`"), "{}", rung("fast"));
}

#[test]
fn a_table_holds_the_ladder_and_the_baseline() {
    let table = page("{{#measured_table n=2048 dtype=f32}}", &records(&[RUN])).expect("a table");
    assert!(table.contains("| `slow` | 4.00 µs | 2.05 GB/s | 25.0 % | 20.0 % |  |"), "{table}");
    assert!(table.contains("| `fast` | 2.00 µs | 4,412 GB/s | 98.1 % | 92.0 % | 2.00× |"));
    assert!(table.contains("| CUB 3 | 2.05 µs | 4.00 GB/s |"));
    assert!(!table.contains("matrix"), "a matrix is another problem: {table}");
    let source = "NVIDIA H200, driver 1.2, [recorded 2026-01-02](../measurements/0.json).";
    assert!(table.contains(source), "{table}");
}

#[test]
fn a_table_may_hold_a_part_of_the_ladder() {
    let table = |ends: &str| {
        let text = format!("{{{{#measured_table {ends} n=2048 dtype=f32}}}}");
        page(&text, &records(&[RUN]))
    };
    let kernels = |ends| {
        let table = table(ends).expect("a table");
        (table.contains("`slow`"), table.contains("`fast`"))
    };
    assert_eq!(kernels("from=slow to=fast"), (true, true));
    assert_eq!(kernels("from=fast"), (false, true));
    assert_eq!(kernels("to=slow"), (true, false));
    let swapped = table("from=fast to=slow").expect_err("a refusal");
    assert!(swapped.to_string().contains("fast, slow"), "{swapped}");
    assert!(table("from=absent").expect_err("a refusal").to_string().contains("of absent"));
}

/// A run like [`RUN`] on another device, twice as fast. Only tests know it.
fn other_device() -> String {
    let other = RUN.replace("NVIDIA H200", "Other 3000");
    other.replace("4412.4", "8824.8").replace("1.024", "2.5")
}

fn picture(directive: &str, runs: &[&str]) -> String {
    let html = page(directive, &records(runs)).expect("a picture");
    assert!(!html.contains("NaN"), "{html}");
    assert!(!html.contains("\n\n"), "a blank line ends an HTML block in Markdown");
    html
}

#[test]
fn a_plot_has_a_curve_for_every_kernel() {
    let plot = picture("{{#measured_plot dtype=f32}}", &[RUN]);
    for name in ["<code>slow</code>", "<code>fast</code>", "ceiling", "CUB"] {
        assert!(plot.contains(name), "{name}: {plot}");
    }
    let curves = plot.matches("class=\"curve ").count();
    assert_eq!(curves, 2 * 4, "for a wide and for a narrow column: {plot}");
    assert!(
        plot.contains("At 2,048 elements: slow 2.05 GB/s, fast 4,412 GB/s, ceiling"),
        "the alternative has the figures: {plot}"
    );
    assert!(plot.contains("<td>1.02 GB/s</td><td>2.05 GB/s</td>"), "{plot}");
    let file = "<a href=\"../measurements/0.json\">recorded 2026-01-02</a>";
    assert!(plot.contains(file), "{plot}");
}

#[test]
fn a_plot_may_show_some_kernels_and_sizes() {
    let plot = picture("{{#measured_plot kernels=slow dtype=f32}}", &[RUN]);
    assert!(plot.contains("slow") && !plot.contains("fast"), "{plot}");
    assert_refused("{{#measured_plot kernels=slow,other dtype=f32}}", "no such row is of other");
    assert_refused("{{#measured_plot least=2^11 dtype=f32}}", "fewer than two sizes");
    assert_refused("{{#measured_plot kernel=absent dtype=f32}}", "no row");
    assert_refused("{{#measured_plot device=B200 dtype=f32}}", "no run on such a device");
}

#[test]
fn bars_are_of_one_size() {
    let bars = picture("{{#measured_bars n=2048 dtype=f32}}", &[RUN]);
    assert_eq!(bars.matches("class=\"bar\"").count(), 2 * 2, "{bars}");
    assert_eq!(bars.matches("class=\"bar baseline\"").count(), 2, "{bars}");
    assert_eq!(bars.matches("class=\"curve ceiling\"").count(), 2, "{bars}");
    assert!(bars.contains("<td>4,412 GB/s</td><td>98.1 %</td><td>2.00 µs</td>"), "{bars}");
    assert_refused("{{#measured_bars dtype=f32}}", "2 sizes are so");
}

/// The ladder up to a rung: what comes after it, has no such row, or is no rung is left out.
#[test]
fn the_ladder_so_far_ends_with_the_newest_rung() {
    let far = picture("{{#so_far kernel=fast n=2^11 dtype=f32}}", &[RUN, &other_device()]);
    let rows = |class: &str| far.matches(&format!("<g class=\"{class}\">")).count();
    assert_eq!((rows("earlier"), rows("newest")), (2, 2), "for two widths of columns: {far}");
    assert_eq!(far.matches("class=\"curve ceiling\"").count(), 2, "{far}");
    let words = "The ladder so far on NVIDIA H200. At 2,048 elements: slow 2.05 GB/s, fast 4,412 GB/s, ceiling";
    assert!(far.contains(words), "the alternative has the figures: {far}");
    assert!(far.contains("The ladder so far, at 2<sup>11</sup> elements."), "{far}");
    assert!(!far.contains("CUB") && !far.contains("Other"), "{far}");
    let first = picture("{{#so_far kernel=slow n=2^11 dtype=f32}}", &[RUN]);
    assert!(!first.contains("fast") && !first.contains("earlier"), "{first}");

    let usage = "name the newest rung, kernel=, and the size, n=";
    assert_refused("{{#so_far kernel=fast dtype=f32}}", usage);
    assert_refused("{{#so_far n=2^11 dtype=f32}}", usage);
    assert_refused("{{#so_far kernel=fast n=2^11}}", "differ in dtype");
    assert_refused("{{#so_far kernel=fast n=2^10 dtype=f32}}", "no row");
    assert_refused("{{#so_far kernel=other n=2^11 dtype=f32}}", "no row");
}

#[test]
fn a_long_ladder_is_shown_from_its_end() {
    let rung = |number: usize| {
        format!(
            r#"{{"chapter": "chapter_1_reduce", "kernel": "rung_{number}", "n": 1024, "gb_per_s": {number}}}"#
        )
    };
    let rows: Vec<String> = (1..=20).map(rung).collect();
    let run = format!(r#"{{"device": {{"name": "NVIDIA H200"}}, "rows": [{}]}}"#, rows.join(","));
    let far = picture("{{#so_far kernel=rung_19 n=2^10}}", &[&run]);
    let is_shown = |number: usize| far.contains(&format!("<code>rung_{number}</code>"));
    let shown: Vec<usize> = (1..=20).filter(|&number| is_shown(number)).collect();
    assert_eq!(shown, (4..=19).collect::<Vec<_>>());
    assert!(far.contains("The last 16 rungs of the ladder so far"), "{far}");
}

#[test]
fn several_devices_stand_side_by_side() {
    let other = other_device();
    let runs = [RUN, &other];
    let plot = picture("{{#measured_plot dtype=f32}}", &runs);
    assert_eq!(plot.matches("<div class=\"panel\">").count(), 2, "{plot}");
    let bars = picture("{{#measured_bars n=2048 dtype=f32}}", &runs);
    assert!(bars.contains("Other 3000: rate"), "{bars}");
    assert!(bars.contains("8,825 GB/s") && bars.contains("4,412 GB/s"), "{bars}");
    let only = picture("{{#measured_bars n=2048 dtype=f32 device=Other}}", &runs);
    assert!(!only.contains("H200"), "{only}");
    let table = page("{{#measured_table n=2048 dtype=f32}}", &records(&runs)).expect("a table");
    assert!(table.contains("| kernel | NVIDIA H200 | of its ceiling | Other 3000 |"), "{table}");
    assert!(table.contains("| `fast` | 4,412 GB/s | 98.1 % | 8,825 GB/s | 98.1 % |"), "{table}");
    assert!(table.contains("| CUB | 4.00 GB/s | | 4.00 GB/s | |"), "{table}");
    let single = page("{{#measured gb_per_s kernel=fast n=2^11 dtype=f32}}", &records(&runs));
    assert_eq!(single.expect("a value"), "4,412 GB/s");
}

/// A reader's own recording, put beside the others, breaks no page.
#[test]
fn every_page_can_show_one_more_device() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../book");
    let folder = book.join("measurements");
    let recorded = std::fs::read_dir(&folder).expect("a folder");
    let recorded = recorded.map(|entry| entry.expect("an entry").path());
    let is_run = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "json");
    let runs: Vec<String> =
        recorded.filter(is_run).map(|path| std::fs::read_to_string(path).expect("a run")).collect();
    let of_h200 =
        runs.iter().find(|run| run.contains("\"NVIDIA H200\"")).expect("a run on an H200");
    let own = of_h200.replace("NVIDIA H200", "A reader's own");
    let mut runs: Vec<&str> = runs.iter().map(String::as_str).collect();
    runs.push(&own);
    let records = records(&runs);
    let mut shown = 0;
    for name in ["chapter_0_setup/your_machine.md", "chapter_1_reduce/whole_picture.md"] {
        let text = std::fs::read_to_string(book.join(name)).expect("a page");
        for (start, _) in text.match_indices("{{#measured") {
            let end = start + text[start..].find("}}").expect("an end") + 2;
            let page = Path::new("book").join(name);
            let answer = expand(&page, &text[start..end], &records, Strictness::Strict);
            shown += usize::from(answer.expect("an answer").contains("A reader's own"));
        }
    }
    assert!(shown >= 3, "pictures and a table show it: {shown}");
}

#[test]
fn a_kernel_that_one_device_lacks_keeps_its_place_and_its_colour() {
    let lacks = other_device().replace("\"kernel\": \"slow\"", "\"kernel\": \"absent\"");
    let table = page("{{#measured_table n=2048 dtype=f32}}", &records(&[RUN, &lacks]));
    let table = table.expect("a table");
    let lines: Vec<&str> = table.lines().filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(lines, ["absent", "slow", "fast"], "{table}");
    let bars = picture("{{#measured_plot dtype=f32}}", &[RUN, &lacks]);
    assert_eq!(bars.matches("curve s3").count(), 2 * 2, "fast, twice on both: {bars}");
}

#[test]
fn a_device_without_times_is_left_out() {
    let simulated = RUN.replace("NVIDIA H200", "SIMT simulator (H200 profile)");
    let simulated = simulated.replace("\"gb_per_s\"", "\"error\"");
    let bars = picture("{{#measured_bars n=2048 dtype=f32}}", &[RUN, &simulated]);
    assert_eq!(bars.matches("<div class=\"panel\">").count(), 1, "{bars}");
}

#[test]
fn what_says_that_it_is_no_run_is_passed_over() {
    let records = records(&[RUN, "{\"kind\": \"a probe of caches\"}"]);
    assert_eq!(records.runs().len(), 1);
}

#[test]
fn the_newest_run_of_a_device_is_shown() {
    let newer = RUN.replace("2026-01-02", "2026-05-06");
    let date = page("{{#measured date}}", &records(&[RUN, &newer])).expect("a date");
    assert_eq!(date, "2026-05-06");
}

#[test]
fn a_draft_without_any_record_says_so_and_a_strict_build_refuses() {
    let text = "It reaches {{#measured gb_per_s kernel=fast}}.";
    let shown = page(text, &Records::default()).expect("a draft");
    assert!(shown.contains("not recorded yet"), "{shown}");
    let page = Path::new("book/chapter_1_reduce/index.md");
    let refused = expand(page, text, &Records::default(), Strictness::Strict);
    assert!(refused.expect_err("a refusal").to_string().contains("nothing is recorded yet"));
}

#[test]
fn a_file_that_is_no_run_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.json"), "{}").expect("a file");
    assert!(Records::load(folder.path()).is_err());
}

/// Three rows on the line of 400 ns, and one at the upper line.
#[test]
fn littles_law_is_fitted_below_the_knee() {
    let row = |loads: u32, resident: u32, rate: f64| {
        format!(
            r#"{{"chapter": "chapter_7_coalescing", "kernel": "bytes_in_flight", "n": 1024, "loads": {loads},
            "resident": {resident}, "gb_per_s": {rate}}}"#
        )
    };
    let line = |kib: f64| kib * 1024.0 * 132.0 / 400.0;
    let rows =
        [row(8, 4, 4600.0), row(1, 2, line(8.0)), row(2, 1, line(8.0)), row(1, 1, line(4.0))];
    let run = format!(
        r#"{{"date": "2026-01-02", "device": {{"name": "NVIDIA H200", "multiprocessors": 132}},
        "ceilings": {{"read_gb_per_s": 4600.0, "latency_ns": 349.0}}, "rows": [{}]}}"#,
        rows.join(",")
    );
    let directive = "{{#measured_in_flight kernel=bytes_in_flight chapter=7}}";
    let text = page(directive, &records(&[&run])).expect("a picture and a table");
    let cells = |line: &str| line.replace("</td><td>", " | ");
    let lines: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("<tr><td>")?.strip_suffix("</td></tr>"))
        .map(cells)
        .collect();
    assert_eq!(lines[0], "1 | 1 | 4 | 1,352 GB/s | 1,352 GB/s | 400 ns");
    assert_eq!(lines[1], "1 | 2 | 8 | 2,703 GB/s | 2,703 GB/s | 400 ns");
    assert!(lines[2].starts_with("2 | 1 | 8 |"), "{text}");
    // Above the knee the law stays at the read sweep's rate.
    assert!(lines[3].starts_with("8 | 4 | 128 | 4,600 GB/s | 4,600 GB/s |"), "{text}");
    assert!(text.contains("--loads-per-thread 8"), "{text}");
    assert!(text.contains("$\\lambda$ = 400 ns"), "{text}");
    assert!(text.contains("the knee is at 13.6 KiB. A lone load takes 349 ns."), "{text}");
}

/// A kernel of [`RUN`]'s device at two strides and at two offsets.
#[test]
fn patterns_of_access_are_drawn_with_what_bounds_them() {
    let row = |key: &str, at: u32| {
        format!(
            r#"{{"chapter": "chapter_7_coalescing", "kernel": "strided_loads", "n": 1000000, "{key}": {at},
            "time_ms": {{"median": 0.{at}}}, "gb_per_s": {at}}}"#
        )
    };
    let rows = [row("stride", 8), row("stride", 1), row("offset", 31), row("offset", 0)];
    let run = format!(
        r#"{{"date": "2026-01-02", "device": {{"name": "NVIDIA H200"}},
        "ceilings": {{"read_gb_per_s": 4000.0, "copy_gb_per_s": 3000.0}}, "rows": [{}]}}"#,
        rows.join(",")
    );
    let records = records(&[&run]);
    let drawn = |kind: &str, key: &str| {
        let directive = format!("{{{{#{kind} kernels=strided_loads chapter=7 n=1000000 {key}}}}}");
        page(&directive, &records).expect("a picture and a table")
    };
    let cells = |text: &str| text.replace("</td><td>", " | ").replace("</th><td>", ": ");
    // A copy moves 8 bytes per element; at stride 8 it moves all sectors and an eighth of 4 bytes.
    let strides = cells(&drawn("measured_strides", ""));
    assert!(strides.contains(">1: 100 µs | 2.00 µs<"), "{strides}");
    assert!(strides.contains(">8: 800 µs | 1.12 µs<"), "{strides}");
    let offsets = cells(&drawn("measured_offsets", ""));
    assert!(offsets.contains(">31: 31.0 GB/s | 3,000 GB/s<"), "{offsets}");
    assert!(offsets.contains("At offset 0: strided_loads 0.00 GB/s"), "{offsets}");
}

/// A recording that says which instructions it timed is refused once they are others, unless it says why it is kept.
/// Then the page says it, too.
#[test]
fn a_recording_of_another_kernel_is_refused() {
    let recorded = |kernel: &str, kept: &str| {
        records(&[&format!(
            r#"{{"device": {{"name": "H200"}}, "date": "2026-11-21", "rows": [], {kept}
                "kernels": {{"chapter_1_reduce/sequential": "{kernel}"}}}}"#
        )])
    };
    let check = |records: &Records| records.check_kernels(&chapters::ALL[1..2]);
    let (reason, other) = (r#""kept": "No GPU was free.","#, "0000000000000000");
    let current = chapters::ALL[1].find("sequential").expect("a rung").ptx;
    let current = harness::kernel::fingerprint(&current);
    assert_eq!(check(&recorded(&current, "")), Ok(()));
    let refused = check(&recorded(other, "")).expect_err("it is another kernel");
    assert!(refused.contains("chapter_1_reduce/sequential has changed"), "{refused}");

    let kept = recorded(other, reason);
    assert_eq!(check(&kept), Ok(()));
    let shown = page("{{#measured_devices}}", &kept).expect("a line");
    assert!(shown.contains("H200 of 2026-11-21 has earlier kernels. No GPU was free."), "{shown}");
    let refused = check(&recorded(&current, reason)).expect_err("it has these kernels");
    assert!(refused.contains("take its field `kept` out"), "{refused}");
}
