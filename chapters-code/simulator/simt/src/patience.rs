//! Reports a launch that runs for long and may never end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a launch runs before it is reported.
const LONG: Duration = Duration::from_secs(30);

/// A launch that has run for long.
#[derive(Clone, Debug)]
pub struct LongRun<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// A source line that it is at, as `file.cu:12`.
    pub line: String,
    /// How long it has run.
    pub elapsed: Duration,
}

/// The function that gets the reports.
static LISTENER: OnceLock<fn(&LongRun<'_>)> = OnceLock::new();

/// Sets the function that is called, once per launch, when a launch of this process has run for half a minute.
/// Only the first call has an effect.
pub fn report_long_runs(listener: fn(&LongRun<'_>)) {
    // The first listener stays, as the function says.
    let _ = LISTENER.set(listener);
}

/// How long a launch has run.
pub(crate) struct Patience {
    /// `None` without a listener.
    start: Option<Instant>,
    is_reported: AtomicBool,
}

impl Patience {
    pub fn new() -> Self {
        // Without a listener the clock is not read: some targets have none.
        Self { start: LISTENER.get().map(|_| Instant::now()), is_reported: AtomicBool::new(false) }
    }

    /// Reports, once, a launch that has run for long and is at this source line.
    #[cold]
    pub fn look(&self, kernel: &str, line: impl FnOnce() -> String) {
        let (Some(start), Some(listener)) = (self.start, LISTENER.get()) else { return };
        let elapsed = start.elapsed();
        if elapsed >= LONG && !self.is_reported.swap(true, Ordering::Relaxed) {
            listener(&LongRun { kernel, line: line(), elapsed });
        }
    }
}
