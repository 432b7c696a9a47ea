//! Which shared library answers to the name libcuda.
//!
//! cudarc opens the CUDA driver by name at its first call, and panics if there is none. So the
//! choice is made here, before that call: NVIDIA's driver if it has a device, and otherwise the
//! simulator's library, which is loaded first so that cudarc finds it. A process keeps the library
//! that it began with.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use libloading::{Library, Symbol};

use crate::{Error, simulator::Simulator};

/// Which device to run on, as `--device` spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    /// A GPU if there is one, and the simulator otherwise.
    #[default]
    Auto,
    /// A GPU, or an error that says what is missing.
    Gpu,
    /// The simulator.
    Sim,
}

/// The number of devices that the simulator has, unless `SIMT_DEVICES` says another one.
const SIMULATED_DEVICES: u32 = 8;

/// What was chosen: the simulator, or none for NVIDIA's driver.
static BOUND: Mutex<Option<Option<&Simulator>>> = Mutex::new(None);

/// PTX ISA 8.0 came with CUDA 12.0; an older driver refuses every module of this book.
const OLDEST_DRIVER: i32 = 12_000;

/// Loads the chosen library and makes sure that cudarc will find it. The result is the simulator, or none for NVIDIA's
/// driver. [`crate::Device::open`] calls it; a program that opens its devices by cudarc alone calls it first.
///
/// # Errors
/// If the library is missing, or another one was chosen before, with the remedy.
pub fn bind(choice: DeviceChoice) -> Result<Option<&'static Simulator>, Error> {
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    match (*bound, choice) {
        (Some(Some(_)), DeviceChoice::Gpu) => return Err(Error::AlreadyBound("the simulator")),
        (Some(None), DeviceChoice::Sim) => return Err(Error::AlreadyBound("a GPU")),
        (Some(already), _) => return Ok(already),
        (None, _) => {}
    }
    let chosen = match choice {
        DeviceChoice::Gpu => probe_nvidia().map(|_| None)?,
        DeviceChoice::Auto if probe_nvidia().is_ok() => None,
        DeviceChoice::Auto | DeviceChoice::Sim => Some(load_simulator()?),
    };
    Ok(*bound.insert(chosen))
}

/// Whether a library has been chosen. This waits while one is being loaded: cudarc already finds it, but its number of
/// devices is not set yet.
pub(crate) fn is_bound() -> bool {
    BOUND.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// The properties that NVIDIA's driver reports.
#[derive(Clone, Copy, Debug)]
pub struct NvidiaDriver {
    /// The number of devices that the driver offers.
    pub devices: i32,
    /// The CUDA version that it supports, as 1000 · major + 10 · minor.
    pub version: i32,
}

/// Opens NVIDIA's driver without cudarc and asks for its devices.
///
/// # Errors
/// [`Error::NoGpu`] if the library, a device, or a recent enough version is missing.
pub fn probe_nvidia() -> Result<NvidiaDriver, Error> {
    let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
    // SAFETY: NVIDIA's driver has no initialisers with preconditions.
    let library = unsafe { Library::new(name) }.map_err(|_| Error::NoGpu {
        reason: format!("the driver's library {name} is not installed"),
        remedy: "install NVIDIA's driver, version 525 or newer (in a container: run it with \
                 `--gpus all`)",
    })?;
    // SAFETY: the library stays open for the whole call.
    let found = unsafe { query(&library) }?;
    // cudarc opens it again by name in a moment; unloading an initialised driver in between would
    // gain nothing.
    std::mem::forget(library);
    Ok(found)
}

/// # Safety
/// `library` must be a CUDA driver: the three functions have the signatures of cuda.h.
unsafe fn query(library: &Library) -> Result<NvidiaDriver, Error> {
    type Init = unsafe extern "C" fn(u32) -> i32;
    type Get = unsafe extern "C" fn(*mut i32) -> i32;
    let missing = |name: &str| Error::NoGpu {
        reason: format!("the library called libcuda has no function {name}"),
        remedy: "reinstall NVIDIA's driver",
    };
    let (mut devices, mut version) = (0, 0);
    // SAFETY: signatures as in cuda.h; the pointers are to live integers.
    let status = unsafe {
        let init: Symbol<Init> = library.get(b"cuInit").map_err(|_| missing("cuInit"))?;
        let count: Symbol<Get> =
            library.get(b"cuDeviceGetCount").map_err(|_| missing("cuDeviceGetCount"))?;
        let get_version: Symbol<Get> =
            library.get(b"cuDriverGetVersion").map_err(|_| missing("cuDriverGetVersion"))?;
        get_version(&mut version);
        match init(0) {
            0 => count(&mut devices),
            failed => failed,
        }
    };
    judge(status, NvidiaDriver { devices, version })
}

fn judge(status: i32, driver: NvidiaDriver) -> Result<NvidiaDriver, Error> {
    let NvidiaDriver { devices, version } = driver;
    if status != 0 || devices == 0 {
        return Err(Error::NoGpu {
            reason: match status {
                0 | 100 => "NVIDIA's driver is installed but offers no device".into(),
                code => format!("NVIDIA's driver is installed but cuInit failed with error {code}"),
            },
            remedy: "see what `nvidia-smi` says; after a driver update, reboot; in a container, \
                     run it with `--gpus all`",
        });
    }
    if version < OLDEST_DRIVER {
        return Err(Error::NoGpu {
            reason: format!(
                "the driver supports {}, and these kernels need 12.0",
                cuda_version_text(version)
            ),
            remedy: "update NVIDIA's driver to version 525 or newer",
        });
    }
    Ok(driver)
}

/// A version as the driver gives it, 1000 · major + 10 · minor, in words such as `CUDA 13.0`.
pub fn cuda_version_text(version: i32) -> String {
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}

/// The simulator's library: the path in `SIMT_DRIVER`, or beside this program.
///
/// # Errors
/// [`Error::NoSimulator`] with every place that was looked in.
pub fn find_simulator() -> Result<PathBuf, Error> {
    let file = format!("{DLL_PREFIX}simt_driver{DLL_SUFFIX}");
    let candidates = match std::env::var_os("SIMT_DRIVER") {
        Some(path) => vec![PathBuf::from(path)],
        None => beside_program(&file),
    };
    match candidates.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(Error::NoSimulator { file, searched: candidates }),
    }
}

/// Where cargo puts a library: `deps/` beside a program, the same folder for a test. `deps/` comes first,
/// because a copy one level up is refreshed only when the library itself is asked for.
pub(crate) fn beside_program(file: &str) -> Vec<PathBuf> {
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let folders =
        [folder.join("deps"), folder.to_path_buf(), folder.join("../deps"), folder.join("..")];
    folders.map(|folder| folder.join(file)).into()
}

fn load_simulator() -> Result<&'static Simulator, Error> {
    let path = find_simulator()?;
    let path = named_for_cudarc(&path, "cuda");
    let simulator = Simulator::load(&path)?;
    simulator.set_devices(SIMULATED_DEVICES)?;
    bind_cudarc(&path)?;
    Ok(Box::leak(Box::new(simulator)))
}

/// The path under which the system will recognise the library when cudarc asks for it by name.
///
/// Linux goes by the soname that the library was linked with. Windows compares the file name of
/// modules already loaded, and macOS looks for a file of that name, so both get a copy so called.
pub(crate) fn named_for_cudarc(path: &Path, name: &str) -> PathBuf {
    if cfg!(target_os = "linux") {
        return path.to_path_buf();
    }
    let folder = std::env::temp_dir().join(format!("simt-driver-{}", std::process::id()));
    let copy = folder.join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    let copied = std::fs::create_dir_all(&folder).and_then(|()| std::fs::copy(path, &copy));
    if copied.is_ok() { copy } else { path.to_path_buf() }
}

/// Has cudarc open the library now, while we can still see to it that it finds the right one.
fn bind_cudarc(path: &Path) -> Result<(), Error> {
    let found = within_reach(path, || {
        // SAFETY: opens libraries by name and closes them; the simulator is already loaded.
        let found = unsafe { cudarc::driver::sys::is_culib_present() };
        if found {
            // SAFETY: as above; it was found a moment ago, so this does not panic.
            unsafe { cudarc::driver::sys::culib() };
        }
        found
    });
    if found {
        return Ok(());
    }
    let reason = "the system does not find it under the name libcuda".to_string();
    Err(Error::BadSimulator { reason: format!("{}: {reason}", path.display()) })
}

/// Opens a library that is called as cudarc calls it, by this name.
pub(crate) fn within_reach<R>(path: &Path, open: impl FnOnce() -> R) -> R {
    let before = std::env::current_dir();
    if cfg!(target_os = "macos") {
        // dlopen of a bare name looks in the current folder there.
        let _ = std::env::set_current_dir(path.parent().unwrap_or(Path::new(".")));
    }
    let result = open();
    if let (true, Ok(folder)) = (cfg!(target_os = "macos"), before) {
        let _ = std::env::set_current_dir(folder);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: i32, devices: i32, version: i32, parts: &[&str]) {
        let error = judge(status, NvidiaDriver { devices, version }).expect_err("refused");
        let message = error.to_string();
        for part in parts.iter().chain(&["remedy", "--device sim"]) {
            assert!(message.contains(part), "no `{part}` in:\n{message}");
        }
    }

    #[test]
    fn a_driver_that_cannot_be_used() {
        check(100, 0, 12_000, &["offers no device", "nvidia-smi"]);
        check(0, 0, 12_000, &["offers no device"]);
        check(804, 0, 12_000, &["cuInit failed with error 804"]);
        check(0, 1, 11_080, &["CUDA 11.8", "need 12.0", "update"]);
    }

    #[test]
    fn a_driver_that_can() {
        let driver = judge(0, NvidiaDriver { devices: 1, version: 13_000 });
        assert_eq!(driver.expect("usable").devices, 1);
    }
}
