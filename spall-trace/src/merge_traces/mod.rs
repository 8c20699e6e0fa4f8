//! Puts several traces on one axis of time.

mod ids;
mod placement;

use alloc::vec::Vec;

use spall_model::{
    ByteRange, Clock, Diagnostic, DiagnosticKind, Limits, MergedPart, Tick, Trace, TraceMerger, TraceView,
    Unit,
};

use ids::Pids;
use placement::Axis;

use crate::tick_scale::{TickScale, clamped};

pub use placement::{PlacedBy, Placement};

/// How the times of a trace are put on the axis of the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Alignment<'a> {
    /// By what the traces say: markers of clock synchronisation that two traces share, or else the Unix times of their
    /// clocks, or else the times of the machine's monotonic clock. Times after the year 2000 by a clock whose beginning is not
    /// known are Unix times themselves. A trace for which none is known keeps its times, and is counted as [`DiagnosticKind::UnalignedClock`].
    #[default]
    Auto,
    /// By this number of nanoseconds, which is added to its times.
    Offset(i64),
    /// By the first slice or instant with this name, which begins at the time of the one in the first trace that has
    /// it.
    Event(&'a str),
    /// By its first event, which gets the time of the first event of the first trace.
    Start,
    /// By the machine's monotonic clock, whose times the ticks of the trace are, although the file does not say so. That is
    /// so for the text of `perf script` if `perf record` was called with `-k mono`.
    Monotonic,
}

/// A trace to merge.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MergeInput<'t> {
    /// The trace to merge, which stays as it is: the merged trace copies what it needs.
    pub trace: &'t Trace,
    /// The name of the trace, such as that of its file. Its processes get it as a label.
    pub name: &'t str,
    /// How its times are put on the axis of the first trace.
    pub alignment: Alignment<'t>,
}

impl<'t> MergeInput<'t> {
    /// Returns a trace to merge, aligned by what the traces say.
    #[must_use]
    pub fn new(trace: &'t Trace, name: &'t str) -> Self {
        Self { trace, name, alignment: Alignment::Auto }
    }

    /// Returns the same trace, aligned in another way.
    #[must_use]
    pub fn with_alignment(self, alignment: Alignment<'t>) -> Self {
        Self { alignment, ..self }
    }
}

/// Several traces as one.
#[derive(Debug)]
#[non_exhaustive]
pub struct MergedTraces {
    /// The trace with the events of all.
    pub trace: Trace,
    /// Where the times of each trace were put, in the order of the traces.
    pub placements: Vec<Placement>,
    scales: Vec<TickScale>,
}

impl MergedTraces {
    /// Returns the tick of the result that a tick of one of the traces has become; `None` if there is no such trace.
    #[must_use]
    pub fn tick(&self, number: usize, at: Tick) -> Option<Tick> {
        let (scale, placement) = (self.scales.get(number)?, self.placements.get(number)?);
        Some(Tick(clamped(placed(*scale, placement, at))))
    }
}

/// Returns a time on the axis of the result.
fn placed(scale: TickScale, placement: &Placement, at: Tick) -> i128 {
    scale.convert(at).saturating_add(placement.offset.0.into())
}

/// Makes one trace of several, with their times on one axis: that of the first trace.
///
/// The clock of the result is that of the traces if all have ticks of the same duration. Otherwise its ticks are
/// nanoseconds, and times are rounded to them. Beside traces of another unit, a tick of a trace whose clock does not count
/// time takes a nanosecond.
///
/// Processes of different traces stay apart: one whose id an earlier trace has gets another. Only if the monotonic clock
/// says that both traces are of one machine that was not started anew in between, a process with the same id is the same
/// process: so the samples of a profiler reach the threads of a program that recorded itself. The same holds for a process
/// whose number a trace of services says, unless both say their hosts and these differ. It and its threads keep the
/// names of the first trace that has some. The ids of flows, async spans
/// and objects that hold for a whole file stay apart. Each process is labelled with the name of its trace. The facts of
/// the file of each trace but the first get `@` and the name behind their keys.
///
/// Slices that were inferred from samples are not copied; merge the samples of the result again. The diagnostics of the
/// traces stay with them. Everything else is as it is in the traces: nothing is paired or bound again ([`TraceMerger`]).
///
/// # Examples
/// ```
/// use spall_trace::{Alignment, MergeInput, merge_traces, model::{Limits, Tick}};
///
/// let limits = Limits::default();
/// let server = spall_trace::load(br#"[{"ph":"X","name":"serve","pid":1,"tid":1,"ts":100,"dur":20}]"#)?;
/// let client = spall_trace::load(br#"[{"ph":"X","name":"ask","pid":1,"tid":1,"ts":5,"dur":40}]"#)?;
/// let merged = merge_traces(
///     &[
///         MergeInput::new(&server, "server.json"),
///         MergeInput::new(&client, "client.json").with_alignment(Alignment::Offset(85_000)),
///     ],
///     &limits,
/// );
/// let trace = merged.trace;
/// assert_eq!(trace.processes().len(), 2);
/// let starts: Vec<_> = trace.slices().starts().to_vec();
/// assert_eq!(starts, [Tick(100_000), Tick(90_000)]);
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[doc(alias("join", "combine", "clock synchronization"))]
#[must_use]
pub fn merge_traces(inputs: &[MergeInput<'_>], limits: &Limits) -> MergedTraces {
    let clock = common_clock(inputs);
    let mut merger = TraceMerger::new(clock, limits);
    let mut axis = Axis::new(inputs, clock.ns_per_tick());
    let mut pids = Pids::new(inputs.iter().map(|input| input.trace));
    let (mut placements, mut scales) = (Vec::with_capacity(inputs.len()), Vec::with_capacity(inputs.len()));
    for (number, input) in inputs.iter().enumerate() {
        let scale = scale(input.trace, clock);
        let (placement, is_of_machine) = axis.place(input, scale);
        placements.push(placement);
        scales.push(scale);
        if placement.by == PlacedBy::Nothing {
            merger.report(Diagnostic::new(DiagnosticKind::UnalignedClock, ByteRange::default()));
        }
        let new_pids = pids.of_next(input.trace, is_of_machine);
        merger.add(
            input.trace,
            &MergedPart {
                time: &|at| placed(scale, &placement, at),
                pid: &|pid| new_pids.get(&pid).copied(),
                label: input.name,
                keeps_apart: number > 0,
            },
        );
    }
    MergedTraces { trace: merger.finish(), placements, scales }
}

/// Returns the clock of the result.
fn common_clock(inputs: &[MergeInput<'_>]) -> Clock {
    let Some(first) = inputs.first().map(|input| input.trace.clock()) else { return Clock::NANOSECONDS };
    let same_unit = inputs.iter().all(|input| input.trace.clock().unit == first.unit);
    let unit = if same_unit { first.unit } else { Unit::Nanoseconds(1.0) };
    Clock::new(unit).with_epoch_ns(first.epoch_ns).with_monotonic_ns(first.monotonic_ns)
}

/// Returns the factor from the ticks of a trace to those of the result.
fn scale(trace: &Trace, clock: Clock) -> TickScale {
    match (trace.clock().ns_per_tick(), clock.ns_per_tick()) {
        (Some(from), Some(to)) if from != to => TickScale::new(from / to),
        _ => TickScale::ONE,
    }
}
