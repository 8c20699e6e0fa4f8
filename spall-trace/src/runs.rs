//! How the runs of two groups differ, and what of that is noise. [tree 9](spall_model::rules::tree#9)

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::cmp::Reverse;

use spall_model::{Clock, Measure, Ticks, Trace, TraceView, TrackSet};

use crate::{CompareError, merged_call_tree};

/// What one run of a program took on a set of tracks, by function.
#[derive(Debug, Clone)]
pub struct RunSums {
    clock: Clock,
    /// The sum over all functions; `None` where values do not add up.
    total: Option<Ticks>,
    /// The value of each function and the number of its calls, by the text of the function.
    functions: BTreeMap<String, (Ticks, u64)>,
}

impl RunSums {
    /// Returns the self time of each function, or what else is measured. Returns `None` if the trace has nothing of it on these
    /// tracks.
    #[must_use]
    pub fn self_times(trace: &Trace, tracks: TrackSet, measure: Measure) -> Option<Self> {
        let tree = Some(merged_call_tree(trace, tracks, measure)).filter(|tree| tree.has(measure))?;
        let mut functions = BTreeMap::new();
        for stats in tree.functions() {
            let (time, calls): &mut (Ticks, u64) =
                functions.entry(stats.function.describe(trace)).or_default();
            *time += stats.self_time;
            *calls += stats.count;
        }
        Some(Self { clock: measure.clock(trace.clock()), total: Some(tree.total()), functions })
    }

    /// Returns a percentile of the durations of the calls of each function: the shortest one that at least `percent` of a hundred of its
    /// calls do not exceed. Returns `None` if the trace has no slices on these tracks.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rank is a part of a number of calls"
    )]
    pub fn percentiles(trace: &Trace, tracks: TrackSet, percent: f64) -> Option<Self> {
        let mut durations: BTreeMap<_, Vec<Ticks>> = BTreeMap::new();
        for track in trace.tracks_in(tracks) {
            for (id, slice) in trace.slices_of(track.id) {
                let Some(function) = trace.function_of(id) else { continue };
                durations.entry(function).or_default().push(slice.duration());
            }
        }
        let mut functions: BTreeMap<String, Vec<Ticks>> = BTreeMap::new();
        for (function, of_function) in durations {
            functions.entry(function.describe(trace)).or_default().extend(of_function);
        }
        let of_function = |(name, mut durations): (String, Vec<Ticks>)| {
            let exact = durations.len() as f64 * percent / 100.0;
            let rank = exact as usize + usize::from(exact > (exact as usize) as f64);
            let at = rank.clamp(1, durations.len()) - 1;
            let (_, value, _) = durations.select_nth_unstable(at);
            let value = *value;
            (name, (value, durations.len() as u64))
        };
        let functions: BTreeMap<_, _> = functions.into_iter().map(of_function).collect();
        (!functions.is_empty()).then(|| Self { clock: trace.clock(), total: None, functions })
    }
}

/// The values of a function, or of all, in the runs of a group: the middle one, the least and the greatest. Of an even number of
/// runs the middle one is the mean of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Spread {
    /// The median.
    pub median: Ticks,
    /// The least value.
    pub min: Ticks,
    /// The greatest value.
    pub max: Ticks,
    /// The median of the numbers of calls.
    pub calls: u64,
}

impl Spread {
    /// Returns the spread of one run.
    #[must_use]
    pub const fn of_one(value: Ticks, calls: u64) -> Self {
        Self { median: value, min: value, max: value, calls }
    }

    /// Returns the spread of the values and the numbers of calls of some runs.
    fn new(values: impl Iterator<Item = (Ticks, u64)>) -> Self {
        let (mut times, mut calls): (Vec<i64>, Vec<u64>) =
            values.map(|(time, calls)| (time.0, calls)).unzip();
        times.sort_unstable();
        calls.sort_unstable();
        let ends = times.first().zip(times.last());
        let (min, max) = ends.map_or((0, 0), |(min, max)| (*min, *max));
        let middle = |at: usize| times.get(at).copied().unwrap_or(0);
        let (below, above) = (middle(times.len().saturating_sub(1) / 2), middle(times.len() / 2));
        let median = below + (above - below) / 2;
        let calls = calls.get(calls.len() / 2).copied().unwrap_or(0);
        Self { median: Ticks(median), min: Ticks(min), max: Ticks(max), calls }
    }
}

/// How a function differs between two groups of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunDiff {
    /// The text of the function.
    pub function: String,
    /// Its values in the runs before and after.
    pub groups: [Spread; 2],
}

impl RunDiff {
    /// Returns how a function differs.
    #[must_use]
    pub const fn new(function: String, groups: [Spread; 2]) -> Self {
        Self { function, groups }
    }

    /// Returns the median after less the median before.
    #[must_use]
    pub fn change(&self) -> Ticks {
        self.groups[1].median - self.groups[0].median
    }

    /// Returns whether the change is more than noise: no run after has a value that lies between those before, or beyond them on the
    /// other side.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        let [before, after] = &self.groups;
        before.max < after.min || after.max < before.min
    }
}

/// How two groups of runs differ on a set of tracks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunComparison {
    /// The clock by which values are shown.
    pub clock: Clock,
    /// The sums over all functions; `None` where values do not add up.
    pub all: Option<RunDiff>,
    /// The functions, the one that got slowest first. Those of one change are in the order of their names.
    pub functions: Vec<RunDiff>,
}

/// Compares two groups of runs. A function that a run does not have takes no time in it, and so does everything of a run that is
/// `None`. Functions with fewer than `min_calls` calls in the median run of both groups are left out. Returns `None` if no run has
/// anything. [tree 9](spall_model::rules::tree#9)
///
/// # Errors
/// This returns an error if the runs count different things, such as nanoseconds and bytes.
///
/// ```
/// use spall_trace::{RunSums, compare_runs, load, model::{Measure, TrackSet}};
///
/// let run = |text: &str| RunSums::self_times(&load(text.as_bytes()).unwrap(), TrackSet::All, Measure::WallTime);
/// let before = [run("main;f 30\nmain;g 5\n"), run("main;f 34\nmain;g 6\n"), run("main;f 32\nmain;g 4\n")];
/// let after = [run("main;f 33\nmain;g 8\n"), run("main;f 40\nmain;g 9\n")];
/// let found = compare_runs([&before, &after], 0)?.unwrap();
/// let [f, g, ..] = &found.functions[..] else { panic!() };
/// assert_eq!((f.change().0, f.is_beyond_noise()), (4, false)); // 33 lies between 30 and 34
/// assert_eq!((g.change().0, g.is_beyond_noise()), (3, true));
/// # Ok::<(), spall_trace::CompareError>(())
/// ```
pub fn compare_runs(
    groups: [&[Option<RunSums>]; 2],
    min_calls: u64,
) -> Result<Option<RunComparison>, CompareError> {
    let clocks = || groups.into_iter().flatten().flatten().map(|run| run.clock);
    let Some(first) = clocks().next() else { return Ok(None) };
    let of = |clock: &Clock| clock.ns_per_tick().unwrap_or(1.0);
    let clock = clocks().min_by(|a, b| of(a).total_cmp(&of(b))).unwrap_or(first);
    for other in clocks() {
        let is_time = clock.ns_per_tick().is_some() && other.ns_per_tick().is_some();
        if !is_time && clock.unit != other.unit {
            return Err(CompareError::Units { before: clock.unit, after: other.unit });
        }
    }
    let in_unit = |run: &RunSums, value: Ticks| scaled(value, of(&run.clock) / of(&clock));
    let spreads = |value: &dyn Fn(&RunSums) -> (Ticks, u64)| {
        groups.map(|group| {
            Spread::new(group.iter().map(|run| {
                run.as_ref().map_or((Ticks::ZERO, 0), |run| {
                    let (time, calls) = value(run);
                    (in_unit(run, time), calls)
                })
            }))
        })
    };
    let runs = || groups.into_iter().flatten().flatten();
    let mut names: Vec<&String> = runs().flat_map(|run| run.functions.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let diffs = names.into_iter().map(|name| {
        let value = |run: &RunSums| run.functions.get(name).copied().unwrap_or_default();
        RunDiff { function: name.clone(), groups: spreads(&value) }
    });
    let is_called = |diff: &RunDiff| diff.groups.iter().any(|group| group.calls >= min_calls);
    let mut functions: Vec<RunDiff> = diffs.filter(is_called).collect();
    functions.sort_by_key(|diff| Reverse(diff.change()));
    let adds_up = runs().all(|run| run.total.is_some());
    let all = adds_up.then(|| RunDiff {
        function: String::from("(all functions)"),
        groups: spreads(&|run| (run.total.unwrap_or_default(), 0)),
    });
    Ok(Some(RunComparison { clock, all, functions }))
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the cast saturates")]
fn scaled(value: Ticks, factor: f64) -> Ticks {
    if factor == 1.0 { value } else { Ticks((value.0 as f64 * factor + 0.5) as i64) }
}
