//! The estimate of a kernel's registers, and the occupancy that follows, against the runs that were
//! recorded on a GPU of the simulated device's kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction};
use cudarc::nvrtc::Ptx;
use harness::{Device, DeviceChoice};
use serde_json::Value;

/// Where the recorded runs are.
const MEASUREMENTS: &str = "../../../book/measurements";
/// How far the estimate may be from the registers of a kernel.
const FARTHEST: i64 = 15;

/// A kernel whose loop ptxas unrolls: its SASS has five times the loads of its PTX, and the estimate
/// is made from the PTX.
const UNROLLED: &str = "reduce_thread_per_segment";

/// Kernels that hold several packs or elements at once. For them ptxas and the estimate differ so far that the
/// occupancy does, too: in this order 55 registers and not 48, 32 and not 46, 31 and not 40, 32 and not 43,
/// 52 and not 41.
const FAR: [&str; 5] = [
    "columns_coarsened",
    "rows_coarsened",
    "reduce_lanes_per_segment",
    "reduce_one_length",
    "sums_first",
];

/// A kernel of a recorded run.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Recorded {
    ptx: PathBuf,
    entry: String,
    registers: i64,
}

#[test]
fn recorded_kernels() {
    let context = Device::open(DeviceChoice::Sim).expect("the simulator").context;
    let recorded = recorded();
    if recorded.is_empty() {
        eprintln!("SKIPPED: no run on an H200 is recorded in {MEASUREMENTS}");
        return;
    }
    let mut distances: BTreeMap<i64, u32> = BTreeMap::new();
    println!("registers: recorded, estimated");
    for Recorded { ptx, entry, registers } in &recorded {
        let function = load(&context, ptx, entry);
        let estimate = i64::from(function.num_regs().unwrap());
        let rung = ptx.file_stem().unwrap_or_default().display();
        println!("{registers:4} {estimate:4} {rung} {entry}");
        if !FAR.iter().any(|far| ptx.file_stem().is_some_and(|rung| rung == *far)) {
            check_occupancy(&function, *registers as u32, entry);
        }
        if ptx.file_stem().is_none_or(|rung| rung != UNROLLED) {
            *distances.entry(estimate - registers).or_default() += 1;
        }
    }
    println!("estimated - recorded, kernels: {distances:?}");
    let far = |distance: &i64| distance.abs() > FARTHEST;
    assert!(!distances.keys().any(far), "{distances:?}");
    let near: u32 = distances.range(-5..=5).map(|(_, kernels)| kernels).sum();
    assert!(10 * near as usize >= 7 * recorded.len(), "{distances:?}");
}

/// The estimate gives the same blocks as the recorded registers do, at every size of block.
#[track_caller]
fn check_occupancy(function: &CudaFunction, registers: u32, entry: &str) {
    let fixed = function.shared_size_bytes().unwrap() as u32;
    let most = function.max_threads_per_block().unwrap() as u32 / 32;
    for warps in [1, 2, 4, 8, 16, 32] {
        let a_warp = (registers * 32).next_multiple_of(256);
        let by_registers = 65_536 / 4 / a_warp * 4 / warps;
        let by_shared = 233_472 / (fixed + 1024).next_multiple_of(128);
        let expected = match warps > most {
            true => 0, // past its `.maxntid` a kernel is not launched at all
            false => by_registers.min(by_shared).min(64 / warps).min(32),
        };
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(32 * warps, 0, None);
        assert_eq!(blocks.unwrap(), expected, "{entry}: {warps} warps a block");
    }
}

fn load(context: &Arc<CudaContext>, ptx: &Path, entry: &str) -> CudaFunction {
    let module = context.load_module(Ptx::from_file(ptx)).expect("PTX");
    module.load_function(entry).expect("the kernel is there")
}

/// The kernels of the runs on an H200, each once.
fn recorded() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(MEASUREMENTS);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let mut all: Vec<Recorded> = files.flat_map(|path| kernels_of(&path)).collect();
    all.sort();
    all.dedup();
    all
}

fn kernels_of(path: &Path) -> Vec<Recorded> {
    let text = fs::read_to_string(path).expect("a recorded run");
    let run: Value = serde_json::from_str(&text).expect("a recorded run is JSON");
    let h200 = run["device"]["name"].as_str().is_some_and(|name| name.contains("H200"));
    let rows = run["rows"].as_array().filter(|_| h200);
    rows.into_iter().flatten().filter_map(kernel_of).collect()
}

/// The kernel of a row. A row of two kernels has the registers of the first, and is left out.
fn kernel_of(row: &Value) -> Option<Recorded> {
    let text = |field: &str| row[field].as_str().unwrap_or_default();
    let name = text("kernel");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(text("chapter"));
    let kernels = folder.join("kernels");
    let candidates = [
        kernels.join(format!("{name}.ptx")),
        kernels.join(format!("{name}.compute_80.ptx")),
        kernels.join("broken").join(format!("{name}.ptx")),
    ];
    let ptx = candidates.into_iter().find(|path| path.is_file())?;
    let entry = format!("{}_{}", text("op"), text("dtype"));
    let declared = format!(".entry {entry}(");
    let present = fs::read_to_string(&ptx).is_ok_and(|text| text.contains(&declared));
    (present && name != "finish_second_kernel").then(|| Recorded {
        ptx,
        entry,
        registers: row["registers"].as_i64().unwrap_or(0),
    })
}
