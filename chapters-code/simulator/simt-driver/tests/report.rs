//! Options and reports: a process of its own, as both belong to the whole library.

use std::ffi::{c_char, c_int};

use crate::common::{self, LIBRARY, code, context_in_own_process, kernel, launch, load, one_block};
use cudarc::driver::LaunchConfig;
use cudarc::driver::sys::CUresult;
use serde_json::{Value, json};

fn set_option(name: &str, value: i64) -> c_int {
    common::set_option(&LIBRARY, name, value)
}

fn take(buffer: &mut [u8]) -> usize {
    type TakeReport = unsafe extern "C" fn(*mut c_char, usize) -> usize;
    // SAFETY: the function has this type, and the buffer its length.
    unsafe {
        let take = LIBRARY.get::<TakeReport>("simtTakeReport").unwrap();
        take(buffer.as_mut_ptr().cast(), buffer.len())
    }
}

/// The launches since this was last called.
pub fn report() -> Value {
    let mut buffer = vec![0; take(&mut [])];
    assert_eq!(take(&mut buffer), buffer.len());
    serde_json::from_slice(&buffer).unwrap()
}

#[test]
fn launches_are_reported() {
    let Some(context) = context_in_own_process("report::launches_are_reported", &[]) else {
        return;
    };
    let stream = context.default_stream();
    assert_eq!(report(), json!({"version": 1, "launches": [], "dropped": 0}));

    let add = kernel(&context, "add");
    let mut data = stream.alloc_zeros::<f32>(64).unwrap();
    let other = stream.alloc_zeros::<f32>(64).unwrap();
    let config = LaunchConfig { shared_mem_bytes: 16, ..common::blocks(2, 32) };
    launch!(stream, add, config, &mut data, &other, &other, &64u32).unwrap();

    // Too small a buffer changes nothing.
    let needed = take(&mut [0; 10]);
    assert!(needed > 10);
    let found = report();
    let launch = &found["launches"][0];
    assert_eq!(launch["kernel"], "add");
    assert_eq!(launch["grid"], json!([2, 1, 1]));
    assert_eq!(launch["block"], json!([32, 1, 1]));
    assert_eq!((&launch["dynamic_shared"], &launch["static_shared"]), (&json!(16), &json!(0)));
    assert_eq!(launch["counters"]["global_load_requests"], 4);
    assert_eq!(launch["counters"]["global_load_sectors"], 16);
    assert_eq!(launch["counters"]["global_store_requests"], 2);
    assert_eq!((&launch["races"], &launch["fault"]), (&json!([]), &Value::Null));
    assert_eq!(report()["launches"], json!([]));

    for (name, value, expected) in [
        ("no_such_option", 1, 1),
        ("races", 2, 1),
        ("resident_blocks", -1, 1),
        ("seed", -1, 0),
        ("seed", 0, 0),
        ("races", 1, 0),
        ("races", 0, 0),
        ("threads", 1, 0),
        ("trace", 0, 0),
    ] {
        assert_eq!(set_option(name, value), expected, "{name} = {value}");
    }

    assert_eq!(launch["trace"], Value::Null);
    assert_eq!(set_option("trace", 1), 0);
    launch!(stream, add, config, &mut data, &other, &other, &64u32).unwrap();
    let trace = &report()["launches"][0]["trace"];
    assert_eq!(trace["dropped"], 0);
    let accesses = trace["events"].as_array().unwrap().iter();
    let stores = accesses.filter(|event| event["access"] == "store");
    let stores: Vec<_> = stores.map(|event| &event["block"]).collect();
    assert_eq!(stores, [&json!(0), &json!(1)]);
    assert_eq!(set_option("trace", 0), 0);

    assert_eq!(set_option("counters", 0), 0);
    assert_eq!(set_option("instruction_limit", 1000), 0);
    let forever = kernel(&context, "forever");
    launch!(stream, forever, one_block(32)).unwrap();
    assert_eq!(code(stream.synchronize()), CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
    let launch = &report()["launches"][0];
    assert_eq!(launch["counters"], Value::Null);
    assert_eq!(launch["fault"]["kind"], "instruction_limit");
    let message = launch["fault"]["message"].as_str().unwrap();
    assert!(message.contains("forever"), "{message}");

    // A launch that is refused is reported, and ran nothing.
    let context = common::context();
    let ptx = common::PTX.replace("trap;", "wgmma.fence.sync.aligned;");
    let abort = load(&context, &ptx, "abort");
    let stream = context.default_stream();
    let refused = code(launch!(stream, abort, one_block(1)));
    assert_eq!(refused, CUresult::CUDA_ERROR_NOT_SUPPORTED);
    let launch = &report()["launches"][0];
    assert_eq!(launch["kernel"], "abort");
    assert_eq!(launch["fault"]["kind"], "unsupported");
    let message = launch["fault"]["message"].as_str().unwrap();
    assert!(message.contains("`wgmma.fence.sync.aligned`"), "{message}");

    // Of a program that never asks, the last launches are kept.
    let context = common::context();
    let count = kernel(&context, "count");
    for _ in 0..4100 {
        launch!(context.default_stream(), count, one_block(1)).unwrap();
    }
    let found = report();
    assert_eq!(found["launches"].as_array().map(Vec::len), Some(4096));
    assert_eq!(found["dropped"], 4);
}

/// `simt.h` declares the functions that go beyond CUDA's interface, and no others; a C compiler accepts it.
#[test]
fn the_header_declares_what_is_exported() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a source");
    let (source, header) = (read("src/api/extra.rs"), read("simt.h"));
    let exported = source.split("extern \"C\" fn ").skip(1).map(|rest| {
        let (name, _) = rest.split_once('(').expect("a function");
        name
    });
    let exported: std::collections::BTreeSet<&str> = exported.collect();
    let is_code = |line: &&str| line.ends_with(");");
    let declared = header.lines().filter(is_code).map(|line| {
        let (before, _) = line.split_once('(').expect("a function");
        before.rsplit([' ', '*']).next().expect("a name")
    });
    assert_eq!(declared.collect::<std::collections::BTreeSet<_>>(), exported);

    let compiled = std::process::Command::new("cc")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-xc"])
        .arg(folder.join("simt.h"))
        .output();
    let Ok(compiled) = compiled else {
        return eprintln!("SKIPPED: there is no C compiler called cc");
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}
