//! Recorded runs for tests, which say only what a test is about.

use serde_json::{Value, json};

/// `text`, a recorded run of which fields and columns are left out, with all of them. What is not JSON, or is of another kind,
/// stays as it is.
pub(crate) fn completed(text: &str) -> String {
    let Ok(mut run) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if run.get("device").is_none() {
        return text.to_owned();
    }
    complete(&mut run, &usual_run());
    for row in run["rows"].as_array_mut().into_iter().flatten() {
        complete(row, &usual_row());
    }
    run.to_string()
}

/// What a recording or a row need not have.
const OPTIONAL: [&str; 4] = ["ceilings", "time_ms", "baseline", "counters"];

/// Adds what `own` lacks of `usual`.
fn complete(own: &mut Value, usual: &Value) {
    let (true, Some(usual)) = (own.is_object(), usual.as_object()) else { return };
    for (name, value) in usual {
        match own.get_mut(name) {
            Some(own) => complete(own, value),
            None if OPTIONAL.contains(&&**name) => own[name] = Value::Null,
            None => own[name] = value.clone(),
        }
    }
}

fn usual_run() -> Value {
    json!({
        "schema": 1, "date": "2026-01-02", "commit": "abc", "command": "record", "libraries": [], "conditions": [],
        "device": {
            "compute_capability": "9.0", "driver": "1.2", "memory": 1, "peak_gb_per_s": 4800.0, "multiprocessors": 132,
            "l2": 1, "clocks": { "multiprocessor_mhz": 1980.0, "memory_mhz": 3201.0 }
        },
        "ceilings": {
            "buffer_bytes": 1, "copy_gb_per_s": 4000.0, "copy_time_ms": time(), "read_gb_per_s": 4500.0,
            "read_time_ms": time(), "peak_gb_per_s": 4800.0, "launch_us": 3.0
        },
        "kernels": {}, "rows": [], "skipped": [], "checksums": []
    })
}

fn usual_row() -> Value {
    json!({
        "chapter": "chapter_1_reduce", "kernel": "", "n": 1024, "dtype": "f32", "op": "sum", "input": "uniform",
        "seed": 1, "device": "", "simulated": false, "broken": false, "correct": true, "failures": [], "error": 0.0,
        "error_bound": 0.0, "bytes": 4096, "time_ms": time(), "gb_per_s": null, "bytes_written": 0,
        "fraction_of_ceiling": null, "fraction_of_peak": null, "registers": 16, "occupancy": 1.0,
        "baseline": {
            "name": "CUB", "version": "3", "call": "Sum", "time_ms": time(), "samples_us": [], "ratio": 1.1,
            "interval": [1.0, 1.2], "is_equal": false
        },
        "counters": simt_report::Counters::default(), "races": []
    })
}

fn time() -> Value {
    json!({ "median": 1.0, "min": 1.0, "max": 1.0, "samples": 30 })
}
