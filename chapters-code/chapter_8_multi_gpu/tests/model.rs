//! The figures that the page `beyond_a_host.md` predicts, computed by its formulas; and where a tree is as good as a ring.

use std::{fs, path::Path};

/// GPUs of a host.
const HOST: f64 = 8.0;

/// A kind of link: the start-up time in microseconds, and bytes per microsecond.
struct Link {
    alpha: f64,
    rate: f64,
}

const NVLINK: Link = Link { alpha: 2.0, rate: 450e3 };
const NETWORK: Link = Link { alpha: 4.0, rate: 50e3 };

/// An all-reduce of `bytes` in a ring.
fn ring(gpus: f64, link: &Link, bytes: f64) -> f64 {
    2.0 * (gpus - 1.0) * (link.alpha + bytes / gpus / link.rate)
}

/// An all-reduce in which every step exchanges all bytes.
fn doubling(gpus: f64, link: &Link, bytes: f64) -> f64 {
    gpus.log2() * (link.alpha + bytes / link.rate)
}

/// An all-reduce by recursive halving and doubling.
fn halving(gpus: f64, link: &Link, bytes: f64) -> f64 {
    2.0 * gpus.log2() * link.alpha + 2.0 * (gpus - 1.0) / gpus * bytes / link.rate
}

/// The four columns of the page's tables, in microseconds.
fn predicted(gpus: f64, bytes: f64) -> [f64; 4] {
    let hosts = gpus / HOST;
    let ring_of_all = ring(gpus, if hosts > 1.0 { &NETWORK } else { &NVLINK }, bytes);
    let tree = doubling(HOST, &NVLINK, bytes) + doubling(hosts, &NETWORK, bytes);
    let rings = ring(HOST, &NVLINK, bytes) + ring(hosts, &NETWORK, bytes / HOST);
    let halvings = halving(HOST, &NVLINK, bytes) + halving(hosts, &NETWORK, bytes / HOST);
    [ring_of_all, tree, rings, halvings]
}

fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/chapter_8_multi_gpu");
    fs::read_to_string(folder.join(name)).expect("the page")
}

/// The times in a line, in microseconds, each with half a unit of its last digit.
fn times(line: &str) -> Vec<(f64, f64)> {
    let texts = line.split("{{#predict ").skip(1).filter_map(|text| text.split_once("}}"));
    let time = |(text, _): (&str, &str)| {
        let (number, unit) = text.split_once(' ').expect("a number and its unit");
        let unit = if unit == "ms" { 1e3 } else { 1.0 };
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len() as i32);
        let number: f64 = number.parse().expect("a number");
        (number * unit, 0.5 * 10_f64.powi(-digits) * unit)
    };
    texts.map(time).collect()
}

#[test]
fn the_tables_follow_from_the_formulas() {
    let page = page("beyond_a_host.md");
    let mut compared = 0;
    for (heading, bytes) in [("One megabyte", 1e6), ("One gigabyte", 1e9)] {
        let (_, table) = page.split_once(heading).expect("a table");
        for (gpus, line) in [(8.0, "| 8 |"), (64.0, "| 64 |"), (1024.0, "| 1,024 |")] {
            let row = table.lines().find(|row| row.starts_with(line)).expect("a row");
            let times = times(row);
            assert_eq!(times.len(), 4, "{row}");
            for ((time, rounding), predicted) in times.iter().zip(predicted(gpus, bytes)) {
                let is_right = (time - predicted).abs() <= rounding * 1.000_001;
                assert!(is_right, "{heading}, {gpus}: {time}, not {predicted}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 24);
}

/// 8 α/β for four devices and 8.8 α/β for eight, as the page `steps_and_orders.md` says.
#[test]
fn a_tree_is_as_good_as_a_ring_there() {
    let link = Link { alpha: 3.0, rate: 100.0 };
    for (gpus, factor) in [(4.0, 8.0), (8.0, 8.8)] {
        let bytes = factor * link.alpha * link.rate;
        let [ring, tree] = [ring, doubling].map(|time| time(gpus, &link, bytes));
        assert!((ring - tree).abs() < 1e-9, "{gpus}: {ring}, {tree}");
        assert!(page("steps_and_orders.md").contains(&format!("${factor}\\,\\alpha / \\beta$")));
    }
}
