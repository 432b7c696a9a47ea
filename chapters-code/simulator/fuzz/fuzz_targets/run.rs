//! Whatever parses can be loaded, and its kernels launched: each runs to its end, faults, or is
//! stopped at its instruction limit. And whoever watches changes nothing: with counters, the race
//! check and the trace the kernels end in the same way, and leave the same bytes, as without.

#![no_main]

use libfuzzer_sys::fuzz_target;
use simt::{FaultKind, Launch, LoadedModule, Memory, Options};

/// Bytes of the array that every parameter of eight bytes points to.
const ARRAY: usize = 4096;

/// How a module's kernels ended, and the array that they share.
type Ends = (Vec<Option<FaultKind>>, Vec<u8>);

fuzz_target!(|text: &str| {
    let Ok(module) = ptx::parse(text) else { return };
    // Anything that differs from text to text will do.
    let choice = text.len();
    let plain = Options::default().with(|options| { options.seed = (choice >> 2) as u64 & 7; options.counters = false; options.instruction_limit = 5000; options.threads = 1; });
    let watched = plain.clone().with(|options| { options.counters = choice & 1 == 0; options.races = choice & 2 == 0; options.trace = choice & 32 == 0; });
    let alone = run(module, &plain);
    // What reads the time of day may see another one.
    if !text.contains("globaltimer") {
        let module = ptx::parse(text).expect("it was parsed before");
        assert_eq!(run(module, &watched), alone, "with {watched:?}");
    }
});

/// Launches the first kernels of a module; nothing if it cannot be loaded.
fn run(module: ptx::ir::Module, options: &Options) -> Option<Ends> {
    let memory = Memory::new(1 << 20);
    let array = memory.allocate(ARRAY as u64).expect("there is room");
    let loaded = LoadedModule::load(module, &memory).ok()?;
    let mut ends = Vec::new();
    for kernel in loaded.kernels().take(4) {
        let mut params = vec![0; kernel.ir().param_bytes.min(1 << 16) as usize];
        for slot in params.chunks_exact_mut(8) {
            slot.copy_from_slice(&array.to_le_bytes());
        }
        let launch = Launch::new(kernel, [2, 1, 1], [40, 1, 1], &params);
        let launch = Launch { dynamic_shared: 256, ..launch };
        let report = simt::launch(&memory, &launch, options);
        if let Some(fault) = &report.fault {
            assert!(!fault.message.is_empty());
        }
        ends.push(report.fault.map(|fault| fault.kind));
    }
    let bytes = memory.content(array, ARRAY).expect("it is there");
    loaded
        .unload(&memory)
        .expect("nobody else frees its variables");
    Some((ends, bytes))
}
