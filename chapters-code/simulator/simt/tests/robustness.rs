//! Whatever parses can be loaded and launched: damaged kernels run to their end, fault, or are
//! stopped at their instruction limit. `chapters-code/simulator/fuzz` looks further.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use simt::{FaultKind, Launch, LaunchReport, LoadedModule, Memory, Options};

#[path = "../../ptx/tests/robustness/mutate.rs"]
mod mutate;

use mutate::{Random, damaged, spliced, truncated};

/// No launch may take longer, in a debug build and on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// Small kernels, one for each kind of instruction.
fn originals() -> Vec<String> {
    texts("seeds")
}

/// The texts of a folder of the fuzzer.
fn texts(folder: &str) -> Vec<String> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let folder = fuzz.join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.sort();
    let read = |path| fs::read_to_string(path).expect("it is a text");
    paths.iter().map(read).collect()
}

/// Bytes of the array of a launch.
const ARRAY: usize = 4096;

/// Launches the kernels, whose parameters all point to one array; gives what is in it at the end.
fn launch(
    memory: &Memory,
    module: &LoadedModule,
    options: &Options,
) -> (Vec<LaunchReport>, Vec<u8>) {
    let array = memory.allocate(ARRAY as u64).expect("there is room");
    let run = |kernel: &std::sync::Arc<simt::LoadedKernel>| {
        let mut params = vec![0; kernel.ir().param_bytes as usize];
        for slot in params.chunks_exact_mut(8) {
            slot.copy_from_slice(&array.to_le_bytes());
        }
        let launch = Launch::new(kernel, [2, 1, 1], [40, 1, 1], &params);
        let launch = Launch { dynamic_shared: 256, ..launch };
        let start = Instant::now();
        let report = simt::launch(memory, &launch, options);
        assert!(start.elapsed() < SOON, "`{}` takes long", kernel.ir().name);
        report
    };
    let reports = module.kernels().map(run).collect();
    (reports, memory.content(array, ARRAY).expect("it is there"))
}

fn options(seed: u64) -> Options {
    Options::default().with(|options| {
        options.seed = seed;
        options.counters = !seed.is_multiple_of(3);
        options.races = seed.is_multiple_of(2);
        options.instruction_limit = 100_000;
        options.threads = 1;
    })
}

#[test]
fn the_undamaged_kernels_end() {
    for text in originals() {
        let memory = Memory::new(1 << 20);
        let module = ptx::parse(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
        let module = LoadedModule::load(module, &memory).expect("there is room");
        for report in launch(&memory, &module, &options(0)).0 {
            assert_eq!(report.fault, None, "{text}");
        }
    }
}

#[test]
fn damaged_kernels_end_fault_or_are_stopped() {
    let originals = originals();
    let (mut ended, mut faults) = (0, Vec::new());
    for seed in 0..20_000 {
        let random = &mut Random::new(seed);
        let text = &originals[random.below(originals.len())];
        let text = match random.below(16) {
            0 => truncated(text, random),
            1 => spliced(text, &originals[random.below(originals.len())], random),
            _ => damaged(text, random),
        };
        let Ok(module) = ptx::parse(&text) else {
            continue;
        };
        let memory = Memory::new(1 << 20);
        let Ok(module) = LoadedModule::load(module, &memory) else {
            continue;
        };
        for report in launch(&memory, &module, &options(seed)).0 {
            match report.fault {
                Some(fault) => faults.push(fault.kind),
                None => ended += 1,
            }
        }
        module.unload(&memory).expect("its variables are there");
    }
    // The damage is neither always fatal nor never, and a loop that has lost its end is stopped.
    assert!(ended > 1000 && faults.len() > 200, "{ended}, {}", faults.len());
    for kind in [FaultKind::IllegalAddress, FaultKind::InstructionLimit] {
        assert!(faults.contains(&kind), "{kind:?} among {}", faults.len());
    }
}

/// How a kernel's launches end, and what they leave in their array.
fn ends(text: &str, options: &Options) -> Option<(Vec<Option<FaultKind>>, Vec<u8>)> {
    let memory = Memory::new(1 << 20);
    let module = LoadedModule::load(ptx::parse(text).ok()?, &memory).ok()?;
    let (reports, bytes) = launch(&memory, &module, options);
    let kind = |report: LaunchReport| report.fault.map(|fault| fault.kind);
    Some((reports.into_iter().map(kind).collect(), bytes))
}

/// Launches a text's kernels unwatched, and with all that can watch, which must change nothing.
/// False if it does not parse, or cannot be loaded.
fn ends_alike(text: &str, seed: u64) -> bool {
    let plain = options(seed).with(|options| {
        options.counters = false;
        options.races = false;
    });
    let Some(alone) = ends(text, &plain) else {
        return false;
    };
    for watcher in 1..8 {
        let watched = plain.clone().with(|options| {
            options.counters = watcher & 1 != 0;
            options.races = watcher & 2 != 0;
            options.trace = watcher & 4 != 0;
        });
        let ends = ends(text, &watched);
        assert_eq!(ends.as_ref(), Some(&alone), "{watched:?}:\n{text}");
    }
    true
}

#[test]
fn whoever_watches_changes_nothing() {
    let originals = originals();
    let alike = |&seed: &u64| {
        let random = &mut Random::new(seed);
        let text = damaged(&originals[random.below(originals.len())], random);
        ends_alike(&text, seed)
    };
    let compared = (0..5000).filter(alike).count();
    assert!(compared > 500, "{compared}");
}

/// What the fuzzer came upon: texts that each reach what no other does.
#[test]
fn what_fuzzing_found_ends() {
    let found = texts("found");
    let ran = found.iter().zip(0..).filter(|(text, seed)| ends_alike(text, *seed));
    assert!(ran.count() > 30, "of {}", found.len());
}

#[test]
fn more_local_memory_than_a_thread_has_is_refused() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
        .entry k() { .local .b8 a[2000000000]; ret; }";
    let memory = Memory::new(1 << 20);
    let module = ptx::parse(text).expect("it is correct");
    let module = LoadedModule::load(module, &memory).expect("there is room");
    let fault = launch(&memory, &module, &options(0)).0.remove(0).fault;
    let fault = fault.expect("there is not that much");
    assert_eq!(fault.kind, FaultKind::OutOfResources, "{fault}");
}
