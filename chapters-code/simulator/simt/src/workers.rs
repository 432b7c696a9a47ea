//! The host threads that run the blocks of a launch.

use std::sync::OnceLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Returns the number of workers that the cores allow.
pub(crate) fn all() -> usize {
    if pool().is_none() {
        return 1;
    }
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the upper bound on workers. All must run concurrently, since blocks may spin on each
/// other.
pub(crate) fn most() -> usize {
    1 + pool().map_or(0, ThreadPool::current_num_threads)
}

/// Calls `work` on this number of host threads. The calling thread is one of them: it need not be
/// woken, and its cache holds what the host has just written.
pub(crate) fn run_on(workers: usize, work: impl Fn() + Sync) {
    let Some(pool) = (workers > 1).then(pool).flatten() else {
        return work();
    };
    pool.in_place_scope(|scope| {
        (1..workers).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}

/// Returns a pool with one thread per core except the caller's. With one more, two threads would
/// sometimes share a core, and one would wait for the other.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let others = cores.saturating_sub(1).max(1);
        ThreadPoolBuilder::new().num_threads(others).build().ok()
    };
    POOL.get_or_init(build).as_ref()
}
