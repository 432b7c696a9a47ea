//! How a function of the API is defined: exported under its C name, never unwinding into C.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{CUresult, Failure, Result};

/// Defines exported functions. The body is a [`Result`]; what went wrong is said on standard error.
///
/// `per_thread(cuX_ptsz) fn cuX(…)` defines `cuX_ptsz` too: the same function for programs whose
/// default stream is the calling thread's own. `also(cuY) fn cuX(…)` defines `cuY` as a second name.
macro_rules! api {
    ($(
        $(#[$meta:meta])*
        $(per_thread($per_thread:ident))? $(also($($also:ident),*))?
        fn $name:ident $arguments:tt $body:block
    )*) => {
        $(
            $crate::entry::function!($(#[$meta])* $name $arguments
                $crate::entry::guard(stringify!($name), || $body));
            $(
                $crate::entry::forward!($per_thread $name $arguments
                    $crate::stream::with_default_per_thread);
            )?
            $($(
                $crate::entry::forward!($also $name $arguments $crate::entry::unchanged);
            )*)?
        )*

        /// The functions of this file: names and addresses.
        pub(crate) const FUNCTIONS: &[$crate::entry::Export] = &[$(
            (stringify!($name), $name as *const std::ffi::c_void),
            $((stringify!($per_thread), $per_thread as *const std::ffi::c_void),)?
            $($((stringify!($also), $also as *const std::ffi::c_void),)*)?
        )*];
    };
}
pub(crate) use api;

/// Defines two functions from each operation: one that waits for it, in the default stream, and one that queues it in the
/// stream that is its last argument. Other functions may follow after `also`.
macro_rules! operations {
    (
        $($(#[$meta:meta])*
        fn $waits:ident/$waits_per_thread:ident, $queues:ident/$queues_per_thread:ident
            ($($arg:ident: $ty:ty),*) => $operation:expr;)*
        also { $($others:tt)* }
    ) => {
        $crate::entry::api! {
            $(
                $(#[$meta])*
                per_thread($waits_per_thread) fn $waits($($arg: $ty),*) {
                    $crate::operation::complete(&$operation?)
                }

                $(#[$meta])*
                per_thread($queues_per_thread) fn $queues($($arg: $ty,)* stream: $crate::types::CUstream) {
                    $crate::operation::submit(stream, $operation?)
                }
            )*
            $($others)*
        }
    };
}
pub(crate) use operations;

/// Defines one exported function from an expression.
macro_rules! function {
    ($(#[$meta:meta])* $name:ident ($($arg:ident: $ty:ty),* $(,)?) $result:expr) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// Every pointer must be null or valid, as the CUDA manual says for this function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::error::CUresult {
            $result
        }
    };
}
pub(crate) use function;

/// Defines an exported function that calls another one within `around`.
macro_rules! forward {
    ($name:ident $target:ident ($($arg:ident: $ty:ty),* $(,)?) $around:path) => {
        $crate::entry::function!(
            #[doc = concat!("[`", stringify!($target), "`] under another name.")]
            $name ($($arg: $ty),*)
            // SAFETY: the caller's promise is the same.
            $around(|| unsafe { $target($($arg),*) })
        );
    };
}
pub(crate) use forward;

/// An exported function: its name and address.
pub type Export = (&'static str, *const c_void);

/// Calls a function, and nothing else.
pub fn unchanged(call: impl FnOnce() -> CUresult) -> CUresult {
    call()
}

/// Runs the body of the function `name`.
pub fn guard(name: &str, body: impl FnOnce() -> Result) -> CUresult {
    crate::together::count_thread();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(Failure { code, cause })) => {
            if let Some(cause) = cause {
                say(&format!("{name}: {cause} ({code:?})"));
            }
            code
        }
        Err(panic) => {
            say(&format!("{name}: defect in the simulator: {}", words(&*panic)));
            CUresult::UNKNOWN
        }
    }
}

/// Says something on standard error, or nothing if there is none.
pub fn say(text: &str) {
    use std::io::Write;
    // One call, so that other threads cannot write within the line.
    let _ = std::io::stderr().write_all(format!("simt: {text}\n").as_bytes());
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_code() {
        assert_eq!(guard("f", || panic!("on purpose")), CUresult::UNKNOWN);
        assert_eq!(guard("f", || Err(CUresult::NOT_FOUND.into())), CUresult::NOT_FOUND);
        assert_eq!(guard("f", || Ok(())), CUresult::SUCCESS);
    }
}
