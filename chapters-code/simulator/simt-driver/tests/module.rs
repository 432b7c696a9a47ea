//! Modules: loading, what is in them, and what is refused.

use std::ffi::{CString, c_char, c_void};

use crate::common::{self, PTX, code, context, module};
use cudarc::driver::sys::{self, CUjit_option, CUresult};
use cudarc::driver::{DriverError, result};
use cudarc::nvrtc::Ptx;

#[track_caller]
fn refused(text: &str, expected: CUresult) {
    assert_eq!(code(context().load_module(Ptx::from_src(text))), expected, "{text:?}");
}

#[test]
fn what_is_no_ptx() {
    refused("", CUresult::CUDA_ERROR_INVALID_IMAGE);
    refused("nonsense", CUresult::CUDA_ERROR_INVALID_IMAGE);
    refused("\u{7f}ELF", CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    refused(".version 99.0\n.target sm_75\n", CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    // The newest that driver 580 takes, and a later one, as Triton writes it.
    for version in ["9.0", "9.4"] {
        let text = PTX.replace(".version 8.0", &format!(".version {version}"));
        assert!(context().load_module(Ptx::from_src(text)).is_ok());
    }
    refused(
        &PTX.replace(".version 8.0", ".version 10.0"),
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    );
    let invalid = CUresult::CUDA_ERROR_INVALID_PTX;
    refused(".version 8.0\n.target sm_75\n.address_size 64\nnonsense\n", invalid);
    // Cut off in the middle of a kernel.
    refused(&PTX[..PTX.find("mul.wide").unwrap()], invalid);
    refused(&PTX.replace("sm_75", "sm_120"), invalid);
}

#[test]
fn files() {
    let context = context();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels.ptx");
    assert!(context.load_module(Ptx::from_file(path)).is_ok());
    let error = code(context.load_module(Ptx::from_file("/no/such/file.ptx")));
    assert_eq!(error, CUresult::CUDA_ERROR_FILE_NOT_FOUND);
}

#[test]
fn names() {
    let context = context();
    let module = module(&context);
    assert!(module.load_function("add").is_ok());
    let error = code(module.load_function("subtract"));
    assert_eq!(error, CUresult::CUDA_ERROR_NOT_FOUND);
    let stream = context.default_stream();
    let counter = module.get_global("counter", &stream).unwrap();
    assert_eq!(stream.clone_dtoh(&counter).unwrap(), 7u32.to_le_bytes());
    let error = code(module.get_global("no_such", &stream).map(|_| ()));
    assert_eq!(error, CUresult::CUDA_ERROR_NOT_FOUND);
}

#[test]
fn a_function_goes_with_its_module() {
    let _context = context();
    let text = CString::new(PTX).unwrap();
    // SAFETY: the module is loaded, and its function is only asked about.
    unsafe {
        let module = result::module::load_data(text.as_ptr().cast()).unwrap();
        let function = result::module::get_function(module, c"add".to_owned()).unwrap();
        result::module::unload(module).unwrap();
        let error = result::function::get_function_attribute(
            function,
            sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS,
        );
        assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert_eq!(code(result::module::unload(module)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    }
}

/// Loads a module with a buffer for errors of `size` bytes; gives the result, and the buffer.
fn load_with_log(text: &str, size: usize) -> (Result<(), DriverError>, Vec<u8>, usize) {
    let text = CString::new(text).unwrap();
    let mut log = vec![b'x'; size];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), size as *mut c_void];
    let mut module = std::ptr::null_mut();
    // SAFETY: text ends in NUL, and the options and values are as many as is said.
    let result = unsafe {
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options, values)
    };
    (result.result(), log, values[1] as usize)
}

#[test]
fn the_error_log() {
    let _context = context();
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n\tfrobnicate.u32;\n}\n";
    let (result, log, written) = load_with_log(text, 4096);
    assert_eq!(code(result), CUresult::CUDA_ERROR_INVALID_PTX);
    let message = std::ffi::CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(message.contains("frobnicate"), "{message}");
    assert!(message.contains('6'), "the line is named: {message}");
    assert_eq!(written, message.len() + 1);
    // A short buffer is filled, and no more.
    let (_, log, written) = load_with_log(text, 4);
    assert_eq!((log[3], written), (0, 4));
    assert_eq!(log[..3], message.as_bytes()[..3]);
    // No error, no message.
    let (result, log, written) = load_with_log(PTX, 10);
    assert_eq!((code(result), log[0], written), (CUresult::CUDA_SUCCESS, 0, 0));
}

#[test]
fn libraries_are_modules() {
    let _context = context();
    let text = CString::new(PTX).unwrap();
    let (mut library, mut kernel, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    let (options, values) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (more, more_values) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut name: *const c_char = std::ptr::null();
    type GetName = unsafe extern "C" fn(*mut *const c_char, sys::CUkernel) -> CUresult;
    type GetCount = unsafe extern "C" fn(*mut u32, sys::CUlibrary) -> CUresult;
    // SAFETY: the results are valid for writing, and no options are given.
    unsafe {
        let image = text.as_ptr().cast();
        sys::cuLibraryLoadData(&mut library, image, options, values, 0, more, more_values, 0)
            .result()
            .unwrap();
        sys::cuLibraryGetKernel(&mut kernel, library, c"poke".as_ptr()).result().unwrap();
        let get_name = common::LIBRARY.get::<GetName>("cuKernelGetName").unwrap();
        get_name(&mut name, kernel).result().unwrap();
        assert_eq!(std::ffi::CStr::from_ptr(name), c"poke");
        let get_count = common::LIBRARY.get::<GetCount>("cuLibraryGetKernelCount").unwrap();
        get_count(&mut count, library).result().unwrap();
        assert_eq!(count as usize, PTX.matches(".visible .entry").count());
        sys::cuLibraryUnload(library).result().unwrap();
    }
}
