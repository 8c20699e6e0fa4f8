//! Prints what took the most time: slices, and the functions that CPU samples found, over all threads.
//!
//! `top FILE [COUNT]` prints the first 20, or so many, by their own time.

use std::{
    collections::{HashMap, HashSet},
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use spall_trace::model::{Frame, Limits, NameId, Trace};
use spall_trace::samples::CallTree;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next();
    let count = arguments.next().map_or(Some(20), |count| count.to_str()?.parse().ok());
    let (Some(path), Some(count)) = (path, count) else {
        eprintln!("usage: top FILE [COUNT]");
        return ExitCode::from(2);
    };
    match top(path.as_ref(), count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}

/// What is added up: a slice by its name, or a function whoever calls it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Slice(NameId),
    Function { name: NameId, url: NameId, line: Option<u32>, column: Option<u32> },
}

#[derive(Default)]
struct Sum {
    own: i64,
    total: i64,
    count: u64,
    hits: u64,
}

fn top(path: &std::path::Path, count: usize) -> Result<(), Box<dyn Error>> {
    let data = std::fs::read(path)?;
    let trace = spall_trace::load(&data, &Limits::default())?;
    let (mut sums, mut all) = (HashMap::new(), 0);
    for (_, tree) in spall_trace::call_trees(&trace) {
        all += add(&trace, &tree, &mut sums);
    }
    let mut sums: Vec<(What, Sum)> = sums.into_iter().collect();
    sums.sort_by_key(|(what, sum)| (std::cmp::Reverse(sum.own), describe(&trace, *what)));
    let mut out = io::stdout().lock();
    writeln!(out, "{:>7} {:>14} {:>14} {:>9} {:>9}", "own %", "own", "total", "count", "samples")?;
    for (what, sum) in sums.iter().take(count) {
        #[allow(clippy::cast_precision_loss, reason = "for a human")]
        let share = 100.0 * sum.own as f64 / (all as f64).max(1.0);
        let Sum { own, total, count, hits } = sum;
        writeln!(
            out,
            "{share:>6.2}% {own:>14} {total:>14} {count:>9} {hits:>9}  {}",
            describe(&trace, *what)
        )?;
    }
    Ok(())
}

/// Adds up the call tree of a thread; the time in which something was open.
fn add(trace: &Trace<'_>, tree: &CallTree, sums: &mut HashMap<What, Sum>) -> i64 {
    let whats: Vec<Option<What>> = tree
        .nodes()
        .iter()
        .map(|node| {
            node.parent?;
            Some(match node.frame.and_then(|frame| trace.frame(frame)) {
                Some(&Frame { name, url, line, column, .. }) => What::Function { name, url, line, column },
                None => What::Slice(node.name),
            })
        })
        .collect();
    let mut children = vec![Vec::new(); whats.len()];
    for (index, node) in tree.nodes().iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent as usize].push(index);
        }
    }
    // Totals of what calls itself count once: where it was not open already.
    let mut open = HashSet::new();
    let mut work = vec![(0, true)];
    while let Some((index, enter)) = work.pop() {
        let node = &tree.nodes()[index];
        let Some(what) = whats[index] else {
            work.extend(children[index].iter().map(|&child| (child, true)));
            continue;
        };
        if !enter {
            open.remove(&what);
            continue;
        }
        let sum = sums.entry(what).or_default();
        sum.own += node.own.0;
        sum.count += u64::from(node.count);
        sum.hits += u64::from(node.hits);
        if open.insert(what) {
            sum.total += node.total.0;
            work.push((index, false));
        }
        work.extend(children[index].iter().map(|&child| (child, true)));
    }
    tree.nodes().first().map_or(0, |thread| thread.total.0 - thread.own.0)
}

fn describe(trace: &Trace<'_>, what: What) -> String {
    match what {
        What::Slice(name) => trace.name(name).into_owned(),
        What::Function { name, url, line, .. } => match (trace.name(url), line) {
            (url, _) if url.is_empty() => trace.name(name).into_owned(),
            (url, None) => format!("{} {url}", trace.name(name)),
            (url, Some(line)) => format!("{} {url}:{}", trace.name(name), u64::from(line) + 1),
        },
    }
}
