//! What the simulator takes of the host's memory: at most twice what a program allocates on the
//! device, and 200 MB; where it looks for races, up to 8 bytes more a byte. Each program is a process
//! of its own, which says its peak at its end.

#![cfg(target_os = "linux")]

use crate::common::{blocks, context, in_own_process, kernel, launch, load};
use cudarc::driver::LaunchConfig;

const MB: u64 = 1_000_000;

/// The most that this process has held, in bytes: `VmHWM`, in units of 1024.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")).unwrap();
    kib.parse::<u64>().unwrap() * 1024
}

/// Three arrays that have `BYTES` together; they are filled, read and written to the last byte.
#[test]
#[ignore = "run by the other tests"]
fn large_arrays() {
    let context = context();
    let stream = context.default_stream();
    let bytes: u32 = std::env::var("BYTES").unwrap().parse().unwrap();
    let (n, add) = (bytes / 12, kernel(&context, "add"));
    let mut arrays = [(); 3].map(|()| stream.alloc_zeros::<f32>(n as usize).unwrap());
    let [a, b, c] = &mut arrays;
    launch!(stream, add, LaunchConfig::for_num_elems(n), c, &*a, &*b, &n).unwrap();
    stream.synchronize().unwrap();
    println!("peak {}", peak());
}

/// Arrays that are freed before the next one is allocated.
#[test]
#[ignore = "run by the other tests"]
fn one_after_another() {
    let context = context();
    let stream = context.default_stream();
    for _ in 0..8 {
        drop(stream.alloc_zeros::<u8>(100_000_000).unwrap());
    }
    println!("peak {}", peak());
}

/// Many arrays of four bytes.
#[test]
#[ignore = "run by the other tests"]
fn small_arrays() {
    let context = context();
    let stream = context.default_stream();
    let arrays: Vec<_> = (0..100_000).map(|_| stream.alloc_zeros::<u32>(1).unwrap()).collect();
    println!("peak {}", peak());
    // The context takes its memory with it.
    arrays.into_iter().for_each(|array| {
        array.leak();
    });
}

/// A kernel that declares 450 registers a thread and whose blocks all wait for one another.
fn grid_barrier_ptx() -> String {
    let chain32 = (2..248).map(|r| format!("add.u32 %r{r}, %r{}, 1;\n", r - 1));
    let chain64 = (2..99).map(|r| format!("add.u64 %rd{r}, %rd{}, 1;\n", r - 1));
    format!(
        ".version 7.5\n.target sm_75\n.address_size 64\n\
         .visible .entry grid_barrier(.param .u64 count)\n{{\n\
         .reg .pred %p<3>;\n.reg .b32 %r<250>;\n.reg .b64 %rd<100>;\n\
         mov.u32 %r1, %tid.x;\n{}cvt.u64.u32 %rd1, %r1;\n{}\
         ld.param.u64 %rd99, [count];\n\
         setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n\
         atom.global.add.u32 %r248, [%rd99], 1;\n\
         SPIN: ld.volatile.global.u32 %r249, [%rd99];\n\
         setp.lt.u32 %p2, %r249, {BLOCKS};\n@%p2 bra SPIN;\n\
         WAIT: bar.sync 0;\nret;\n}}\n",
        chain32.collect::<String>(),
        chain64.collect::<String>(),
    )
}

/// One block of 1024 threads per multiprocessor.
const BLOCKS: u32 = 132;

/// Blocks that are resident all at once, as they wait for one another.
#[test]
#[ignore = "run by the other tests"]
fn grid_barrier() {
    let context = context();
    let stream = context.default_stream();
    let kernel = load(&context, &grid_barrier_ptx(), "grid_barrier");
    let mut count = stream.alloc_zeros::<u32>(1).unwrap();
    launch!(stream, kernel, blocks(BLOCKS, 1024), &mut count).unwrap();
    assert_eq!(stream.clone_dtoh(&count).unwrap(), [BLOCKS]);
    println!("peak {}", peak());
}

/// Runs a program that allocates so much at a time; its peak may be `times` that, and 200 MB.
#[track_caller]
fn check(name: &str, allocated: u64, races: &str, times: u64) {
    let (test, bytes) = (format!("host_memory::{name}"), allocated.to_string());
    let run = in_own_process(&test, &[("SIMT_RACES", races), ("BYTES", &bytes)]);
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}{err}");
    let peak = out.lines().find_map(|line| line.strip_prefix("peak "));
    let peak = peak.expect("it says so").parse().unwrap();
    let most = times * allocated + 200 * MB;
    assert!((allocated..=most).contains(&peak), "{name}: {peak} bytes, of at most {most}");
}

#[test]
fn twice_what_is_allocated_and_200_mb() {
    check("large_arrays", 512 * MB, "0", 2);
    check("one_after_another", 100 * MB, "0", 2);
    check("small_arrays", 400_000, "0", 2);
    check("grid_barrier", 4, "0", 2);
}

#[test]
fn the_history_of_races_is_8_bytes_a_byte() {
    check("large_arrays", 64 * MB, "1", 2 + 8);
}
