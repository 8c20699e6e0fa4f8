//! Several traces become one: each process is there with its contents, and times lie where a second reading of the rules
//! puts them.

use arbitrary::{Result, Unstructured};
use spall_trace::json::json_args;
use spall_trace::model::{
    Clock, Conventions, Event, Key, Limits, Text, Thread, ThreadEvent, Tick, Trace, TraceBuilder, TraceView,
    Track, Unit,
};
use spall_trace::{Alignment, MergeInput, PlacedBy, merge_traces};

use crate::events;

/// A trace, and what places it.
struct Case {
    trace: Trace,
    name: String,
    /// Two to the power of this many nanoseconds make a tick.
    exponent: i32,
    epoch: Option<i64>,
    monotonic: Option<i64>,
    markers: Vec<Marker>,
    alignment: Alignment<'static>,
}

/// A marker of clock synchronisation; its time is in ticks, and that at which it was asked for in nanoseconds.
struct Marker {
    id: u8,
    at: i64,
    issued_us: Option<i64>,
}

/// Merges up to three random traces. Returns whether there was something to merge.
///
/// # Panics
/// When a process is lost, joined with another or added, when its contents differ in more than their times, or when times
/// are not where they belong.
pub fn run(bytes: &[u8]) -> bool {
    let parts = 1 + bytes.first().map_or(0, |byte| usize::from(byte % 3));
    let part = |at: usize| &bytes[bytes.len() * at / parts..bytes.len() * (at + 1) / parts];
    let cases: Option<Vec<_>> =
        (0..parts).map(|at| case(at, &mut Unstructured::new(part(at))).ok()).collect();
    let Some(cases) = cases else { return false };
    let inputs: Vec<_> = cases
        .iter()
        .map(|case| MergeInput::new(&case.trace, &case.name).with_alignment(case.alignment))
        .collect();
    let merged = merge_traces(&inputs, &Limits::default());

    let is_one_unit = cases.iter().all(|case| case.exponent == cases[0].exponent);
    let axis = if is_one_unit { cases[0].exponent } else { 0 };
    let mut placed: Vec<(&Case, PlacedBy, i128)> = Vec::new();
    // The monotonic time at tick 0 of the axis, and the cases of that machine.
    let (mut monotonic, mut of_machine): (Option<i128>, Vec<bool>) = (None, Vec::new());
    for (case, placement) in cases.iter().zip(&merged.placements) {
        let (by, offset, error) = place(case, axis, &placed).unwrap_or((PlacedBy::Nothing, 0, 0));
        let found = (placement.by, placement.offset.0, placement.error.0);
        assert_eq!(found, (by, clamped(offset), clamped(error)));
        let offset = i128::from(clamped(offset));
        placed.push((case, by, offset));
        let here = case.monotonic.map(|ns| scaled(ns, -axis) - offset).filter(|_| by != PlacedBy::Nothing);
        let is_near =
            |here: i128| (here - *monotonic.get_or_insert(here)).abs() <= scaled(1_000_000_000, -axis);
        of_machine.push(here.is_some_and(is_near));
    }
    let mut known = Vec::new();
    for (case, _) in cases.iter().zip(&of_machine).filter(|&(_, is_of_machine)| *is_of_machine) {
        let own = pids(&case.trace);
        if own.iter().any(|pid| known.contains(pid)) {
            // Traces share a process, whose contents are not told apart.
            return true;
        }
        known.extend(own);
    }
    let n_processes: usize = cases.iter().map(|case| case.trace.processes().len()).sum();
    assert_eq!(merged.trace.processes().len(), n_processes, "no process is added");
    let sum = |of: fn(&Trace) -> usize| cases.iter().map(|case| of(&case.trace)).sum::<usize>();
    let counts: [fn(&Trace) -> usize; 6] = [
        // Spans say flows to those of other traces.
        |trace| trace.flows().iter().filter(|flow| !flow.is_of_spans()).count(),
        |trace| trace.objects().len(),
        |trace| trace.snapshots().len(),
        |trace| trace.samples().len(),
        |trace| trace.frames().len(),
        |trace| trace.meta().len() + trace.others().len(),
    ];
    for of in counts {
        assert_eq!(of(&merged.trace), sum(of), "flows, objects, snapshots, samples, call frames or facts");
    }
    for (at, &(case, _, offset)) in placed.iter().enumerate() {
        check_ids(&cases[..at], case, &merged.trace);
        let at = |tick: Tick| clamped(scaled(tick.0, case.exponent - axis) + offset);
        // What clamping or rounding moves to one time may lie there in another order.
        let is_near = |tick: &Tick| tick.0.unsigned_abs() < 1 << 40;
        let slices = case.trace.slices();
        let is_exact = case.exponent >= axis && slices.starts().iter().chain(slices.ends()).all(is_near);
        let found = contents(&merged.trace, &case.name, |tick| tick.0, is_exact);
        assert_eq!(found, contents(&case.trace, &case.name, at, is_exact));
    }
    cases.iter().any(|case| case.trace.slices().len() > 2)
}

fn case(number: usize, u: &mut Unstructured<'_>) -> Result<Case> {
    let exponent = *u.choose(&[0, 0, 0, -1, 3])?;
    let clock_time = |u: &mut Unstructured<'_>| {
        Ok(match u.arbitrary::<u8>()? {
            0 => Some(u.arbitrary()?),
            small if small < 100 => Some(i64::from(small) * 7),
            _ => None,
        })
    };
    let (epoch, monotonic) = (clock_time(u)?, clock_time(u)?);
    let markers = (0..u.int_in_range(0..=2)?).map(|_| {
        let (id, at, issued) = (u.int_in_range(0..=2)?, u.arbitrary::<u16>()?, u.arbitrary::<Option<u8>>()?);
        Ok(Marker { id, at: at.into(), issued_us: issued.map(i64::from) })
    });
    let markers = markers.collect::<Result<Vec<_>>>()?;
    let alignments = [
        Alignment::Auto,
        Alignment::Auto,
        Alignment::Auto,
        Alignment::Offset(i64::from(u.arbitrary::<i16>()?)),
        Alignment::Offset(u.arbitrary()?),
        Alignment::Event("a"),
        Alignment::Start,
    ];
    let alignment = *u.choose(&alignments)?;

    let mut builder = TraceBuilder::new(&Limits::default());
    let clock = Clock::new(Unit::Nanoseconds(2_f64.powi(exponent)));
    builder.push(&Event::Clock(clock.with_epoch_ns(epoch).with_monotonic_ns(monotonic)));
    if u.arbitrary()? {
        builder.push(&Event::Conventions(Conventions::default().with_unsigned_ids()));
    }
    for marker in &markers {
        let issued = marker.issued_us.map_or(String::new(), |us| format!(r#","issue_ts":{us}"#));
        let args = format!(r#"{{"sync_id":"{}"{issued}}}"#, marker.id);
        let event = ThreadEvent {
            args: json_args(args.as_bytes()),
            ..ThreadEvent::new(Thread::new(5, 5), Tick(marker.at), Text::from("clock_sync"))
        };
        builder.push(&Event::Other(event, b'c'));
    }
    events::sequence(u).iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    Ok(Case { trace, name: format!("trace{number}"), exponent, epoch, monotonic, markers, alignment })
}

/// Returns a number times two to the power of `exponent`, rounded to the nearest, the larger of two.
fn scaled(number: i64, exponent: i32) -> i128 {
    let number = i128::from(number);
    match exponent {
        0.. => number << exponent,
        _ => (number + (1 << (-exponent - 1))).div_euclid(1 << -exponent),
    }
}

fn clamped(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()).try_into().unwrap()
}

/// Returns what places a trace among those before it, its offset, and how far that may be wrong.
fn place(case: &Case, axis: i32, before: &[(&Case, PlacedBy, i128)]) -> Option<(PlacedBy, i128, i128)> {
    let known = || before.iter().filter(|(_, by, _)| *by != PlacedBy::Nothing);
    let here = |tick: i64| scaled(tick, case.exponent - axis);
    let there =
        |(other, _, offset): &(&Case, PlacedBy, i128), tick| scaled(tick, other.exponent - axis) + offset;
    match case.alignment {
        Alignment::Auto if before.is_empty() => Some((PlacedBy::First, 0, 0)),
        Alignment::Offset(ns) => Some((PlacedBy::Offset, scaled(ns, -axis), 0)),
        Alignment::Start => {
            let first = before.first()?;
            let start = there(first, first.0.trace.bounds()?.start.0);
            Some((PlacedBy::Start, start - here(case.trace.bounds()?.start.0), 0))
        }
        Alignment::Event(name) => {
            let found = known().find_map(|other| Some(there(other, first_event(&other.0.trace, name)?)))?;
            Some((PlacedBy::Event, found - here(first_event(&case.trace, name)?), 0))
        }
        _ => {
            let mut best: Option<(PlacedBy, i128, i128)> = None;
            for mine in &case.markers {
                for other in known() {
                    for theirs in other.0.markers.iter().filter(|theirs| theirs.id == mine.id) {
                        let span = |marker: &Marker, at: &dyn Fn(i64) -> i128| {
                            let (time, issued) =
                                (at(marker.at), marker.issued_us.map_or(marker.at, |us| us * 1000));
                            let (first, last) = (time.min(at(issued)), time.max(at(issued)));
                            (first + (last - first) / 2, (last - first) / 2)
                        };
                        let (here, there) = (span(mine, &here), span(theirs, &|tick| there(other, tick)));
                        let error = here.1 + there.1;
                        if best.is_none_or(|best| error < best.2) {
                            best = Some((PlacedBy::ClockSync, there.0 - here.0, error));
                        }
                    }
                }
            }
            let by = |by, time: fn(&Case) -> Option<i64>| {
                let (other, theirs) = known().find_map(|other| Some((other, time(other.0)?)))?;
                Some((by, scaled(time(case)?, -axis) - scaled(theirs, -axis) + other.2, 0))
            };
            let [epoch, monotonic] =
                [by(PlacedBy::Epoch, epoch), by(PlacedBy::Monotonic, |case| case.monotonic)];
            let is_same_start =
                |epoch: i128, monotonic: i128| (epoch - monotonic).abs() <= scaled(1_000_000_000, -axis);
            let exact = monotonic.filter(|found| epoch.is_some_and(|epoch| is_same_start(epoch.1, found.1)));
            best.or(exact).or(epoch).or(monotonic)
        }
    }
}

/// Returns the Unix time of tick 0. Where nothing tells when the clock began, times after the year 2000 are Unix times.
fn epoch(case: &Case) -> Option<i64> {
    const YEAR_2000_NS: i128 = 946_684_800_000_000_000;
    let is_unix_time = || {
        let start = case.trace.bounds()?.start.0;
        (scaled(start, case.exponent) >= YEAR_2000_NS).then_some(0)
    };
    case.epoch.or_else(|| if case.monotonic.is_none() { is_unix_time() } else { None })
}

fn first_event(trace: &Trace, name: &str) -> Option<i64> {
    let of_slices = trace.slices().ids().iter().filter(|&id| trace.slice_name(id) == name);
    let starts = of_slices.map(|id| trace.slice(id).unwrap().start.0);
    let instants = trace.instants().iter().filter(|instant| trace.name(instant.name) == name);
    starts.chain(instants.map(|instant| instant.at.0)).min()
}

/// Returns the ids of processes that anything in a trace mentions.
fn pids(trace: &Trace) -> Vec<String> {
    let mut pids: Vec<Key> = trace.processes().iter().map(|process| process.pid).collect();
    pids.extend(trace.meta().iter().filter_map(|meta| Some(meta.thread?.0)));
    pids.extend(trace.others().iter().map(|other| other.thread.0));
    pids.into_iter().map(|pid| trace.key_text(pid).into_owned()).collect()
}

/// A process keeps its id if no trace before mentions it, and gets one otherwise that no trace mentions.
fn check_ids(before: &[Case], case: &Case, merged: &Trace) {
    let earlier: Vec<_> = before.iter().flat_map(|case| pids(&case.trace)).collect();
    let own: Vec<_> =
        case.trace.processes().iter().map(|process| case.trace.key_text(process.pid).into_owned()).collect();
    let found = merged.processes().iter().filter(|process| label(merged, process.labels.last()) == case.name);
    let found: Vec<_> = found.map(|process| merged.key_text(process.pid).into_owned()).collect();
    let mut kept: Vec<_> = own.iter().filter(|pid| !earlier.contains(*pid)).collect();
    let mut there: Vec<_> = found.iter().filter(|pid| own.contains(pid) && !earlier.contains(*pid)).collect();
    kept.sort();
    there.sort();
    assert_eq!((kept, own.len()), (there, found.len()));
    assert!(!found.iter().any(|pid| earlier.contains(pid)), "two traces share a process");
}

fn label(trace: &Trace, label: Option<&spall_trace::model::NameId>) -> String {
    label.map_or(String::new(), |&label| trace.name(label).into_owned())
}

/// Returns what is in each process with this last label, or without it in a trace of its own, with the times that `at` gives
/// them. Where times are not exact, the contents of slices are left out.
fn contents(trace: &Trace, name: &str, at: impl Fn(Tick) -> i64, is_exact: bool) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for process in trace.processes() {
        let mut labels: Vec<_> = process.labels.iter().map(|label| trace.name(*label)).collect();
        let is_of_a_merged_trace = labels.last().is_some_and(|label| label.starts_with("trace"));
        if is_of_a_merged_trace && labels.pop().is_some_and(|label| label != name) {
            continue;
        }
        let mut facts = vec![format!("{} {labels:?}", process.sort_index)];
        for track in trace.tracks_of(process.id) {
            facts.extend(of_track(trace, track, &at, is_exact));
        }
        facts.sort();
        all.push(facts);
    }
    all.sort();
    all
}

fn of_track(trace: &Trace, track: &Track, at: &dyn Fn(Tick) -> i64, is_exact: bool) -> Vec<String> {
    // Ids of a whole file have another spelling in the result.
    let tid = track.kind.tid().map(|tid| trace.key_text(tid));
    // An unsigned id beyond those with a sign becomes a text there, which names the thread.
    let name = Some(trace.name(track.name)).filter(|name| Some(name) != tid.as_ref());
    let which = format!("{tid:?} {}", name.unwrap_or_default());
    let mut facts = vec![format!("track {which} {}", track.sort_index)];
    for id in track.slices() {
        let slice = trace.slice(id).unwrap();
        let end = if slice.flags.is_unfinished() { 0 } else { at(slice.end) };
        let (start, name, args) = (at(slice.start), trace.name(slice.name), trace.slice_args(id));
        let flags = slice.flags;
        let what = format!("{start}..{end} {name} {} {args} {flags:?}", trace.name(slice.category));
        facts.push(format!("{which} slice {}", if is_exact { &what } else { "" }));
    }
    for instant in trace.instants_of(track.id) {
        facts.push(format!(
            "{which} {} {} {}",
            at(instant.at),
            trace.name(instant.name),
            trace.args_of(instant)
        ));
    }
    for value in trace.counters_of(track.id) {
        facts.push(format!("{which} {} {} {}", at(value.at), trace.name(value.series), value.value));
    }
    for state in trace.states_of(track.id) {
        let (start, end) = (at(state.start), at(state.end));
        facts.push(format!("{which} {start}..{end} {}", trace.name(state.name)));
    }
    facts
}
