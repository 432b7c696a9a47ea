//! `cargo run --release -p chapter_0_setup --example latencies`: how long one thread waits for an addition and
//! for a load from each kind of memory. What it prints is a file for `book/measurements/`, called
//! `latencies_<device>_<date>.tsv`.

use std::process::ExitCode;

use chapter_0_setup::latencies::measure;
use harness::{Device, DeviceChoice, Error, driver::cuda_version_text};

fn main() -> ExitCode {
    report::exit(print().map(|()| true).map_err(Into::into))
}

fn print() -> Result<(), Error> {
    let device = Device::open(DeviceChoice::Gpu)?;
    let times = measure(&device, 16)?;
    let gigahertz = f64::from(device.properties.clock_khz) / 1e6;
    let cuda = cuda_version_text(device.properties.driver_version);
    println!("# How long a lone thread waits for one result, by `latencies`");
    println!(
        "# device: {}; driver: {cuda}; clock: {gigahertz:.2} GHz at most",
        device.properties.name,
    );
    println!("result of\tnanoseconds\tclocks at most");
    for (what, time) in [
        ("an addition in registers", times.addition),
        ("a load from shared memory", times.shared),
        ("a load from the L1", times.l1),
        ("a load from the L2", times.l2),
        ("a load from memory", times.memory),
    ] {
        println!("{what}\t{time:.1}\t{:.0}", time * gigahertz);
    }
    Ok(())
}
