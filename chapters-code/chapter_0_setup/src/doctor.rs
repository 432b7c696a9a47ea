//! What this machine has and lacks, each lack with the command that mends it. Never panics: it is
//! what one runs when nothing works.

use harness::{
    Device, Error,
    driver::{cuda_version_text, find_simulator, probe_nvidia},
    nccl::{self, Nccl},
};
use libloading::Library;
use report::terminal;

/// NVRTC by the names that its wheels, packages and installers use.
const NVRTC_NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_120_0.dll", "nvrtc64_130_0.dll"]
} else {
    &["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so"]
};

/// The report, a part a paragraph of at most `width` columns.
pub fn report(width: usize) -> String {
    let mut text = String::new();
    let parts = [("GPU", gpu()), ("NVRTC", nvrtc()), ("NCCL", nccl()), ("simulator", simulator())];
    for (part, state) in parts {
        for (i, line) in state.lines().enumerate() {
            let label = if i == 0 { part } else { "" };
            text += &terminal::wrap_after(&format!("{label:<11}"), line, width);
        }
    }
    text
}

/// The GPU and its driver, or what is missing.
fn gpu() -> String {
    match probe_nvidia() {
        Ok(driver) => {
            let cuda = cuda_version_text(driver.version);
            let devices = if driver.devices == 1 { "device" } else { "devices" };
            format!("found: {} {devices}, driver for {cuda}", driver.devices)
        }
        Err(Error::NoGpu { reason, remedy }) => {
            format!(
                "none: {reason}\nto use a GPU: {remedy}\nwithout one, kernels run on the simulator"
            )
        }
        Err(other) => other.to_string(),
    }
}

/// NVRTC's version, or what is missing without it.
fn nvrtc() -> String {
    // Where `cargo xtask nvrtc` puts it.
    let fetched = ["target/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"];
    let mut names = NVRTC_NAMES.iter().chain(&fetched);
    let found = names.find_map(|name| Some((name, nvrtc_version(name)?)));
    match found {
        Some((name, (major, minor))) => format!("found: {name}, version {major}.{minor}"),
        None => "none: it is only needed to compile a kernel that you have changed\n\
                 to get it: `cargo xtask nvrtc`"
            .into(),
    }
}

fn nvrtc_version(name: &str) -> Option<(i32, i32)> {
    type Version = unsafe extern "C" fn(*mut i32, *mut i32) -> i32;
    // SAFETY: NVRTC has no initialisers with preconditions.
    let library = unsafe { Library::new(name) }.ok()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the signature is that of nvrtc.h; the pointers are to live integers.
    let status = unsafe {
        let version = library.get::<Version>(b"nvrtcVersion").ok()?;
        version(&mut major, &mut minor)
    };
    (status == 0).then_some((major, minor))
}

/// NVIDIA's NCCL, or what is missing without it.
fn nccl() -> String {
    match nccl::find_nvidia() {
        Some(Nccl { path, version, .. }) => format!("found: {}, version {version}", path.display()),
        None => "none: it is only needed to compare chapter 8's kernels with it, on several GPUs\n\
                 to get it on Linux: `pip install --target target/nccl nvidia-nccl-cu12`"
            .into(),
    }
}

/// The simulator, and what stands in for NCCL there.
fn simulator() -> String {
    let driver = match find_simulator() {
        Ok(path) => format!("found: {}", path.display()),
        Err(error) => return format!("none: {error}"),
    };
    match nccl::find_simulated() {
        Some(Nccl { path, version, .. }) => {
            format!("{driver}\nin place of NCCL {version}: {}", path.display())
        }
        None => driver,
    }
}

/// What the device in use says of itself.
pub fn describe(device: &Device) -> String {
    let p = &device.properties;
    let (major, minor) = p.compute_capability;
    format!(
        "{}\n  compute capability {major}.{minor}, {} multiprocessors at {:.2} GHz, {} threads each\n  \
         {} of memory, {} of L2 cache\n  {} bits of memory bus at {:.2} GHz: {:.0} GB/s at the peak\n",
        p.name,
        p.multiprocessors,
        f64::from(p.clock_khz) / 1e6,
        p.threads_per_multiprocessor,
        harness::error::bytes(p.memory_bytes),
        harness::error::bytes(p.l2_bytes),
        p.memory_bus_bits,
        f64::from(p.memory_clock_khz) / 1e6,
        p.peak_gb_per_s()
    )
}
