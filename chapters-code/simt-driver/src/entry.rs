//! How a function of the API is defined: exported under its C name, never unwinding into C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{CUresult, Failure, Result};

/// Defines exported functions. The body is a [`Result`]; what went wrong is said on standard error.
macro_rules! api {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$meta])*
            ///
            /// # Safety
            /// Every pointer must be null or valid, as the CUDA manual says for this function.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::error::CUresult {
                $crate::entry::guard(stringify!($name), || $body)
            }
        )*

        /// The address of a function of this file, by name.
        pub(crate) fn address(name: &str) -> Option<*const std::ffi::c_void> {
            match name {
                $(stringify!($name) => Some($name as *const std::ffi::c_void),)*
                _ => None,
            }
        }
    };
}
pub(crate) use api;

/// Runs the body of the function `name`.
pub fn guard(name: &str, body: impl FnOnce() -> Result) -> CUresult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(Failure { code, cause })) => {
            if let Some(cause) = cause {
                say(&format!("{name}: {cause} ({code:?})"));
            }
            code
        }
        Err(panic) => {
            say(&format!(
                "{name}: defect in the simulator: {}",
                words(&*panic)
            ));
            CUresult::UNKNOWN
        }
    }
}

/// Says something on standard error, or nothing where there is none.
pub fn say(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "simt: {text}");
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_code() {
        assert_eq!(guard("f", || panic!("on purpose")), CUresult::UNKNOWN);
        assert_eq!(
            guard("f", || Err(CUresult::NOT_FOUND.into())),
            CUresult::NOT_FOUND
        );
        assert_eq!(guard("f", || Ok(())), CUresult::SUCCESS);
    }
}
