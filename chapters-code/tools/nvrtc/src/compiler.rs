//! Calls NVRTC, loaded as a shared library.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use anyhow::{Context, Result, bail};
use libloading::{Library, Symbol};

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// A loaded NVRTC.
pub struct Nvrtc {
    library: Library,
    /// The file it was loaded from, or the name the system found it by.
    pub path: PathBuf,
}

impl Nvrtc {
    /// Loads the library at `path`; a bare file name is looked up as the system does.
    pub fn load(path: &Path) -> Result<Self> {
        // SAFETY: NVRTC's initialisers have no preconditions. A `path` that names another library
        // is the user's own choice.
        let library = unsafe { Library::new(path) }
            .with_context(|| format!("cannot load NVRTC from {}", path.display()))?;
        Ok(Self { library, path: path.to_path_buf() })
    }

    /// The full version, such as `12.0.140`, which NVRTC reports only in the PTX that it writes.
    pub fn version(&self) -> Result<String> {
        let ptx = self.compile("", "empty.cu", &[])?;
        let version =
            ptx.lines().find_map(|line| line.split_once(", V").map(|(_, version)| version));
        let version = version.context("NVRTC's PTX names no version")?;
        Ok(version.trim().to_owned())
    }

    /// Compiles `source` to PTX. `name` stands for the source in messages and line tables. An
    /// error holds the compiler's log.
    pub fn compile(&self, source: &str, name: &str, options: &[String]) -> Result<String> {
        Ok(self.compile_and_warn(source, name, options)?.0)
    }

    /// The same, with what the compiler warns of.
    ///
    /// # Errors
    /// As for [`Self::compile`].
    pub fn compile_and_warn(
        &self,
        source: &str,
        name: &str,
        options: &[String],
    ) -> Result<(String, String)> {
        let program = self.create(source, name)?;
        let result = self.compile_program(program, options);
        // SAFETY: the signature is that of nvrtc.h; `program` is not used afterwards.
        unsafe {
            let mut program = program;
            self.symbol::<Destroy>("nvrtcDestroyProgram")?(&raw mut program);
        }
        result.with_context(|| format!("cannot compile {name}"))
    }

    fn create(&self, source: &str, name: &str) -> Result<Program> {
        let (source, name) = (CString::new(source)?, CString::new(name)?);
        let mut program = ptr::null_mut();
        // SAFETY: the signature is that of nvrtc.h; both strings end in NUL, NVRTC copies them, and
        // no header is passed.
        self.check("nvrtcCreateProgram", unsafe {
            self.symbol::<Create>("nvrtcCreateProgram")?(
                &raw mut program,
                source.as_ptr(),
                name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        })?;
        Ok(program)
    }

    fn compile_program(&self, program: Program, options: &[String]) -> Result<(String, String)> {
        let options: Vec<CString> =
            options.iter().map(|option| CString::new(option.as_str())).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the signature is that of nvrtc.h; `program` is alive, and `pointers` holds as many
        // strings ending in NUL as it is said to.
        let status = unsafe {
            let compile = self.symbol::<Compile>("nvrtcCompileProgram")?;
            compile(program, c_int::try_from(pointers.len())?, pointers.as_ptr())
        };
        let log = self.text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
        if status != 0 {
            bail!("{}\n{log}", self.error(status));
        }
        Ok((self.text(program, "nvrtcGetPTXSize", "nvrtcGetPTX")?, log))
    }

    /// Reads one of a program's texts by the functions called `size` and `get`.
    fn text(&self, program: Program, size: &str, get: &str) -> Result<String> {
        let mut length = 0;
        // SAFETY: the signature is that of nvrtc.h, and `program` is alive.
        self.check(size, unsafe { self.symbol::<Size>(size)?(program, &raw mut length) })?;
        let mut text = vec![0u8; length];
        // SAFETY: as above; `text` has the size that NVRTC asked for, its NUL included.
        self.check(get, unsafe { self.symbol::<Text>(get)?(program, text.as_mut_ptr().cast()) })?;
        let text = CStr::from_bytes_until_nul(&text).context("NVRTC's text has no end")?;
        Ok(text.to_str()?.to_owned())
    }

    fn check(&self, function: &str, status: c_int) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => bail!("{function}: {}", self.error(status)),
        }
    }

    fn error(&self, status: c_int) -> String {
        // SAFETY: the signature is that of nvrtc.h, which returns a static string for any status.
        let message = unsafe {
            match self.symbol::<ErrorString>("nvrtcGetErrorString") {
                Ok(error_string) => CStr::from_ptr(error_string(status)).to_string_lossy(),
                Err(_) => "unknown error".into(),
            }
        };
        format!("{message} ({status})")
    }

    /// # Safety
    /// `T` must be the type of the function called `name`.
    unsafe fn symbol<T>(&self, name: &str) -> Result<Symbol<'_, T>> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get(name.as_bytes()) }
            .with_context(|| format!("{} has no {name}", self.path.display()))
    }
}
