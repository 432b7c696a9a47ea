//! How a function of the interface is defined: exported under its C name, never unwinding into C.

use std::{
    cell::RefCell,
    ffi::{CString, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
};

use cudarc::nccl::sys::ncclResult_t as Code;

use crate::driver;

/// Why a call fails.
pub struct Failure {
    /// What it returns.
    pub code: Code,
    /// What went wrong.
    pub cause: String,
}

/// What a function's body returns.
pub type Result<T = ()> = std::result::Result<T, Failure>;

/// An argument that no program may pass.
pub fn invalid_argument<T>(cause: impl Into<String>) -> Result<T> {
    Err(Failure { code: Code::ncclInvalidArgument, cause: cause.into() })
}

/// A call that no program may make at this point.
pub fn invalid_usage<T>(cause: impl Into<String>) -> Result<T> {
    Err(Failure { code: Code::ncclInvalidUsage, cause: cause.into() })
}

/// Defines exported functions. The body is a [`Result`]; what went wrong is said on standard error.
macro_rules! api {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$meta])*
            ///
            /// # Safety
            /// Every pointer must be null or valid, as NCCL's manual says for this function.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> cudarc::nccl::sys::ncclResult_t {
                $crate::entry::guard(stringify!($name), || $body)
            }
        )*
    };
}
pub(crate) use api;

/// Defines functions that only say that they are not supported. They take no arguments, whatever the caller passes:
/// in the C calling conventions of 64-bit hosts the caller cleans up.
macro_rules! unsupported {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> cudarc::nccl::sys::ncclResult_t {
                let cause = "not supported by the simulator".to_string();
                let code = cudarc::nccl::sys::ncclResult_t::ncclInvalidUsage;
                $crate::entry::fail(stringify!($name), $crate::entry::Failure { code, cause })
            }
        )*
    };
}
pub(crate) use unsupported;

thread_local! {
    /// What the last call of this thread that failed has said.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the body of the function `name`.
pub fn guard(name: &str, body: impl FnOnce() -> Result) -> Code {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let cause = "defect in the simulator".to_string();
        Err(Failure { code: Code::ncclInternalError, cause })
    });
    let Err(failure) = result else { return Code::ncclSuccess };
    if matches!(failure.code, Code::ncclInvalidArgument | Code::ncclInvalidUsage) {
        driver::note_report(true);
    }
    fail(name, failure)
}

/// Says why the function `name` fails, and returns what it returns.
pub fn fail(name: &str, Failure { code, cause }: Failure) -> Code {
    let text = format!("{name}: {cause} ({code:?})");
    say(&text);
    LAST_ERROR.set(CString::new(text).unwrap_or_default());
    code
}

/// What the last call of this thread that failed has said. It lives until another one fails.
pub fn last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|text| text.as_ptr())
}

/// Says on standard error what NCCL would not say, and reports it to the driver.
pub fn report(text: &str) {
    say(text);
    driver::note_report(false);
}

/// Says something on standard error, or nothing where there is none. All lines of the simulator begin alike.
fn say(text: &str) {
    use std::io::Write;
    // One call, so that other threads cannot write within the line.
    let _ = std::io::stderr().write_all(format!("simt: NCCL: {text}\n").as_bytes());
}

/// Writes a result where the caller wants it.
pub fn set<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return invalid_argument("a null pointer for the result");
    }
    // SAFETY: a pointer that is not null is valid, as the caller of the C function promises.
    unsafe { to.write(value) };
    Ok(())
}
