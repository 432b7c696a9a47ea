//! `cargo run --release -p chapter_0_setup --example wrong_clock`: three ways to time a kernel wrongly
//! that are often met, and the right one. What it prints is a file for `book/measurements/`, called
//! `wrong_clock_<device>_<date>.tsv`.

use std::process::ExitCode;

use chapter_0_setup::wrong_clock::{BYTES, measure};
use harness::{Device, DeviceChoice, Error, driver::cuda_version_text};

fn main() -> ExitCode {
    report::exit(print().map(|()| true).map_err(Into::into))
}

fn print() -> Result<(), Error> {
    let device = Device::open(DeviceChoice::Gpu)?;
    let times = measure(&device)?;
    let cuda = cuda_version_text(device.properties.driver_version);
    println!("# What one launch of vector_add seems to take, {BYTES} bytes, by `wrong_clock`");
    println!("# device: {}; driver: {cuda}", device.properties.name);
    println!("way\tmicroseconds\tGB/s");
    for (way, ms) in [
        ("the first launch", times.first),
        ("the host's clock, without waiting", times.host),
        ("from the L2, again and again", times.cached),
        ("warmed up, and the L2 flushed", times.right),
    ] {
        println!("{way}\t{:.2}\t{:.0}", ms * 1e3, BYTES as f64 / ms / 1e6);
    }
    Ok(())
}
