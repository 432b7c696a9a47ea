//! Strict mode: the test runs itself again, as programs that report something, or not.

use crate::common::{RACE, code, context, in_own_process, launch, load, one_block};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, DriverError};

/// A kernel `poke`: it writes to the address that it gets.
const POKE: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry poke(.param .u64 at)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [at];
	st.global.u32 [%rd1], 1;
	ret;
}
";

/// What a process exits with that has reported something.
const STATUS: i32 = 86;

fn launch(context: &std::sync::Arc<CudaContext>, threads: u32) {
    let race = load(context, RACE, "race");
    launch!(context.default_stream(), race, one_block(threads)).unwrap();
}

/// Launches a kernel, and says what the next two calls return that wait.
fn codes(threads: u32) -> [CUresult; 2] {
    let context = context();
    launch(&context, threads);
    [(); 2].map(|()| code(context.synchronize()))
}

#[test]
#[ignore = "run by the other tests"]
fn racing() {
    let expected = match std::env::var("SIMT_STRICT").as_deref() {
        Ok("1") => CUresult::CUDA_ERROR_LAUNCH_FAILED,
        _ => CUresult::CUDA_SUCCESS,
    };
    assert_eq!(codes(64), [expected, CUresult::CUDA_SUCCESS]);
}

#[test]
#[ignore = "run by the other tests"]
fn right() {
    assert_eq!(codes(1), [CUresult::CUDA_SUCCESS; 2]);
}

/// A fault that the program expects, or one that it never sees.
fn fault(is_seen: bool) {
    let context = context();
    let poke = load(&context, POKE, "poke");
    let stream = context.default_stream();
    // The address is wrong, on purpose.
    launch!(stream, poke, one_block(1), &0u64).unwrap();
    if is_seen {
        let error = DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(context.synchronize(), Err(error));
    } else {
        std::process::exit(0);
    }
}

#[test]
#[ignore = "run by the other tests"]
fn seen_fault() {
    fault(true);
}

#[test]
#[ignore = "run by the other tests"]
fn unseen_fault() {
    fault(false);
}

/// What a program exits with, and what it says on standard error.
fn run(test: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let output = in_own_process(&format!("strict::{test}"), variables);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_report_is_an_error_and_a_status() {
    let (status, said) = run("racing", &[("SIMT_STRICT", "1")]);
    assert_eq!(status, Some(STATUS), "{said}");
    assert!(said.contains("simt: race in kernel `race`"), "{said}");
    assert!(said.contains("strict mode makes an error of what was reported"), "{said}");
    assert_eq!(run("right", &[("SIMT_STRICT", "1")]), (Some(0), String::new()));
    // Without the mode, or without the check.
    assert_eq!(run("racing", &[("SIMT_RACES", "1")]).0, Some(0));
    let unchecked = [("SIMT_STRICT", "0"), ("SIMT_RACES", "0")];
    assert_eq!(run("racing", &unchecked), (Some(0), String::new()));
}

#[test]
fn a_fault_may_be_expected_but_not_unseen() {
    let strict = [("SIMT_STRICT", "1")];
    let (status, said) = run("seen_fault", &strict);
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = run("unseen_fault", &strict);
    assert_eq!(status, Some(STATUS), "{said}");
    assert_eq!(run("unseen_fault", &[("SIMT_STRICT", "0")]).0, Some(0));
}

#[test]
fn settings_that_are_mistyped_are_named() {
    let (status, said) = run("right", &[("SIMT_RACE", "1"), ("SIMT_ROOT", "/")]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said, "simt: there is no setting SIMT_RACE; perhaps it is SIMT_RACES\n");
}

#[cfg(unix)]
mod forked {
    use super::{STATUS, codes, run};
    use std::ffi::c_int;

    unsafe extern "C" {
        fn fork() -> c_int;
        fn exit(status: c_int) -> !;
        fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    }

    /// Forks before the driver is there. The child reports something, the parent does not.
    #[test]
    #[ignore = "run by the other test"]
    fn parent() {
        // SAFETY: this thread is the only one that uses anything, and the child ends here.
        let child = unsafe {
            match fork() {
                0 => {
                    let _ = codes(64);
                    exit(0)
                }
                child => child,
            }
        };
        let mut status = 0;
        // SAFETY: the child is ours, and the status valid for writing.
        assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
        assert_eq!(status >> 8 & 0xff, STATUS);
    }

    #[test]
    fn a_child_has_a_status_of_its_own() {
        let (status, said) = run("forked::parent", &[("SIMT_STRICT", "1")]);
        assert_eq!(status, Some(0), "{said}");
    }
}
