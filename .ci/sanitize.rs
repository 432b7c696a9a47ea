//! What the standard library does out of line to order threads, as ThreadSanitizer should see it.
//!
//! `.ci/sanitize` puts the standard library's hash in the place of `CsSTD`, and has the linker lead calls
//! of each function `F` below to `__wrap_F`, which calls it as `__real_F`. An address that is acquired
//! orders after all that has been done before the same address was released.

#![no_std]

use core::ffi::c_void;
use core::time::Duration;

unsafe extern "C" {
    fn __tsan_acquire(address: *const c_void);
    fn __tsan_release(address: *const c_void);
}

type Lock = *const c_void;

/// Takes a lock that another thread holds. It is released inline.
macro_rules! lock {
    ($($wrap:ident = $real:ident;)*) => {
        unsafe extern "Rust" {
            $(fn $real(lock: Lock);)*
        }
        $(
            #[unsafe(no_mangle)]
            unsafe fn $wrap(lock: Lock) {
                unsafe {
                    $real(lock);
                    __tsan_acquire(lock);
                }
            }
        )*
    };
}

lock! {
    __wrap__RNvMNtNtNtNtCsSTD_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended =
        __real__RNvMNtNtNtNtCsSTD_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended;
    __wrap__RNvMNtNtNtNtCsSTD_3std3sys4sync6rwlock5futexNtB2_6RwLock14read_contended =
        __real__RNvMNtNtNtNtCsSTD_3std3sys4sync6rwlock5futexNtB2_6RwLock14read_contended;
    __wrap__RNvMNtNtNtNtCsSTD_3std3sys4sync6rwlock5futexNtB2_6RwLock15write_contended =
        __real__RNvMNtNtNtNtCsSTD_3std3sys4sync6rwlock5futexNtB2_6RwLock15write_contended;
}

unsafe extern "Rust" {
    fn __real__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar4wait(
        condvar: Lock,
        mutex: Lock,
    );
    fn __real__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar12wait_timeout(
        condvar: Lock,
        mutex: Lock,
        timeout: Duration,
    ) -> bool;
    fn __real__RNvMs0_NtNtNtNtCsSTD_3std3sys4sync4once5futexNtB5_4Once4call(
        once: Lock,
        ignores_poison: bool,
        initialize: &mut dyn FnMut(Lock),
        caller: Lock,
    );
}

/// Gives the lock back, and has it again at the end.
#[unsafe(no_mangle)]
unsafe fn __wrap__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar4wait(
    condvar: Lock,
    mutex: Lock,
) {
    unsafe {
        __tsan_release(mutex);
        __real__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar4wait(condvar, mutex);
        __tsan_acquire(mutex);
    }
}

/// Likewise.
#[unsafe(no_mangle)]
unsafe fn __wrap__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar12wait_timeout(
    condvar: Lock,
    mutex: Lock,
    timeout: Duration,
) -> bool {
    unsafe {
        __tsan_release(mutex);
        let woken =
            __real__RNvMNtNtNtNtCsSTD_3std3sys4sync7condvar5futexNtB2_7Condvar12wait_timeout(
                condvar, mutex, timeout,
            );
        __tsan_acquire(mutex);
        woken
    }
}

/// Initialises something once, before others are shown that it is done; or waits until it is.
#[unsafe(no_mangle)]
unsafe fn __wrap__RNvMs0_NtNtNtNtCsSTD_3std3sys4sync4once5futexNtB5_4Once4call(
    once: Lock,
    ignores_poison: bool,
    initialize: &mut dyn FnMut(Lock),
    caller: Lock,
) {
    let mut initialize = |state| {
        initialize(state);
        unsafe { __tsan_release(once) };
    };
    unsafe {
        __real__RNvMs0_NtNtNtNtCsSTD_3std3sys4sync4once5futexNtB5_4Once4call(
            once,
            ignores_poison,
            &mut initialize,
            caller,
        );
        __tsan_acquire(once);
    }
}
