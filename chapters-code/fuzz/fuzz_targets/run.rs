//! Whatever parses can be loaded, and its kernels launched: each runs to its end, faults, or is
//! stopped at its instruction limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use simt::{Launch, LoadedModule, Memory, Options};

/// Bytes of the array that every parameter of eight bytes points to.
const ARRAY: u64 = 4096;

fuzz_target!(|text: &str| {
    let Ok(module) = ptx::parse(text) else { return };
    // Anything that differs from text to text will do.
    let choice = text.len();
    let memory = Memory::new(1 << 20);
    let Ok(array) = memory.allocate(ARRAY) else {
        return;
    };
    let Ok(loaded) = LoadedModule::load(module, &memory) else {
        return;
    };
    let options = Options {
        seed: (choice >> 2) as u64 & 7,
        counters: choice & 1 == 0,
        races: choice & 2 == 0,
        instruction_limit: 5000,
        threads: 1,
        ..Options::default()
    };
    for kernel in loaded.kernels().take(4) {
        let mut params = vec![0; kernel.ir().param_bytes.min(1 << 16) as usize];
        for slot in params.chunks_exact_mut(8) {
            slot.copy_from_slice(&array.to_le_bytes());
        }
        let launch = Launch {
            kernel,
            grid: [2, 1, 1],
            block: [40, 1, 1],
            dynamic_shared: 256,
            params: &params,
        };
        let outcome = simt::launch(&memory, &launch, &options);
        if let Some(fault) = outcome.fault {
            assert!(!fault.message.is_empty());
        }
    }
    loaded
        .unload(&memory)
        .expect("nobody else frees its variables");
});
