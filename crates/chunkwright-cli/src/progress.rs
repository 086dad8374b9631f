//! A progress bar on the terminal, for work that takes a while.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::style;

/// Time before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Redraws per second.
const TIMES_A_SECOND: u8 = 8;

/// Progress through a number of files.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    bytes: u64,
    is_shown: bool,
}

impl Progress {
    /// Starts at 0 of `files` files. The bar stays hidden if the user wants no messages, if standard
    /// error is not a terminal, or if the output itself goes to the terminal.
    pub(crate) fn new(files: usize, is_quiet: bool, prints: bool) -> Self {
        let prints = prints && io::stdout().is_terminal();
        let is_shown = io::stderr().is_terminal() && !is_quiet && !prints;
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), bytes: 0, is_shown }
    }

    /// Sets the total number of files.
    pub(crate) fn set_files(&self, files: usize) {
        self.bar.set_length(files as u64);
    }

    /// Counts a file of this many bytes as done.
    pub(crate) fn done(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if !self.is_shown {
            return;
        }
        self.bar.inc(1);
        let megabytes = self.bytes as f64 / 1e6;
        let rate = megabytes / self.begun.elapsed().as_secs_f64().max(0.001);
        self.bar.set_message(format!("{megabytes:.1} MB · {rate:.1} MB/s"));
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            self.bar.set_style(looks());
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(TIMES_A_SECOND));
        }
    }

    /// Prints an error above the bar.
    pub(crate) fn complain(&self, message: &str) {
        self.bar.suspend(|| style::complain(message));
    }

    /// Prints a warning above the bar.
    pub(crate) fn warn(&self, message: &str) {
        self.bar.suspend(|| style::warn(message));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn looks() -> ProgressStyle {
    let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let seconds = state.eta().as_secs();
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        // There is no way to report a failure here.
        let _ = match minutes {
            0 => write!(out, "{seconds} s left"),
            _ => write!(out, "{minutes} min {seconds} s left"),
        };
    };
    ProgressStyle::with_template(
        "{bar:28.cyan/dim} {human_pos} of {human_len} files · {msg} · {left}",
    )
    .expect("the template is valid")
    .progress_chars("━━─")
    .with_key("left", left)
}
