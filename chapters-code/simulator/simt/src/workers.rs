//! The host threads that run the blocks of a launch.

use std::sync::OnceLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// As many as there are cores for.
pub(crate) fn all() -> usize {
    if pool().is_none() {
        return 1;
    }
    thread::available_parallelism().map_or(1, usize::from)
}

/// As many as can run at once: of more, some would only begin when others have ended, who may be waiting
/// for them.
pub(crate) fn most() -> usize {
    1 + pool().map_or(0, ThreadPool::current_num_threads)
}

/// Calls `work` on so many host threads. The calling one is among them: it need not be woken, and its
/// cache holds what the host has just written.
pub(crate) fn run_on(workers: usize, work: impl Fn() + Sync) {
    let Some(pool) = (workers > 1).then(pool).flatten() else {
        return work();
    };
    pool.in_place_scope(|scope| {
        (1..workers).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}

/// A thread for every core but the caller's. With one more, two of them would at times be put on one
/// core, and one of these wait for the other.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let others = cores.saturating_sub(1).max(1);
        ThreadPoolBuilder::new().num_threads(others).build().ok()
    };
    POOL.get_or_init(build).as_ref()
}
