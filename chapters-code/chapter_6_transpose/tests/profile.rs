//! The tables of the page on stalls hold what the profiler recorded.

use std::collections::HashMap;

const PAGE: &str = include_str!("../../../book/chapter_6_transpose/stalls.md");
/// The deeper page that has the rows of its own rung.
const DEEPER: &str = include_str!("../../../book/chapter_6_transpose/order.md");
const STALLS: &str = include_str!("../../../book/measurements/stalls_nvidia_h200_2026-11-26.csv");
const SAMPLES: &str = include_str!("../../../book/measurements/samples_nvidia_h200_2026-11-26.csv");
/// The page on four loads, and the later file that it is made from.
const FOUR_LOADS: &str = include_str!("../../../book/chapter_6_transpose/four_loads.md");
const LATER: &str = include_str!("../../../book/measurements/samples_nvidia_h200_2026-11-29.csv");

/// The columns of the table of stalls, each a sum of the profiler's reasons.
const STALL_COLUMNS: [&[&str]; 5] = [
    &["long_scoreboard"],
    &["barrier"],
    &["short_scoreboard", "mio_throttle"],
    &["drain"],
    &["not_selected"],
];

/// A row of the file of stalls: its cells by column.
type Row = HashMap<&'static str, &'static str>;

fn rows() -> Vec<Row> {
    let mut lines = STALLS.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<_> = lines.next().expect("a heading").split(',').collect();
    lines.map(|line| head.iter().copied().zip(line.split(',')).collect()).collect()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().expect("a number")
}

/// The part of all clocks of warps that go into these reasons, in percent.
fn share(row: &Row, reasons: &[&str]) -> f64 {
    let stalls = reasons.iter().map(|reason| number(row, &format!("stall_{reason}")));
    100.0 * stalls.sum::<f64>() / number(row, "stall_sum")
}

/// The samples of a kernel in the first file and its machine instructions, in order.
fn samples(kernel: &str) -> Vec<(f64, &'static str)> {
    samples_in(SAMPLES, kernel)
}

fn samples_in(file: &'static str, kernel: &str) -> Vec<(f64, &'static str)> {
    let of_kernel = file.lines().filter_map(|line| line.strip_prefix(kernel)?.strip_prefix(','));
    let row = |line: &'static str| {
        let (samples, instruction) = line.split_once(',').expect("two cells");
        (samples.parse().expect("a number"), instruction)
    };
    of_kernel.map(row).collect()
}

#[test]
fn the_page_on_stalls_holds_the_recorded_numbers() {
    for row in rows().iter().filter(|row| row["kernel"] != "swizzled") {
        let cells = [
            format!("{:.1}", number(row, "l2_written_sectors") / 1e6),
            row["l1_hit_percent"].to_owned(),
            row["l1_data_busy_percent"].to_owned(),
            row["l1_to_l2_busy_percent"].to_owned(),
        ];
        let line = format!("| `{}` | {} |", row["kernel"], cells.join(" | "));
        let page = if row["kernel"] == "column_major_tiles" { DEEPER } else { PAGE };
        assert!(page.contains(&line), "{line}");

        let shares = STALL_COLUMNS.map(|reasons| share(row, reasons));
        let rest = 100.0 - shares.iter().sum::<f64>();
        let cells: Vec<_> = shares.iter().chain([&rest]).map(|x| format!("{x:.0}")).collect();
        let line = format!("| `{}` | {} |", row["kernel"], cells.join(" | "));
        assert!(page.contains(&line), "{line}");

        // Most of all else: the instruction before, an arithmetic unit, and the clock of the issue itself.
        let named = share(row, &["wait", "math_pipe_throttle", "selected"]);
        assert!(named > rest * 2.0 / 3.0, "{}: {named} of {rest}", row["kernel"]);

        // The page says of no unit that it is busy in 70 of 100 clocks.
        let busy = ["l1_data_busy_percent", "l1_to_l2_busy_percent"].map(|unit| number(row, unit));
        let limit = if row["kernel"] == "padded" { 14.0 } else { 70.0 };
        assert!(busy.iter().all(|busy| *busy < limit), "{}: {busy:?}", row["kernel"]);

        // 8,192 x 8,192 x 4 bytes are 268 MB.
        let (read, written) = (number(row, "dram_read_bytes"), number(row, "dram_written_bytes"));
        assert!((267.5e6..274.5e6).contains(&read), "{read}");
        assert!((242.5e6..256.5e6).contains(&written), "{written}");
    }
}

/// Bytes in flight: a warp that waits for a load waits for 128 bytes. The page multiplies rounded numbers.
#[test]
fn the_bytes_in_flight_follow_from_the_recorded_numbers() {
    for (kernel, quoted) in [("padded", 2060.0), ("coarsened", 3950.0)] {
        let row = rows().into_iter().find(|row| row["kernel"] == kernel).expect("a row");
        let resident = number(&row, "resident_warps_percent") / 100.0 * 64.0;
        let bytes = resident * share(&row, &["long_scoreboard"]) / 100.0 * 128.0;
        assert!((bytes / quoted - 1.0).abs() < 0.01, "{kernel}: {bytes}");
    }
}

/// The samples of a kernel's four parts, which end with the first load, the last store to the tile, and the instruction
/// behind the barrier. `fills` is the number of stores to the tile.
fn parts(samples: Vec<(f64, &str)>, fills: usize) -> [f64; 4] {
    let (mut part, mut filled, mut sums) = (0, 0, [0.0; 4]);
    for (samples, instruction) in samples {
        sums[part] += samples;
        filled += usize::from(instruction.contains("STS"));
        let ends = match part {
            0 => instruction.contains("LDG"),
            1 => filled == fills,
            2 => instruction.contains("EXIT"),
            _ => false,
        };
        part += usize::from(ends);
    }
    sums
}

#[test]
fn the_parts_of_a_kernel_have_the_recorded_samples() {
    let [padded, coarsened] = [("padded", 1), ("coarsened", 4)].map(|(kernel, fills)| {
        let sums = parts(samples(kernel), fills);
        let all: f64 = sums.iter().sum();
        sums.map(|samples| format!("{:.0}", 100.0 * samples / all))
    });
    for (padded, coarsened) in padded.iter().zip(&coarsened) {
        assert!(PAGE.contains(&format!(" | {padded} | {coarsened} |")), "{padded} {coarsened}");
    }
}

#[test]
fn the_parts_of_four_loads_are_compared_with_those_of_coarsened() {
    let [coarsened, four_loads] =
        ["coarsened", "four_loads"].map(|kernel| parts(samples_in(LATER, kernel), 4));
    let all: f64 = coarsened.iter().sum();
    let percent = |samples: f64| format!("{:.0} %", 100.0 * samples / all);
    let row = |of: [f64; 2]| format!(" | {} | {} |", percent(of[0]), percent(of[1]));
    let rows = coarsened.into_iter().zip(four_loads).map(|(a, b)| [a, b]);
    for of in rows.chain([[all, four_loads.iter().sum()]]) {
        assert!(FOUR_LOADS.contains(&row(of)), "{}", row(of));
    }
}

/// The compiler waits for each load before it issues the next.
#[test]
fn the_loads_of_coarsened_are_not_in_flight_together() {
    let all: f64 = samples("coarsened").iter().map(|(samples, _)| samples).sum();
    let of_tile = |&(samples, instruction): &(f64, &str)| {
        let name = ["LDG", "STS"].into_iter().find(|name| instruction.contains(name))?;
        Some(format!("{name}  {:4.1}", 100.0 * samples / all))
    };
    let lines: Vec<_> = samples("coarsened").iter().filter_map(of_tile).take(8).collect();
    assert!(FOUR_LOADS.contains(&lines.join("\n")), "{lines:?}");
}
