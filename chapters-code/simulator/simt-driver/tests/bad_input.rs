//! What a program can get wrong, each with the code that NVIDIA's driver gives and a message that
//! names kernel, line and cause. The test runs itself again for each case, to read what is said.

use std::ffi::c_void;
use std::sync::Arc;

use crate::common::{PTX, code, context, in_own_process, kernel, launch, one_block};
use cudarc::driver::sys::CUresult::{self, *};
use cudarc::driver::{CudaContext, DevicePtr, LaunchConfig, result, sys};
use cudarc::nvrtc::Ptx;

/// Something wrong, done.
struct Case {
    name: &'static str,
    run: fn(&Arc<CudaContext>) -> CUresult,
    expected: CUresult,
    /// What the one message on standard error must hold.
    said: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "empty module",
        run: |_| load(""),
        expected: CUDA_ERROR_INVALID_IMAGE,
        said: &["cuModuleLoadData", "not PTX", ".version"],
    },
    Case {
        name: "binary module",
        run: |_| load_bytes(b"\xff\xfe\x90\x01\0"),
        expected: CUDA_ERROR_INVALID_IMAGE,
        said: &["cuModuleLoadData", "not PTX"],
    },
    Case {
        name: "binary within a kernel",
        run: |_| load_bytes(&[up_to("mul.wide").as_bytes(), b"\x80\xff\x01\0"].concat()),
        expected: CUDA_ERROR_INVALID_PTX,
        said: &["in `add`, line 33", "expected"],
    },
    Case {
        name: "truncated module",
        run: |_| load(up_to("mul.wide")),
        expected: CUDA_ERROR_INVALID_PTX,
        said: &["in `add`, line 33", "the end of the text"],
    },
    Case {
        name: "unknown instruction",
        run: |_| load(&PTX.replace("trap;", "frobnicate.u32;")),
        expected: CUDA_ERROR_INVALID_PTX,
        said: &["in `abort`, line 83", "`frobnicate.u32`"],
    },
    Case {
        name: "kernel that needs matrix units",
        run: |context| {
            let ptx = PTX.replace("trap;", "wgmma.fence.sync.aligned;");
            let module = context.load_module(Ptx::from_src(ptx)).unwrap();
            let run = |name| {
                let stream = context.default_stream();
                let kernel = module.load_function(name).unwrap();
                code(launch!(stream, kernel, one_block(1)))
            };
            // The others of the module run, before and after.
            assert_eq!(run("count"), CUDA_SUCCESS);
            let refused = run("abort");
            assert_eq!(run("count"), CUDA_SUCCESS);
            assert_eq!(code(context.synchronize()), CUDA_SUCCESS);
            refused
        },
        expected: CUDA_ERROR_NOT_SUPPORTED,
        said: &[
            "cuLaunchKernel: launch of kernel `abort`: in `abort`, line 83",
            "unsupported instruction `wgmma.fence.sync.aligned`",
        ],
    },
    Case {
        name: "newer ISA",
        run: |_| load(&PTX.replace(".version 8.0", ".version 99.0")),
        expected: CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        said: &["PTX ISA 99.0 is newer than"],
    },
    Case {
        name: "newer target",
        run: |_| load(&PTX.replace("sm_75", "sm_120")),
        expected: CUDA_ERROR_INVALID_PTX,
        said: &["sm_120", "the simulated device is sm_90"],
    },
    Case {
        name: "machine code",
        run: |_| load("\u{7f}ELF"),
        expected: CUDA_ERROR_NO_BINARY_FOR_GPU,
        said: &["cubin", "PTX only"],
    },
    Case {
        name: "more static shared memory than a block has",
        run: |_| load(&PTX.replace("fixed[1024]", "fixed[232449]")),
        expected: CUDA_ERROR_INVALID_PTX,
        said: &["`shared`", "232449 bytes of static shared memory", "232448"],
    },
    Case {
        name: "too many threads",
        run: |context| launch(context, "count", one_block(1025)),
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `count`", "[1025, 1, 1] threads", "1024"],
    },
    Case {
        name: "more threads than compiled for",
        run: |context| launch(context, "shared", one_block(257)),
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `shared`", "257 threads", "at most 256"],
    },
    Case {
        name: "no threads",
        run: |context| launch(context, "count", one_block(0)),
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `count`", "[0, 1, 1] threads"],
    },
    Case {
        name: "too much shared memory",
        run: |context| {
            let shared_mem_bytes = 48 * 1024;
            launch(context, "shared", LaunchConfig { shared_mem_bytes, ..one_block(1) })
        },
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `shared`", "49152 bytes of dynamic shared memory", "48128"],
    },
    Case {
        name: "null pointer",
        run: |context| poke(context, 0),
        expected: CUDA_ERROR_ILLEGAL_ADDRESS,
        said: &["kernel `poke` at PTX line 77", "write of 4 bytes", "a null pointer"],
    },
    Case {
        name: "pointer of the host",
        run: |context| poke(context, &raw const *Box::new(0u32) as u64),
        expected: CUDA_ERROR_ILLEGAL_ADDRESS,
        said: &["kernel `poke` at PTX line 77", "write of 4 bytes", "host pointer"],
    },
    Case {
        name: "pointer of another device",
        run: |context| {
            let other = CudaContext::new_non_primary(1, 0).unwrap();
            let data = other.default_stream().alloc_zeros::<u32>(1).unwrap();
            let address = data.device_ptr(&other.default_stream()).0;
            context.bind_to_thread().unwrap();
            poke(context, address)
        },
        expected: CUDA_ERROR_ILLEGAL_ADDRESS,
        said: &["kernel `poke` at PTX line 77", "write of 4 bytes", "cuMemPoolSetAccess"],
    },
    Case {
        name: "no arguments",
        run: |context| launch_with(context, std::ptr::null_mut()),
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `layout`", "no arguments are given, and it has 4"],
    },
    Case {
        name: "too few arguments",
        run: |context| {
            let mut word = 0u64;
            let word = (&raw mut word).cast::<c_void>();
            launch_with(context, [word, word, std::ptr::null_mut(), word].as_mut_ptr())
        },
        expected: CUDA_ERROR_INVALID_VALUE,
        said: &["kernel `layout`", "argument 3 of 4, of 8 bytes", "are all arguments given?"],
    },
    Case {
        name: "function of an unloaded module",
        run: |context| {
            let text = std::ffi::CString::new(PTX).unwrap();
            // SAFETY: the image ends in NUL; the launch is refused.
            unsafe {
                let module = result::module::load_data(text.as_ptr().cast()).unwrap();
                let count = result::module::get_function(module, c"count".to_owned()).unwrap();
                result::module::unload(module).unwrap();
                let (one, stream) = ((1, 1, 1), context.default_stream());
                code(result::launch_kernel(count, one, one, 0, stream.cu_stream(), &mut []))
            }
        },
        expected: CUDA_ERROR_INVALID_HANDLE,
        said: &["cuLaunchKernel", "is not a function"],
    },
    Case {
        name: "kernel that never ends",
        run: |context| match launch(context, "forever", one_block(32)) {
            CUDA_SUCCESS => code(context.synchronize()),
            refused => refused,
        },
        expected: CUDA_ERROR_LAUNCH_TIMEOUT,
        said: &["kernel `forever` at PTX line 89", "100000 warp instructions"],
    },
];

/// The tests' module, cut off before a word.
fn up_to(word: &str) -> &str {
    &PTX[..PTX.find(word).unwrap()]
}

fn load(text: &str) -> CUresult {
    load_bytes(&[text.as_bytes(), b"\0"].concat())
}

fn load_bytes(image: &[u8]) -> CUresult {
    assert_eq!(image.last(), Some(&0));
    // SAFETY: the image ends in NUL.
    code(unsafe { result::module::load_data(image.as_ptr().cast()) })
}

/// Launches a kernel that takes no arguments, or is refused.
fn launch(context: &Arc<CudaContext>, name: &str, config: LaunchConfig) -> CUresult {
    let (stream, kernel, out) = (context.default_stream(), kernel(context, name), 0u64);
    code(launch!(stream, kernel, config, &out))
}

/// Has a kernel write to an address, and waits for it.
fn poke(context: &Arc<CudaContext>, address: u64) -> CUresult {
    let (stream, poke) = (context.default_stream(), kernel(context, "poke"));
    // The address is wrong, on purpose.
    launch!(stream, poke, one_block(1), &address).unwrap();
    code(context.synchronize())
}

/// Launches a kernel that takes four arguments.
fn launch_with(context: &Arc<CudaContext>, arguments: *mut *mut c_void) -> CUresult {
    let layout = kernel(context, "layout");
    let (f, none) = (layout.cu_function(), std::ptr::null_mut());
    // SAFETY: refused before the kernel runs.
    unsafe { sys::cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, std::ptr::null_mut(), arguments, none) }
}

#[test]
#[ignore = "run by the other test"]
fn one_case() {
    let name = std::env::var("CASE").unwrap();
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    assert_eq!((case.run)(&context()), case.expected, "{name}");
}

/// What is wrong with how a case went.
fn complaint(case: &Case) -> Option<String> {
    let variables =
        [("CASE", case.name), ("SIMT_DEVICES", "2"), ("SIMT_INSTRUCTION_LIMIT", "100000")];
    let run = in_own_process("bad_input::one_case", &variables);
    let stderr = String::from_utf8(run.stderr).unwrap();
    let said: Vec<_> = stderr.lines().filter(|line| line.starts_with("simt: ")).collect();
    let told = said.len() == 1 && case.said.iter().all(|part| said[0].contains(part));
    (!run.status.success() || !told).then(|| format!("{}: {stderr}", case.name))
}

#[test]
fn each_has_its_code_and_its_cause() {
    let complaints: Vec<_> = CASES.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
