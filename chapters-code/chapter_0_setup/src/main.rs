//! `cargo run --bin chapter_0`: what this machine has, the first kernel, and the ceilings.

use std::process::ExitCode;

use chapter_0_setup::{chapter::Setup, doctor};
use harness::{Device, Options, TypeOptions, cli};

/// Reports what this machine has and lacks, runs the first kernel, and measures the device's
/// ceilings.
#[derive(clap::Parser)]
#[command(name = "chapter_0", version, after_help = cli::EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    harness::main(|Arguments { options }| {
        let prints = !options.list
            && options
                .json
                .as_deref()
                .is_none_or(|path| path.as_os_str() != "-");
        if prints {
            println!("{}", doctor::report());
            print!("{}", doctor::describe(&Device::open(options.device)?));
            println!();
        }
        harness::run(&Setup, &options, &TypeOptions::default())
    })
}
