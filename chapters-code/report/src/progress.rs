//! A progress bar on standard error, only where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how many of some steps are done; draws nothing if the output is not a terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of `steps` steps.
    pub fn new(steps: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {bar:24} {msg} {elapsed}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Says what is being done now.
    pub fn doing(&self, what: &str) {
        self.0.set_message(what.to_string());
        self.0.tick();
    }

    /// One step is done.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// Prints a line above the bar, or plainly if there is none.
    pub fn say(&self, line: &str) {
        if self.0.is_hidden() { eprintln!("{line}") } else { self.0.println(line) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
