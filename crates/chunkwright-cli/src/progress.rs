//! How far the work is: shown on a terminal if it takes a while.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::style;

/// Work that takes less than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar is drawn.
const TIMES_A_SECOND: u8 = 8;

/// Files that are done, out of all.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    bytes: u64,
    is_shown: bool,
}

impl Progress {
    /// Progress through so many files. It is silent if the user wants that, if nobody watches, or
    /// if the output itself goes to the terminal.
    pub(crate) fn new(files: usize, is_quiet: bool, prints: bool) -> Self {
        let prints = prints && io::stdout().is_terminal();
        let is_shown = io::stderr().is_terminal() && !is_quiet && !prints;
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), bytes: 0, is_shown }
    }

    /// There are so many files in all.
    pub(crate) fn set_files(&self, files: usize) {
        self.bar.set_length(files as u64);
    }

    /// One more file of so many bytes is done.
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

    /// Tells the user something, without spoiling the bar.
    pub(crate) fn complain(&self, message: &str) {
        self.bar.suspend(|| style::complain(message));
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
        // There is nobody left to tell if this fails.
        let _ = match minutes {
            0 => write!(out, "{seconds} s left"),
            _ => write!(out, "{minutes} min {seconds} s left"),
        };
    };
    ProgressStyle::with_template(
        "{bar:28.cyan/dim} {human_pos} of {human_len} files · {msg} · {left}",
    )
    .expect("the template is sound")
    .progress_chars("━━─")
    .with_key("left", left)
}
