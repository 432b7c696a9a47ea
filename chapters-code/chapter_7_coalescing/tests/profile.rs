//! The tables of the page on a profiler's tables hold what the profiler recorded.

use std::collections::HashMap;

const PAGE: &str = include_str!("../../../book/chapter_7_coalescing/reading_ncu.md");
const STALLS_PAGE: &str = include_str!("../../../book/chapter_6_transpose/stalls.md");
const RUNGS: &str =
    include_str!("../../../book/measurements/ncu_nvidia_h100_80gb_hbm3_2026-11-26_rungs.csv");
const STALLS: &str = include_str!("../../../book/measurements/stalls_nvidia_h200_2026-11-26.csv");

/// The launches of the first table, as the file of rungs names them.
const LAUNCHES: [&str; 10] = [
    "scalar/2^16",
    "packs/2^16",
    "bulk/2^16",
    "strided_loads/2^16/stride 8",
    "two_loads/2^16/pairs",
    "one_load/2^16/pairs",
    "aos/2^16/particles",
    "aos_staged/2^16/particles",
    "soa/2^16/particles",
    "gather/2^16/shuffled within 1024",
];

/// The row of a file whose first cell is this: its cells by column.
fn row(file: &'static str, first: &str) -> HashMap<&'static str, &'static str> {
    let mut lines = file.lines().filter(|line| !line.starts_with('#'));
    let head = lines.next().expect("a heading");
    let found = lines.find(|line| line.split(',').next() == Some(first));
    let found = found.unwrap_or_else(|| panic!("no row {first}"));
    head.split(',').zip(found.split(',')).collect()
}

fn count(launch: &str, column: &str) -> u64 {
    let row = row(RUNGS, &format!("chapter_7_coalescing/{launch}"));
    row[column].parse().expect("a count")
}

/// Commas do not count.
#[track_caller]
fn assert_on_the_page(line: &str) {
    let [page, wanted] = [PAGE, line].map(|text| text.replace(',', ""));
    assert!(page.contains(&wanted), "the page has no line {line}");
}

#[test]
fn the_table_of_the_l1_is_recorded() {
    for launch in LAUNCHES {
        let sides = ["load", "store"].map(|side| {
            let requests = count(launch, &format!("global_{side}_requests"));
            let sectors = count(launch, &format!("global_{side}_sectors"));
            let per_request = match requests {
                0 => "–".to_owned(),
                _ => format!("{:.1}", sectors as f64 / requests as f64),
            };
            format!("{requests} | {sectors} | {per_request}")
        });
        let rung = launch.split('/').next().unwrap_or_default();
        let pattern = match launch.rsplit('/').next() {
            Some(pattern) if pattern.contains(' ') => format!(", {pattern}"),
            _ => String::new(),
        };
        assert_on_the_page(&format!("| `{rung}`{pattern} | {} |", sides.join(" | ")));
    }
}

#[test]
fn the_table_of_shared_memory_is_recorded() {
    let staged = |column: &str| count("aos_staged/2^16/particles", column);
    for (name, column) in [("of warps", "requests"), ("passes over the banks", "wavefronts")] {
        let [loads, stores] =
            ["load", "store"].map(|side| staged(&format!("shared_{side}_{column}")));
        assert_on_the_page(&format!("| {name} | {loads} | {stores} |"));
    }
    let conflicts = staged("shared_bank_conflicts");
    assert_on_the_page(&format!("The column *Bank Conflicts* showed {conflicts}."));
}

#[test]
fn the_table_of_chapter_6_is_recorded() {
    for rung in ["by_rows", "by_columns", "padded", "vectorized"] {
        let row = row(STALLS, rung);
        let in_millions = |column: &str| row[column].parse::<f64>().expect("a number") / 1e6;
        assert_on_the_page(&format!(
            "| `{rung}` | {} | {:.1} | {:.1} | {:.0} | {:.0} |",
            row["l1_hit_percent"],
            in_millions("l2_read_sectors"),
            in_millions("l2_written_sectors"),
            in_millions("dram_read_bytes"),
            in_millions("dram_written_bytes"),
        ));
    }
}

/// What the text says of a table is what the table says.
#[test]
fn a_percentage_in_the_text_is_in_a_table() {
    for page in [PAGE, STALLS_PAGE] {
        let (tables, text): (Vec<&str>, Vec<&str>) =
            page.lines().partition(|line| line.starts_with('|'));
        let before_sign =
            text.iter().flat_map(|line| line.match_indices(" %").map(|(at, _)| &line[..at]));
        let numbers = before_sign.filter_map(|text| text.split_whitespace().last());
        for number in numbers.filter(|number| number.contains('.') && number.parse::<f64>().is_ok())
        {
            let cell = format!("| {number} |");
            assert!(tables.iter().any(|row| row.contains(&cell)), "no table has {number} %");
        }
    }
}
