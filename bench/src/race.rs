//! Runs contenders in rounds, and keeps the best time of each.

use serde_json::{Value, json};

use crate::clock::cpu_seconds;
use crate::corpus::{Page, bytes};

/// Work on bytes in memory. It returns the number of chunks, blocks, tokens or events.
struct Contender<'c> {
    name: String,
    bytes: usize,
    /// Whether it runs once before it is measured.
    warm: bool,
    work: Box<dyn Fn() -> usize + Send + Sync + 'c>,
}

/// A set of contenders.
#[derive(Default)]
pub struct Race<'c> {
    contenders: Vec<Contender<'c>>,
}

impl<'c> Race<'c> {
    /// Adds a contender that works on pages.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        pages: &'c [&'c Page],
        work: impl Fn(&[&Page]) -> usize + Send + Sync + 'c,
    ) {
        let bytes = bytes(pages.iter().copied());
        self.add_work(name, bytes, move || work(pages));
    }

    /// Adds a contender that works on a given number of bytes.
    pub fn add_work(
        &mut self,
        name: impl Into<String>,
        bytes: usize,
        work: impl Fn() -> usize + Send + Sync + 'c,
    ) {
        let work = Box::new(work);
        self.contenders.push(Contender { name: name.into(), bytes, warm: false, work });
    }

    /// Runs the contender added last once before it is measured.
    pub fn warm_up_last(&mut self) {
        if let Some(last) = self.contenders.last_mut() {
            last.warm = true;
        }
    }

    /// Runs all contenders in each round, so that a slow phase of the machine affects all of them.
    pub fn run(self, rounds: usize) -> Results {
        let mut runs: Vec<Run> = self.contenders.iter().map(Run::of).collect();
        for round in 1..=rounds {
            eprintln!("  round {round} of {rounds}");
            for (contender, run) in self.contenders.iter().zip(&mut runs) {
                let warm_up = || {
                    if contender.warm {
                        (contender.work)();
                    }
                };
                let (seconds, made) = cpu_seconds(warm_up, &contender.work);
                run.seconds.push(seconds);
                run.made = made;
            }
        }
        Results { runs }
    }
}

/// The times of one contender.
struct Run {
    name: String,
    bytes: usize,
    made: usize,
    seconds: Vec<f64>,
}

impl Run {
    fn of(contender: &Contender<'_>) -> Self {
        let Contender { name, bytes, .. } = contender;
        Self { name: name.clone(), bytes: *bytes, made: 0, seconds: Vec::new() }
    }

    fn best(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// The times of all contenders.
pub struct Results {
    runs: Vec<Run>,
}

impl Results {
    /// Returns the best CPU seconds of a contender.
    pub fn seconds(&self, name: &str) -> f64 {
        self.run(name).best()
    }

    /// Returns the best speed of a contender in megabytes per second.
    pub fn speed(&self, name: &str) -> f64 {
        self.run(name).bytes as f64 / 1e6 / self.run(name).best()
    }

    /// Returns the best cost of a contender in milliseconds per megabyte.
    pub fn cost(&self, name: &str) -> f64 {
        1e3 / self.speed(name)
    }

    /// Returns the cost of a contender divided by that of `base`.
    pub fn ratio(&self, name: &str, base: &str) -> f64 {
        self.cost(name) / self.cost(base)
    }

    /// Returns the number of chunks, blocks, tokens or events of a contender.
    pub fn made(&self, name: &str) -> usize {
        self.run(name).made
    }

    /// Returns all measurements as JSON.
    pub fn json(&self) -> Value {
        let rows = self.runs.iter().map(|run| {
            json!({
                "name": run.name, "bytes": run.bytes, "made": run.made,
                "mb_per_second": self.speed(&run.name), "cpu_seconds": run.seconds,
            })
        });
        rows.collect()
    }

    fn run(&self, name: &str) -> &Run {
        let found = self.runs.iter().find(|run| run.name == name);
        found.unwrap_or_else(|| panic!("no contender `{name}`"))
    }
}
