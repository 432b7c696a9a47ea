//! The line below a listing says how its kernel is launched.

use std::path::Path;

use book::figure::Figures;
use harness::{Case, Device, DeviceChoice, Dtype, Shape};

fn launch(arguments: &str) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = Path::new("book/chapter_1_reduce/index.md");
    let line = Figures::new(&root).launch(page, arguments)?;
    let line = line.trim().strip_prefix("<p class=\"launch\">").expect("a paragraph");
    Ok(line.trim_end_matches("</p>").replace('\u{a0}', " "))
}

#[track_caller]
fn assert_launch(arguments: &str, expected: &str) {
    assert_eq!(launch(arguments), Ok(expected.to_owned()));
}

#[test]
fn a_launch_is_the_rungs_own() {
    assert_launch(
        "kernel=sequential n=2^20",
        "Launch: 4,096 blocks of 256 threads, 1,024 bytes of dynamic shared memory per block, for <em>n</em> = 2<sup>20</sup>.",
    );
    assert_launch(
        "kernel=first_add n=1000 block=64 dtype=f64",
        "Launch: 8 blocks of 64 threads, 512 bytes of dynamic shared memory per block, for <em>n</em> = 1,000 of f64.",
    );
    assert_launch(
        "kernel=one_thread n=2^20",
        "Launch: 1 block of 1 thread, no dynamic shared memory, for <em>n</em> = 2<sup>20</sup>.",
    );
    assert_launch(
        "chapter=chapter_6_transpose kernel=tile n=1024x512",
        "Launch: 512 blocks of 32 × 32 threads, no dynamic shared memory, for 1,024 × 512 elements.",
    );
}

#[track_caller]
fn assert_refused(arguments: &str, message: &str) {
    let error = launch(arguments).expect_err("a refusal");
    assert!(error.contains(message), "{arguments}: {error}");
}

#[test]
fn a_launch_that_there_is_not_is_refused() {
    assert_refused("kernel=sequentail n=2^20", "did you mean `sequential`?");
    assert_refused("kernel=sequential", "a launch needs n=");
    assert_refused("n=2^20", "a launch needs kernel=");
    assert_refused("kernel=sequential n=many", "n=many");
    assert_refused("kernel=sequential n=8 caption=x", "a launch has no key caption");
    assert_refused("sequential n=8", "sequential is not KEY=VALUE");
    assert_refused("kernel=sequential n=8x8", "is for vectors");
    assert_refused("kernel=sequential n=8 n=9", "n is given twice");
}

/// What a rung is said to launch is among what it launches.
#[test]
fn a_launch_is_one_that_is_made() {
    let device = Device::open(DeviceChoice::Sim).expect("the simulator");
    let chapter = chapters::find("chapter_1_reduce").expect("the chapter");
    let case =
        Case { dtype: Dtype::I32, ..chapter.sample_cases(Shape::Vector { n: 3000 }).remove(0) };
    let rungs = chapter.rungs().into_iter().filter(|rung| !rung.is_broken());
    let mut compared = 0;
    for rung in rungs.filter(|rung| chapter.refusal(rung.name, &case).is_none()) {
        let config = report::trace::config(&device, chapter, rung.name, &case, None);
        let config = config.expect("a configuration");
        let traced =
            report::trace::run(&device, chapter, rung.name, &case, None, 0).expect("a run");
        let mut launches = traced.report.launches.iter();
        let of = |(x, y, z)| [x, y, z];
        assert!(
            launches.any(|launch| launch.grid == of(config.grid_dim)
                && launch.block == of(config.block_dim)
                && launch.dynamic_shared == config.shared_mem_bytes),
            "{}: {config:?}",
            rung.name
        );
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}
