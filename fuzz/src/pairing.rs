//! Begins and ends of a thread are paired as a plain reading of the rules pairs them.

use std::collections::VecDeque;

use arbitrary::{Result, Unstructured};
use spall_trace::model::{
    Args, DiagnosticKind as Kind, Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView,
};

/// A begin or an end. Neither an end without a name nor a begin has another name than these.
#[derive(Debug, Clone, Copy)]
struct Edge {
    is_begin: bool,
    name: &'static str,
    at: i64,
}

/// What became of a begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// An end of this time closed it.
    Closed(i64),
    /// It is unfinished, and drawn up to the end of a slice around it.
    Cut(i64),
    Open,
}

/// Pairs the begins and ends of one thread. Returns whether there were more than a few.
///
/// # Panics
/// When a slice has another end than [pairing 2] says, or another number of faults is counted.
pub fn run(bytes: &[u8]) -> bool {
    let edges = edges(&mut Unstructured::new(bytes)).unwrap_or_default();
    let mut builder = TraceBuilder::new(&Limits::default());
    for (number, edge) in edges.iter().enumerate() {
        // The arguments of a begin say which it is.
        let args = if edge.is_begin { number.to_string() } else { String::new() };
        let event = ThreadEvent::new(Thread::new(1, 1), Tick(edge.at), Text::from(edge.name));
        let event = ThreadEvent { args: Args::text(args.as_bytes()), ..event };
        builder.push(&if edge.is_begin { Event::Begin(event) } else { Event::End(event) });
    }
    let trace = builder.finish();

    let expected = read(&edges);
    let last = edges.iter().map(|edge| edge.at).max().unwrap_or_default();
    let mut found = vec![None; edges.len()];
    for id in trace.slices().ids() {
        let slice = trace.slice(id).unwrap();
        let number: usize = trace.slice_args(id).begin.to_string().parse().unwrap();
        found[number] = Some((slice.end.0, slice.flags.is_unfinished()));
    }
    let wanted = edges.iter().zip(&expected.fates).map(|(edge, fate)| {
        edge.is_begin.then(|| match *fate {
            Fate::Closed(at) => (at.max(edge.at), false),
            Fate::Cut(at) => (at.max(edge.at), true),
            Fate::Open => (last.max(edge.at), true),
        })
    });
    assert_eq!(found, wanted.collect::<Vec<_>>(), "{edges:?}");
    let unfinished = edges.iter().zip(&expected.fates);
    let unfinished = unfinished.filter(|(edge, fate)| edge.is_begin && !matches!(fate, Fate::Closed(_)));
    let faults = [
        (Kind::UnmatchedEnd, expected.unmatched),
        (Kind::UnfinishedSlice, unfinished.count()),
        (Kind::NameMismatch, expected.mismatches),
        (Kind::EndBeforeBegin, expected.backward),
        (Kind::Resorted, usize::from(expected.is_sorted)),
    ];
    for (kind, count) in faults {
        assert_eq!(trace.diagnostics().count(kind), count as u64, "{kind}: {edges:?}");
    }
    edges.len() > 5
}

/// Returns begins and ends, which often are those of slices that lie inside one another or overlap.
fn edges(u: &mut Unstructured<'_>) -> Result<Vec<Edge>> {
    let goes_back = u.ratio(1, 3)?;
    let n_names = u.int_in_range(1..=4)?;
    let (mut at, mut edges, mut open) = (0, Vec::new(), Vec::new());
    while edges.len() < 60 && !u.is_empty() {
        at += [0, 0, 1, 1, 2, 5, 9, if goes_back { -7 } else { 3 }][u.int_in_range(0..=7)?];
        let any = ["a", "b", "c", "d"][u.int_in_range(0..=n_names - 1)?];
        let edge = match u.int_in_range(0..=15)? {
            0 => Edge { is_begin: false, name: any, at },
            1 => Edge { is_begin: false, name: "", at },
            2..=9 => {
                open.push(any);
                Edge { is_begin: true, name: any, at }
            }
            // Any open slice ends.
            kind => {
                let Some(top) = open.len().checked_sub(1) else { continue };
                let position = if kind < 13 { top } else { u.int_in_range(0..=top)? };
                Edge { is_begin: false, name: open.remove(position), at }
            }
        };
        edges.push(edge);
    }
    Ok(edges)
}

/// A way to read the begins and ends of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    ByName,
    LastInFirstOut,
    Overlapping,
}

/// A reading.
struct Reading {
    /// The fate of each begin; meaningless for ends.
    fates: Vec<Fate>,
    faults: usize,
    unmatched: usize,
    mismatches: usize,
    backward: usize,
    is_sorted: bool,
}

/// Returns the reading that counts. [pairing 2]
fn read(edges: &[Edge]) -> Reading {
    let in_file: Vec<usize> = (0..edges.len()).collect();
    let mut in_time = in_file.clone();
    in_time.sort_by_key(|&number| edges[number].at);
    let n_begins = edges.iter().filter(|edge| edge.is_begin).count();
    let least = n_begins.abs_diff(edges.len() - n_begins);
    let mut ways = vec![(Way::ByName, false), (Way::LastInFirstOut, false)];
    if in_file != in_time {
        ways.extend([(Way::ByName, true), (Way::LastInFirstOut, true)]);
    }
    let none = vec![false; edges.len()];
    let read =
        |way, is_sorted| read_one(edges, if is_sorted { &in_time } else { &in_file }, way, is_sorted, &none);
    // The first one of the smallest.
    let best = ways
        .into_iter()
        .map(|(way, is_sorted)| read(way, is_sorted))
        .reduce(|best, other| if other.faults < best.faults { other } else { best });
    let best = best.unwrap();
    let mut overlapping = read(Way::Overlapping, best.is_sorted);
    if overlapping.faults < best.faults {
        // Begins without an end are known now.
        let endless: Vec<bool> =
            overlapping.fates.iter().map(|fate| !matches!(fate, Fate::Closed(_))).collect();
        let order = if best.is_sorted { &in_time } else { &in_file };
        overlapping = read_one(edges, order, Way::Overlapping, best.is_sorted, &endless);
    }
    if best.faults > least && overlapping.faults < best.faults { overlapping } else { best }
}

/// Reads begins and ends in one way, in the order in which their numbers are given. `endless` are begins that are over when
/// they are cut.
fn read_one(edges: &[Edge], order: &[usize], way: Way, is_sorted: bool, endless: &[bool]) -> Reading {
    let mut reading = Reading {
        fates: vec![Fate::Open; edges.len()],
        faults: 0,
        unmatched: 0,
        mismatches: 0,
        backward: 0,
        is_sorted,
    };
    let mut open: Vec<usize> = Vec::new();
    let mut rest: VecDeque<usize> = order.iter().copied().collect();
    while let Some(&next) = rest.front() {
        let Edge { is_begin, at, .. } = edges[next];
        if is_begin {
            open.extend(rest.pop_front());
            continue;
        }
        // Of several ends at one time, the one that names the innermost open slice comes first.
        let group = rest.iter().take_while(|&&end| !edges[end].is_begin && edges[end].at == at);
        let top = open.last().map(|&top| edges[top].name);
        let first = group.clone().position(|&end| Some(edges[end].name) == top);
        let first = first.filter(|_| way != Way::LastInFirstOut).unwrap_or(0);
        let end = rest.remove(first).unwrap();
        let name = edges[end].name;
        let position = match way {
            Way::LastInFirstOut => open.len().checked_sub(1),
            _ if name.is_empty() => open.len().checked_sub(1),
            _ => open.iter().rposition(|&begin| edges[begin].name == name),
        };
        let Some(position) = position else {
            reading.unmatched += 1;
            continue;
        };
        let begin = open.remove(position);
        // All that began at the time of the end are its successors.
        let are_successors = open[position..].iter().all(|&begin| edges[begin].at == at);
        for &inner in open[position..].iter().filter(|_| !are_successors && way != Way::LastInFirstOut) {
            if reading.fates[inner] == Fate::Open {
                reading.fates[inner] = Fate::Cut(at);
            }
        }
        if way == Way::ByName && !are_successors {
            reading.faults += open.len() - position;
            open.truncate(position);
        }
        if way == Way::Overlapping && !are_successors {
            let n_before = open.len();
            let mut at = 0;
            open.retain(|&begin| {
                at += 1;
                at <= position || !endless[begin]
            });
            reading.faults += n_before - open.len();
        }
        reading.fates[begin] = Fate::Closed(at);
        reading.mismatches += usize::from(!name.is_empty() && name != edges[begin].name);
        reading.backward += usize::from(at < edges[begin].at);
    }
    reading.faults += open.len() + reading.unmatched + reading.mismatches + 3 * reading.backward;
    reading
}
