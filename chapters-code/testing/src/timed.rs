//! The timed path, which a GPU takes, run on the simulator's clock: what it measures there means
//! nothing, but everything around the measuring must be right.

use crate::{run_steps, simulator};
use harness::timing::{Bench, FEWEST_SAMPLES};
use report::{
    AnyChapter, Row,
    runner::{Runner, Step},
    table,
};

/// Times steps of a chapter; fails where a rung is no longer verified, a figure does not follow from
/// the samples, or the table does not fit. Gives the rows back.
///
/// # Panics
/// If that does not hold.
pub fn check_timed(chapter: &dyn AnyChapter, steps: &[Step]) -> Vec<Row> {
    let mut runner = simulator();
    let (properties, bench) = (runner.device.properties.clone(), small_bench(&mut runner));
    runner.bench = Some(bench);
    let rows = run_steps(&mut runner, chapter, steps);
    (runner.bench, runner.device.properties) = (None, properties);
    assert!(!rows.is_empty(), "nothing was timed");
    rows.iter().for_each(check_row);
    check_tables(&rows);
    rows
}

/// Measures with a small L2 and little memory, so that flushing and copying take no time.
fn small_bench(runner: &mut Runner) -> Bench {
    runner.device.properties.l2_bytes = 1 << 16;
    runner.device.properties.memory_bytes = 1 << 22;
    let bench = Bench::new(&runner.device, 1).expect("ceilings");
    let ceilings = &bench.ceilings;
    assert!(ceilings.read_gb_per_s > 0.0 && ceilings.launch_us > 0.0, "{ceilings:?}");
    bench
}

fn check_row(row: &Row) {
    let kernel = &row.subject.kernel;
    assert!(row.broken || row.correct, "{kernel}: {:?}", row.failures);
    let time = row.time_ms.expect("it is timed");
    assert_eq!(time.samples, FEWEST_SAMPLES, "{kernel}");
    assert!(time.min <= time.median && time.median <= time.max, "{time:?}");
    let rate = row.bytes as f64 / (time.median * 1e6);
    assert!((row.gb_per_s.expect("a rate") / rate - 1.0).abs() < 1e-9);
    let least = row.ceiling_ms.expect("a ceiling");
    assert!((row.fraction_of_ceiling.expect("a share") / (least / time.median) - 1.0).abs() < 1e-9);
    assert!(row.fraction_of_peak.is_some());
    assert_eq!(row.samples_us.as_ref().map(Vec::len), Some(time.samples), "{kernel}");
}

/// The tables that a GPU's rows have, in a narrow terminal and in a wide one.
fn check_tables(rows: &[Row]) {
    let mut rows = rows.to_vec();
    rows.iter_mut().for_each(|row| row.recorded.simulated = false);
    for width in [80, 120] {
        let text = table::render(&rows, width).text;
        for line in text.lines().take_while(|line| !line.is_empty()) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(text.contains("ceiling") && text.contains("GB/s"), "{text}");
    }
}
