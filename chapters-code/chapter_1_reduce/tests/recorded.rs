//! Recordings can be read, and give the figures of the text.

use report::recorded::{recordings, unreadable};

#[test]
fn recorded_files_can_be_read() {
    assert!(unreadable().is_empty(), "{:?}", unreadable());
}

/// What the chapter computes from the time of one load from memory, and from a data sheet's peak of
/// 4.8e12 bytes a second over 132 multiprocessors.
#[test]
fn a_lone_load_gives_the_figures_of_the_text() {
    let latency = recordings()
        .iter()
        .find(|recording| recording.device.name.contains("H200"))
        .and_then(|recording| recording.ceilings.latency_ns)
        .expect("a recorded H200 has it")
        * 1e-9;
    let quoted = |figure: f64, quoted: f64, half_a_digit: f64| {
        assert!((figure - quoted).abs() <= half_a_digit, "{figure}");
    };
    quoted(32.0 / latency / 1e9, 0.1, 0.005); // GB/s of one thread, a sector at a time
    let in_flight = 4.8e12 * latency;
    quoted(in_flight / 1e6, 1.6, 0.05); // MB
    quoted(in_flight / 132.0 / 1e3, 12.0, 0.5); // KB a multiprocessor
    quoted(2048.0 * 4.0 / (in_flight / 132.0), 2.0 / 3.0, 0.05);
    quoted(131_072.0 / (in_flight / 132.0), 11.0, 0.5);
    // The third budget: a wait is longer than a block may stay, 448 clocks: the text says more than 600.
    assert!(latency * 1.98e9 > 600.0);
}
