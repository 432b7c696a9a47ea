//! What the tests share: the built library, loaded as a program would load it, and a module.

use std::ffi::{CString, c_char, c_int};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock};

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DriverError, LaunchConfig};
use cudarc::nvrtc::Ptx;
use libloading::Library;

/// The kernels that the tests launch.
pub const PTX: &str = include_str!("../kernels.ptx");

/// A kernel `race`: all threads write one word of shared memory, with no barrier in between.
pub const RACE: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry race()
{
	.shared .align 4 .b8 word[4];
	.reg .b32 %r<2>;
	mov.u32 %r1, %tid.x;
	st.shared.u32 [word], %r1;
	ret;
}
";

/// The library, open as long as the process lives. cudarc then finds it under its own name.
pub static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    // SAFETY: the library runs no code of its own when it is loaded.
    let library = unsafe { Library::new(library_path()) };
    let library = library.expect("the library has been built beside the test");
    if std::env::var_os("SIMT_INSTRUCTION_LIMIT").is_none() {
        assert_eq!(set_option(&library, "instruction_limit", INSTRUCTIONS), 0);
    }
    library
});

/// Warp instructions of a launch, at most: a test that never ends says nothing.
const INSTRUCTIONS: i64 = 1 << 26;

/// Calls `simtSetOption`.
pub fn set_option(library: &Library, name: &str, value: i64) -> c_int {
    type SetOption = unsafe extern "C" fn(*const c_char, i64) -> c_int;
    let name = CString::new(name).expect("no NUL");
    // SAFETY: the function has this type, and the name ends in NUL.
    unsafe {
        let set = library.get::<SetOption>("simtSetOption").expect("exported");
        set(name.as_ptr(), value)
    }
}

/// Runs a test of this program in a process of its own, with these variables: the library reads its settings once, and
/// keeps options, reports and devices for the whole process.
#[track_caller]
pub fn in_own_process(test: &str, variables: &[(&str, &str)]) -> Output {
    let program = std::env::current_exe().expect("a running test has a path");
    let output = Command::new(program)
        .args(["--include-ignored", "--exact", test, "--nocapture"])
        .env_remove("SIMT_SEED")
        .envs(variables.iter().copied())
        .output()
        .expect("this program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("running 1 test"), "{test}: {printed}");
    output
}

/// Where a test has a process of its own, returns a context there. Elsewhere runs it in such a process, with these
/// variables, where it must pass.
#[track_caller]
pub fn context_in_own_process(test: &str, variables: &[(&str, &str)]) -> Option<Arc<CudaContext>> {
    const OWNER: &str = "TEST_WITH_OWN_PROCESS";
    if std::env::var(OWNER).as_deref() == Ok(test) {
        return Some(context());
    }
    let output = in_own_process(test, &[variables, &[(OWNER, test)]].concat());
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {complaint}");
    None
}

/// Where cargo puts the library: beside the tests, and so in their folder.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    test.with_file_name(libloading::library_filename("simt_driver"))
}

/// A context of the test's own, so that a fault in it harms no other test.
pub fn context() -> Arc<CudaContext> {
    LazyLock::force(&LIBRARY);
    CudaContext::new_non_primary(0, 0).expect("a device")
}

/// The tests' module.
pub fn module(context: &Arc<CudaContext>) -> Arc<CudaModule> {
    context.load_module(Ptx::from_src(PTX)).expect("the tests' module is PTX")
}

/// A kernel of the tests' module.
pub fn kernel(context: &Arc<CudaContext>, name: &str) -> CudaFunction {
    load(context, PTX, name)
}

/// Launches a kernel in a stream, with a configuration and arguments: `launch!(stream, add, one_block(32), &a, &b)`.
macro_rules! launch {
    ($stream:expr, $kernel:expr, $config:expr $(, $argument:expr)*) => {{
        #[allow(unused_imports)]
        use cudarc::driver::PushKernelArg as _;
        // SAFETY: each test passes the arguments that its kernel takes. What a kernel does wrong in memory is a fault.
        unsafe { $stream.launch_builder(&$kernel)$(.arg($argument))*.launch($config) }
    }};
}
pub(crate) use launch;

/// A launch of one block.
pub fn one_block(threads: u32) -> LaunchConfig {
    blocks(1, threads)
}

/// A launch of several blocks.
pub fn blocks(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// A kernel of some PTX.
pub fn load(context: &Arc<CudaContext>, ptx: &str, name: &str) -> CudaFunction {
    let module = context.load_module(Ptx::from_src(ptx)).expect("it is PTX");
    module.load_function(name).expect("a kernel of the module")
}

/// The code that a call failed with.
#[track_caller]
pub fn code<T>(result: Result<T, DriverError>) -> CUresult {
    match result {
        Ok(_) => CUresult::CUDA_SUCCESS,
        Err(DriverError(code)) => code,
    }
}
