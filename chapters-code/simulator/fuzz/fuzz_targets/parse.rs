//! Any text gives a module or an error: `ptx::parse` does not panic, and a parsed kernel can be
//! asked everything.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match ptx::parse(text) {
    Ok(module) => {
        for kernel in &module.kernels {
            assert!(!kernel.code.is_empty());
            let _registers = kernel.live_registers();
        }
    }
    Err(error) => assert!(error.line > 0 && !error.to_string().is_empty()),
});
