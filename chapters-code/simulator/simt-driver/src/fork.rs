//! Forked children. A child has none of its parent's threads, and so not those that run blocks, and
//! it keeps their locks as they were. NVIDIA's driver does not work in one either.

#[cfg(unix)]
mod os {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CHILD: AtomicBool = AtomicBool::new(false);

    type Handler = Option<unsafe extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    extern "C" fn note() {
        IS_CHILD.store(true, Ordering::Relaxed);
    }

    pub fn watch() {
        // SAFETY: the handler stores one flag, which is allowed between fork and exec. Where it
        // cannot be registered, children go unnoticed.
        unsafe { pthread_atfork(None, None, Some(note)) };
    }

    pub fn is_child() -> bool {
        IS_CHILD.load(Ordering::Relaxed)
    }
}

#[cfg(not(unix))]
mod os {
    pub fn watch() {}

    pub fn is_child() -> bool {
        false
    }
}

/// Notices forks from now on.
pub use os::watch;

/// True in a child that was forked since [`watch`].
pub use os::is_child;
