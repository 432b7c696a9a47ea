//! Which shared library answers to the name libnccl.
//!
//! cudarc opens NCCL as `libnccl.so`. The choice is made here, before its first call: on a GPU it is NVIDIA's library,
//! also if it is only called `libnccl.so.2`, and on the simulator the simulator's.

use std::{
    env,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    io::{self, Read},
    mem,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cudarc::nccl::sys;
use libloading::Library;

use crate::{Device, Error, driver, error::in_full};

mod ranks;

pub use ranks::{Ranks, Windows, failed};

/// A library with NCCL's interface.
#[derive(Clone, Debug)]
pub struct Nccl {
    /// The file.
    pub path: PathBuf,
    /// The version of its interface, such as `2.28.3`.
    pub version: String,
    /// Whether it is the simulator's. Otherwise it is NVIDIA's.
    pub is_simulated: bool,
}

impl Nccl {
    /// Whether it has a function. Windows are younger than 2.26, and `ncclAlltoAll` is younger than 2.27.
    pub fn has(&self, function: &str) -> bool {
        // SAFETY: [`bind`] has found the library; the function is looked up, and not called.
        unsafe { sys::culib().get::<*const ()>(function.as_bytes()) }.is_ok()
    }

    /// The library's name: `NCCL`, or `simt-nccl`, which is the simulator's.
    pub fn name(&self) -> &'static str {
        if self.is_simulated { "simt-nccl" } else { "NCCL" }
    }
}

/// The library for a device, which cudarc finds from now on; none if there is none.
///
/// # Errors
/// [`Error::Nccl`] if there is one that cannot be opened.
pub fn bind(device: &Device) -> Result<Option<&'static Nccl>, Error> {
    static BOUND: OnceLock<Option<Nccl>> = OnceLock::new();
    if let Some(bound) = BOUND.get() {
        return Ok(bound.as_ref());
    }
    let found = if device.is_simulated() { find_simulated() } else { find_nvidia() };
    if let Some(nccl) = &found {
        open(nccl).map_err(|reason| Error::Nccl { path: nccl.path.clone(), reason })?;
    }
    Ok(BOUND.get_or_init(|| found).as_ref())
}

/// Opens a library so that cudarc finds it.
fn open(nccl: &Nccl) -> Result<(), String> {
    let path = match nccl.is_simulated {
        true => driver::named_for_cudarc(&nccl.path, "nccl"),
        false => nccl.path.clone(),
    };
    // SAFETY: NCCL has no initialisers with preconditions, and neither has the simulator's.
    let library = unsafe { Library::new(&path) }.map_err(|error| in_full(&error))?;
    // SAFETY: the function has this type if it is there.
    if let Ok(open_driver) = unsafe { library.get::<unsafe extern "C" fn() -> i32>(b"simtNccl") } {
        // SAFETY: it opens the driver by name, as cudarc does.
        driver::within_reach(&path, || unsafe { open_driver() });
    }
    // It stays open for cudarc.
    mem::forget(library);
    // SAFETY: as above.
    let finds = || driver::within_reach(&path, || unsafe { sys::is_culib_present() });
    if !finds() {
        alias(CUDARCS_NAME, &path).map_err(|error| error.to_string())?;
    }
    if finds() { Ok(()) } else { Err(format!("the system does not find it as {CUDARCS_NAME}")) }
}

/// What cudarc calls NCCL on the only system for which there is one.
const CUDARCS_NAME: &str = "libnccl.so";

/// The simulator's library, beside this program. There is none if the program was built without it.
pub fn find_simulated() -> Option<Nccl> {
    let candidates = driver::beside_program(&format!("{DLL_PREFIX}simt_nccl{DLL_SUFFIX}"));
    probe(&candidates.into_iter().find(|path| path.is_file())?)
}

/// NVIDIA's library: where the system finds it, or in the folder of a wheel of PyPI.
pub fn find_nvidia() -> Option<Nccl> {
    let names = [CUDARCS_NAME, "libnccl.so.2"].map(PathBuf::from);
    let wheels = wheel_folders().into_iter().map(|folder| folder.join("libnccl.so.2"));
    let mut found = names.into_iter().chain(wheels).filter_map(|name| probe(&name));
    found.find(|nccl| !nccl.is_simulated)
}

/// Where `pip install nvidia-nccl-cu12` puts NCCL: below `target/nccl` with `--target target/nccl`, or in the packages
/// of a Python.
fn wheel_folders() -> Vec<PathBuf> {
    let program = env::current_exe().unwrap_or_default();
    let target = program.ancestors().find(|folder| folder.ends_with("target"));
    let mut packages: Vec<_> = target.map(|folder| folder.join("nccl")).into_iter().collect();
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].map(|name| env::var_os(name).map(PathBuf::from));
    let roots = active.into_iter().chain([home]).flatten();
    for root in roots.chain(["/usr/local", "/usr"].map(PathBuf::from)) {
        let pythons = fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
        for folder in
            pythons.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        {
            packages
                .extend(["site-packages", "dist-packages"].map(|name| folder.path().join(name)));
        }
    }
    packages.iter().map(|folder| folder.join("nvidia/nccl/lib")).collect()
}

/// What a library is; none if it is not there or not NCCL.
fn probe(name: &Path) -> Option<Nccl> {
    type Version = unsafe extern "C" fn(*mut i32) -> i32;
    // SAFETY: NCCL has no initialisers with preconditions.
    let library = unsafe { Library::new(name) }.ok()?;
    let mut version = 0;
    // SAFETY: the signatures are those of nccl.h and of the simulator's library; the pointer is to a live integer.
    let (status, is_simulated) = unsafe {
        let status = library.get::<Version>(b"ncclGetVersion").ok()?(&mut version);
        (status, library.get::<unsafe extern "C" fn()>(b"simtNccl").is_ok())
    };
    let version = format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100);
    let path = if name.is_absolute() { name.to_path_buf() } else { file_of(name)? };
    (status == 0).then_some(Nccl { path, version, is_simulated })
}

/// The file of an open library, where Linux says it: of a library that was opened by its bare name.
fn file_of(name: &Path) -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let name = name.file_name()?.to_str()?;
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let mut files =
        paths.filter(|path| path.rsplit('/').next().is_some_and(|f| f.starts_with(name)));
    files.next().map(PathBuf::from)
}

/// Lets the system find a library under another name: it opens a library of that name that has no code and needs the
/// other one. The system looks for functions in what a library needs, too.
///
/// # Errors
/// If the file cannot be written or opened.
fn alias(name: &str, library: &Path) -> io::Result<()> {
    let mut header = [0; 20];
    fs::File::open(env::current_exe()?)?.read_exact(&mut header)?;
    let file = env::temp_dir().join(format!("{name}-{}", std::process::id()));
    fs::write(&file, empty_library(header, name, &library.to_string_lossy()))?;
    // SAFETY: it has no code.
    let opened = unsafe { Library::new(&file) };
    let _ = fs::remove_file(&file);
    mem::forget(opened.map_err(|error| io::Error::other(in_full(&error)))?);
    Ok(())
}

/// A shared library of 64 bits without code: its name, and the one that it needs. `header` is the beginning of a program
/// for this machine. The fields are those of elf(5).
fn empty_library(header: [u8; 20], name: &str, needed: &str) -> Vec<u8> {
    const SHARED: u16 = 3;
    const READ_AND_WRITE: u64 = 6 << 32;
    let names = format!("\0{name}\0{needed}\0");
    // Behind the header of 64 bytes: three program headers, the dynamic section, a hash table for one symbol, that
    // symbol, which is the empty one, and the names.
    let dynamic = 64 + 3 * 56;
    let hash = dynamic + 8 * 16;
    let symbols = hash + 16;
    let strings = symbols + 24;
    let end = strings + names.len() as u64;
    let segment = |kind: u64, start: u64, bytes: u64, alignment: u64| {
        [kind | READ_AND_WRITE, start, start, start, bytes, bytes, alignment]
    };
    let words = [
        // Where the program headers begin; no section headers.
        &[0, 64, 0][..],
        // No flags; sizes and numbers of headers, in 16 bits each.
        &[64 << 32 | 56 << 48, 3 | 64 << 16],
        // What is loaded, where the dynamic section is, and that no stack need be executable.
        &segment(1, 0, end, 1 << 16),
        &segment(2, dynamic, 8 * 16, 8),
        &segment(0x6474_e551, 0, 0, 16),
        // The library's name, what it needs, strings, symbols, hash table, end.
        &[14, 1, 1, 2 + name.len() as u64],
        &[5, strings, 10, names.len() as u64, 6, symbols, 11, 24, 4, hash, 0, 0],
        // One bucket and one symbol, both 0.
        &[1 | 1 << 32, 0],
        &[0, 0, 0],
    ];
    let words = words.concat().into_iter().flat_map(u64::to_le_bytes);
    let begin = [&header[..16], &SHARED.to_le_bytes(), &header[18..], &1u32.to_le_bytes()].concat();
    begin.into_iter().chain(words).chain(names.into_bytes()).collect()
}

#[cfg(all(test, target_os = "linux", target_endian = "little", target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_under_another_name() {
        let name = "libwarp_by_warp_test.so";
        // SAFETY: there is no such library, and later one without code.
        let open = || unsafe { Library::new(name) };
        assert!(open().is_err());
        alias(name, Path::new("libm.so.6")).expect("it opens");
        let library = open().expect("it is found");
        // SAFETY: the type of math.h.
        let cosine = unsafe { library.get::<extern "C" fn(f64) -> f64>(b"cos") };
        assert_eq!(cosine.expect("a function of the other library")(0.0), 1.0);
    }
}
