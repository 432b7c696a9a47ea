//! Modules: PTX, loaded into a context, and its functions.

use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock};

use ptx::ir;
use simt::{DEVICE, LoadedKernel, LoadedModule};

use crate::context::{self, Context};
use crate::entry::say;
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::pending;
use crate::profile;
use crate::state::{driver, lock};

/// A module.
pub struct Module {
    /// The context that it is loaded into.
    pub context: Handle,
    /// The PTX.
    pub image: Arc<[u8]>,
    /// Its kernels and variables.
    pub code: LoadedModule,
    /// The compute capability that it was compiled for, times ten.
    pub target: u32,
    /// Bytes of its constant memory.
    pub constant_bytes: u32,
    /// Functions that have been asked for, by name: a name always gives the same handle.
    functions: Mutex<HashMap<String, Handle>>,
}

/// A function of a module.
pub struct Function {
    /// The context of its module.
    pub context: Handle,
    /// Its module.
    pub module: Handle,
    /// The code.
    pub kernel: Arc<LoadedKernel>,
    /// The kernel's name, for C.
    pub c_name: CString,
    /// The compute capability that it was compiled for, times ten.
    pub target: u32,
    /// Bytes of its module's constant memory.
    pub constant_bytes: u32,
    /// Registers a thread, estimated when they are first asked for.
    pub registers: OnceLock<u32>,
    /// What can be set.
    pub settings: Mutex<Settings>,
}

/// What can be set of a function.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Bytes of dynamic shared memory, at most.
    pub dynamic_shared: u32,
    /// Preferred share of shared memory in the L1 cache, in percent; -1 for none. No effect.
    pub carveout: i32,
    /// True if clusters of more blocks than [`simt::DeviceProfile::portable_cluster`] are allowed.
    pub large_clusters: bool,
    /// The blocks of a cluster in x, y and z; 0 if they are not set.
    pub cluster: [u32; 3],
}

/// Loads a module from an image in memory into a context.
pub fn load(context: &Context, image: &[u8]) -> Result<Handle> {
    let (image, module) = match PARSED.find(image) {
        Some(parsed) => parsed,
        None => PARSED.insert(image, parse(image)?),
    };
    let constants = module.variables.iter();
    let constants = constants.filter(|v| v.space == ir::Space::Const);
    let constant_bytes = constants.map(|v| v.init.len() as u32).sum();
    let (device, target) = (context.device()?, module.target);
    let loaded = LoadedModule::load(module, &device.memory);
    let code = loaded.map_err(|e| CUresult::OUT_OF_MEMORY.because(e.to_string()))?;
    let module = Module {
        context: context.handle,
        image,
        code,
        target,
        constant_bytes,
        functions: Mutex::default(),
    };
    Ok(driver()?.modules.insert(module))
}

/// The images that were parsed last, as NVIDIA's driver keeps what it compiled: a program may load the
/// same module again and again.
struct Parsed(Mutex<VecDeque<Image>>);

/// An image, and what it is decoded to.
type Image = (Arc<[u8]>, Arc<ir::Module>);

static PARSED: Parsed = Parsed(Mutex::new(VecDeque::new()));

impl Parsed {
    /// The most modules of one chapter of the book are 40.
    const CAPACITY: usize = 64;

    fn find(&self, image: &[u8]) -> Option<Image> {
        let mut parsed = lock(&self.0);
        let index = parsed.iter().position(|(known, _)| **known == *image)?;
        let entry = parsed.remove(index)?;
        parsed.push_back(entry.clone());
        Some(entry)
    }

    fn insert(&self, image: &[u8], module: ir::Module) -> Image {
        let entry = (Arc::from(image), Arc::new(module));
        let mut parsed = lock(&self.0);
        if parsed.len() == Self::CAPACITY {
            parsed.pop_front();
        }
        parsed.push_back(entry.clone());
        entry
    }
}

/// Decodes an image, which must be PTX.
fn parse(image: &[u8]) -> Result<ir::Module> {
    if let Some(binary) = binary_format(image) {
        return Err(CUresult::NO_BINARY_FOR_GPU
            .because(format!("the module is a {binary}: the simulator executes PTX only")));
    }
    let text = String::from_utf8_lossy(image);
    let Some(version) = ptx_version(&text) else {
        let cause = "the module is not PTX: it does not begin with a .version directive";
        return Err(CUresult::INVALID_IMAGE.because(cause));
    };
    check_version(version)?;
    let module = ptx::parse(&text).map_err(|e| CUresult::INVALID_PTX.because(e.to_string()))?;
    let (major, minor) = DEVICE.compute_capability;
    if module.target > major * 10 + minor {
        return Err(CUresult::INVALID_PTX.because(format!(
            "the PTX is for sm_{}, and the simulated device is sm_{major}{minor}",
            module.target
        )));
    }
    module.kernels.iter().try_for_each(check_shared)?;
    Ok(module)
}

/// Refuses a new major version of PTX, and warns of a minor one: Triton writes PTX 9.4 also where the
/// driver takes 9.0, since its own assembler makes machine code of it. What is new in it is refused
/// if it is used.
fn check_version(version: (u32, u32)) -> Result {
    let newest = profile::PTX_ISA;
    if version <= newest {
        return Ok(());
    }
    let newer = format!(
        "PTX ISA {}.{} is newer than {}.{}, the newest that driver 580 takes",
        version.0, version.1, newest.0, newest.1
    );
    if version.0 > newest.0 {
        return Err(CUresult::UNSUPPORTED_PTX_VERSION.because(newer));
    }
    say(&format!("{newer}: that driver would refuse the module"));
    Ok(())
}

/// Refuses a kernel with more static shared memory than a block can have.
///
/// As an H200's driver does (580.159.04, CUDA 13.0): it takes up to what dynamic shared memory can
/// be asked for, where the stand-alone assembler refuses whatever is above 48 KiB.
fn check_shared(kernel: &ir::Kernel) -> Result {
    let (bytes, most) = (kernel.static_shared_bytes, DEVICE.shared_block_opt_in);
    if bytes > most {
        let name = &kernel.name;
        return Err(CUresult::INVALID_PTX.because(format!(
            "kernel `{name}` has {bytes} bytes of static shared memory: at most {most}"
        )));
    }
    Ok(())
}

/// The name of a binary format that an image begins like.
pub fn binary_format(image: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 4] = [
        (b"\x7fELF", "cubin"),
        (b"\x50\xed\x55\xba", "fat binary"),
        (b"\xb1\x43\x62\x46", "fat binary"),
        (b"BC\xc0\xde", "LLVM bitcode file"),
    ];
    FORMATS.iter().find(|(magic, _)| image.starts_with(magic)).map(|&(_, name)| name)
}

/// The PTX ISA version of a `.version` directive at the start of a text, past its comments.
fn ptx_version(text: &str) -> Option<(u32, u32)> {
    let mut rest = text.trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n')?.1.trim_start();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1.trim_start();
        } else {
            break;
        }
    }
    let version = rest.strip_prefix(".version")?.split_whitespace().next()?;
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The module of a handle.
pub fn module(handle: Handle) -> Result<Arc<Module>> {
    driver()?.modules.look_up(handle, CUresult::INVALID_HANDLE, "a loaded module")
}

/// The function of a handle.
pub fn function(handle: Handle) -> Result<Arc<Function>> {
    driver()?.functions.look_up(handle, CUresult::INVALID_HANDLE, "a function")
}

/// Unloads a module: its functions and variables are gone. After a fault that has been
/// observed, only the context's end frees them.
pub fn unload(handle: Handle) -> Result {
    let driver = driver()?;
    let module = module(handle)?;
    let context = context::of(module.context)?;
    context.enqueue()?;
    pending::wait_for_context(module.context)?;
    let device = context.device()?;
    let _busy = lock(&device.busy);
    if driver.modules.remove(handle).is_none() {
        return Err(CUresult::INVALID_HANDLE.into());
    }
    driver.functions.remove_all(|f| f.module == handle);
    module.code.unload(&device.memory).map_err(Failure::from)
}

impl Module {
    /// The handle of a kernel; `this` is the module's own handle.
    pub fn function(&self, this: Handle, name: &str) -> Result<Handle> {
        let mut known = lock(&self.functions);
        if let Some(&handle) = known.get(name) {
            return Ok(handle);
        }
        let Some(kernel) = self.code.kernel(name) else {
            return Err(CUresult::NOT_FOUND.because(self.missing(name)));
        };
        let handle = driver()?.functions.insert(Function {
            context: self.context,
            module: this,
            target: self.target,
            constant_bytes: self.constant_bytes,
            registers: OnceLock::new(),
            // A PTX identifier holds no NUL.
            c_name: CString::new(name).unwrap_or_default(),
            settings: Mutex::new(Settings::new(&kernel)),
            kernel,
        });
        known.insert(name.to_owned(), handle);
        Ok(handle)
    }

    fn missing(&self, name: &str) -> String {
        let names: Vec<&str> = self.code.kernel_names().collect();
        format!("the module has no kernel `{name}`; it has: {}", names.join(", "))
    }
}

impl Settings {
    fn new(kernel: &LoadedKernel) -> Self {
        let fixed = kernel.ir().static_shared_bytes;
        // What an H200 answers: a kernel with more than 48 KiB of static shared memory needs not ask.
        let most = match fixed <= DEVICE.shared_block {
            true => DEVICE.shared_block,
            false => DEVICE.shared_block_opt_in,
        };
        Self {
            dynamic_shared: most.saturating_sub(fixed),
            carveout: -1,
            large_clusters: false,
            cluster: [0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(ptx_version("// a\n/* b\n */ .version 8.0\n.target sm_75"), Some((8, 0)));
        assert_eq!(ptx_version(".version 9.1"), Some((9, 1)));
        for text in ["", "//", "/*", "nonsense", ".version", ".version eight", ".target sm_75"] {
            assert_eq!(ptx_version(text), None, "{text}");
        }
    }

    #[test]
    fn images_that_are_not_ptx() {
        let code = |image: &[u8]| parse(image).unwrap_err().code;
        assert_eq!(code(b"\x7fELF\x02\x01"), CUresult::NO_BINARY_FOR_GPU);
        assert_eq!(code(b""), CUresult::INVALID_IMAGE);
        assert_eq!(code(b"\xff\xfe\x00"), CUresult::INVALID_IMAGE);
        assert_eq!(code(b".version 10.0\n.target sm_75"), CUresult::UNSUPPORTED_PTX_VERSION);
        assert_eq!(code(b".version 8.0\n.target sm_75\nnonsense"), CUresult::INVALID_PTX);
    }
}
