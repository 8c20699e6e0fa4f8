//! How long the steps of a program took, and how much memory it needed.

use std::time::{Duration, Instant};

/// A stop watch for steps one after the other.
#[derive(Debug)]
pub(crate) struct Phases {
    last: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Phases {
    /// Starts the watch.
    #[must_use]
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), phases: Vec::new() }
    }

    /// Ends the step called `name`.
    pub(crate) fn end(&mut self, name: &'static str) {
        let now = Instant::now();
        self.phases.push((name, now - self.last));
        self.last = now;
    }

    /// One line: each step in milliseconds, and the peak memory where the system tells it.
    #[must_use]
    pub(crate) fn report(&self) -> String {
        let mut line: Vec<String> = self
            .phases
            .iter()
            .map(|(name, time)| format!("{name} {:.1} ms", time.as_secs_f64() * 1e3))
            .collect();
        if let Some(peak) = peak_memory_kib() {
            line.push(format!("peak memory {:.1} MiB", peak / 1024.0));
        }
        line.join(", ")
    }
}

fn peak_memory_kib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
