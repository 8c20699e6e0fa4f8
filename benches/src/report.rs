//! The table of a report: a line for each job, with its budget.

#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "prints figures for people")]

use std::process::Command;
use std::time::Duration;

/// The budget of a job, by which its time is judged.
#[derive(Debug, Clone, Copy)]
pub enum Budget {
    /// Ours is at least so many times as fast as the rival.
    Faster(f64),
    /// Ours takes at most so many times as long as the rival.
    Slower(f64),
    /// Ours takes at most so much, in the unit of its line.
    AtMost(f64),
    /// There is no budget. The time is only printed.
    Open,
}

impl Budget {
    fn is_met(self, ours: f64, rival: f64) -> bool {
        match self {
            Self::Faster(times) => rival >= times * ours,
            Self::Slower(times) => ours <= times * rival,
            Self::AtMost(most) => ours <= most,
            Self::Open => true,
        }
    }
}

/// Prints a line; `ours` and `rival` are in `unit`.
pub fn line(job: &str, input: &str, unit: &str, ours: f64, rival: Option<(&str, f64)>, budget: Budget) {
    let (name, other) = rival.unwrap_or(("", f64::NAN));
    let (ratio, limit) = match budget {
        Budget::Faster(times) => (format!("{:.2}", other / ours), format!(">= {times}")),
        Budget::Slower(times) => (format!("{:.2}", ours / other), format!("<= {times}")),
        Budget::AtMost(most) => (String::new(), format!("<= {most} {unit}")),
        Budget::Open if other.is_nan() => (String::new(), String::new()),
        Budget::Open => (format!("{:.2}", other / ours), String::new()),
    };
    let met = budget.is_met(ours, other);
    let other = if other.is_nan() { String::new() } else { format!("{other:.1}") };
    let met = match budget {
        Budget::Open => "",
        _ if met => "yes",
        _ => "NO",
    };
    println!(
        "{job:<24} {input:<30} {ours:>8.1} {unit:<9} {name:<20} {other:>8} {ratio:>6} {limit:<13} {met}"
    );
}

/// Returns the nanoseconds of each of `count` items.
#[must_use]
pub fn per(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e9 / count as f64
}

/// Prints the machine and the compiler, without which a record of times means nothing, and the head of the table.
pub fn circumstances(program: &str) {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok().filter(|text| !text.is_empty())
    };
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(": ")?.1.to_owned())
    });
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("commit {}", output("git", &["describe", "--always", "--dirty"]).unwrap_or_default().trim());
    println!("{}", output("rustc", &["-vV"]).unwrap_or_default().trim());
    println!("processor {}, load {}", processor.unwrap_or_default(), load.trim());
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("command cargo run --release -p spall-benches --bin {program} -- {}\n", arguments.join(" "));
    println!(
        "{:<24} {:<30} {:>8} {:<9} {:<20} {:>8} {:>6} {:<13} met",
        "job", "input", "ours", "", "rival", "", "ratio", "budget"
    );
}
