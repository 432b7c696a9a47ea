//! The timed path, which a GPU takes, run on the simulator's clock: what it measures there means
//! nothing, but everything around the measuring must be right.

mod common;

use chapter_1_reduce::chapter::Reduce;
use harness::{
    Chapter, Row,
    ceiling::Ceilings,
    ladder::Bench,
    progress::Progress,
    runner::Step,
    table,
    timing::{FEWEST_SAMPLES, Stopwatch},
};

/// Every rung at 1,000 elements, the broken ones too, with a small L2 and memory to flush and copy.
fn timed_rows() -> Vec<Row> {
    let mut runner = common::simulator();
    runner.device.properties.l2_bytes = 1 << 16;
    runner.device.properties.memory_bytes = 1 << 22;
    let mut stopwatch = Stopwatch::new(&runner.device, 1).expect("a stopwatch");
    let ceilings = Ceilings::measure(&runner.device, &mut stopwatch).expect("ceilings");
    assert!(
        ceilings.read_gb_per_s > 0.0 && ceilings.launch_us > 0.0,
        "{ceilings:?}"
    );
    runner.bench = Some(Bench {
        stopwatch,
        ceilings,
    });

    let case = common::sum_f32(1000);
    let step = |rung: harness::RungInfo| Step {
        rung,
        case: Reduce.case_for(rung.name, &case),
    };
    let steps = Reduce.rungs().into_iter().map(step);
    let mut steps: Vec<Step> = steps
        .filter(|step| Reduce.refusal(step.rung.name, &step.case).is_none())
        .collect();
    // After one that destroys its input, again one that needs it.
    let again = Step {
        case: steps[steps.len() - 1].case,
        ..steps[4]
    };
    let destroys = steps
        .iter()
        .position(|step| step.rung.name == "scratch_is_input");
    let destroys = destroys.expect("it is a rung");
    steps.insert(
        destroys + 1,
        Step {
            case: steps[destroys].case,
            ..again
        },
    );

    let mut rows = Vec::new();
    let mut done = |row| {
        rows.push(row);
        Ok(())
    };
    runner
        .run(&Reduce, &steps, &Progress::new(0), &mut done)
        .expect("they run");
    rows
}

#[test]
fn rows_are_timed_and_still_verified() {
    let rows = timed_rows();
    for row in rows.iter().filter(|row| !row.broken) {
        assert!(row.correct, "{}: {:?}", row.kernel, row.failures);
    }
    for row in &rows {
        let time = row.time_ms.expect("it is timed");
        assert_eq!(time.samples, FEWEST_SAMPLES, "{}", row.kernel);
        assert!(
            time.min <= time.median && time.median <= time.max,
            "{time:?}"
        );
        let rate = row.bytes as f64 / (time.median * 1e6);
        assert!((row.gb_per_s.expect("a rate") / rate - 1.0).abs() < 1e-9);
        assert!(row.fraction_of_ceiling.is_some() && row.fraction_of_peak.is_some());
    }

    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| Row {
            simulated: false,
            ..row
        })
        .collect();
    for width in [80, 120] {
        let text = table::render(&common::sum_f32(1000), &rows, width).text;
        let table = text.lines().take_while(|line| !line.is_empty());
        for line in table {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(text.contains("of read") && text.contains("GB/s"), "{text}");
    }
}
