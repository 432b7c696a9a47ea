//! Recordings give the figures of the text.

use crate::common;
use report::recorded::{of_simulated_device, subject};

/// What the chapter computes from the time of one load from memory, and from a data sheet's peak of
/// 4.8e12 bytes a second over 132 multiprocessors.
#[test]
fn a_lone_load_gives_the_figures_of_the_text() {
    let recording = of_simulated_device().expect("there is a recording");
    let ceilings = recording.head.ceilings.as_ref().expect("a recorded H200 has them");
    let latency = ceilings.latency_ns.expect("it was measured") * 1e-9;
    let quoted = |figure: f64, quoted: f64, half_a_digit: f64| {
        assert!((figure - quoted).abs() <= half_a_digit, "{figure}");
    };
    quoted(32.0 / latency / 1e9, 0.1, 0.01); // GB/s of one thread, a sector at a time
    let in_flight = 4.8e12 * latency;
    quoted(in_flight / 1e6, 1.6, 0.05); // MB
    quoted(in_flight / 132.0 / 1024.0, 12.0, 0.5); // KiB per multiprocessor
    quoted(in_flight / 132.0 / 2048.0, 6.0, 0.2); // bytes per thread
    quoted(2048.0 * 4.0 / (in_flight / 132.0), 2.0 / 3.0, 0.05);
    // Little's law turned around: clocks that the bytes in flight of a multiprocessor take at the measured rate.
    let clocks = |kernel: &str, bytes: f64| {
        let subject = subject("chapter_1_reduce", kernel, &common::sum_f32(1 << 28).erased());
        let milliseconds = recording.time(&subject).expect("it was timed").median;
        let rate = 4.0 * f64::from(1 << 28) / (milliseconds * 1e6); // GB/s
        bytes / (rate / 132.0) * 1.98
    };
    quoted(clocks("sequential", 8192.0), 2500.0, 30.0); // a block's stay
    quoted(clocks("grid_stride", 8192.0), 840.0, 10.0);
    quoted(clocks("vectorized", 32_768.0), 2000.0, 30.0);
    assert!(latency * 1.98e9 < 700.0);
    // The third budget: a wait is longer than a block may stay, 448 clocks: the text says more than 600.
    assert!(latency * 1.98e9 > 600.0);
}
