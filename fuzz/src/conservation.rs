//! Every event pushed is in the trace or counted in its diagnostics: the numbers add up, kind by kind.

use std::collections::HashSet;

use arbitrary::Unstructured;
use spall_trace::model::{
    AsyncPhase, ByteRange, DiagnosticKind as Kind, Event, FlowPhase, Limits, ObjectPhase, Receiver, Ticks,
    Trace, TraceBuilder, TraceView, TrackKind, Value,
};

use crate::events;

/// Builds a trace of random events under random limits and does the sums. Returns whether there was anything to add up.
///
/// # Panics
/// When something is lost.
pub fn run(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let mut limits = Limits::default();
    limits.max_diagnostics = u32::MAX;
    if u.ratio(1, 4).unwrap_or(false) {
        limits.max_depth = u.int_in_range(0..=4).unwrap_or(4);
        limits.max_tracks = u.int_in_range(0..=6).unwrap_or(6);
        limits.max_slices = u.int_in_range(0..=20).unwrap_or(20);
    }
    let events = events::sequence(&mut u);
    let mut builder = TraceBuilder::new(&limits);
    for (place, event) in (0..).zip(&events) {
        // The place in the sequence is the place in the file: a diagnostic says which event it is about.
        let bytes = ByteRange::new(place, place + 1);
        builder.receive(event, bytes);
    }
    let trace = builder.finish();
    Books::new(&events, &trace).check();
    assert!(
        trace.tracks().len() <= limits.max_tracks as usize
            && trace.slices().len() <= limits.max_slices as usize
    );
    events.len() > 10
}

/// The events of one sequence, the trace they became, and what was said about each.
struct Books<'e> {
    events: &'e [Event<'e>],
    trace: &'e Trace,
    /// By event, what a limit or a rule left out.
    left_out: Vec<bool>,
}

const LIMITS: [Kind; 3] = [Kind::DepthLimit, Kind::TrackLimit, Kind::SliceLimit];

impl<'e> Books<'e> {
    fn new(events: &'e [Event<'e>], trace: &'e Trace) -> Self {
        let mut left_out = vec![false; events.len()];
        for diagnostic in trace.diagnostics().kept() {
            if LIMITS.contains(&diagnostic.kind) {
                left_out[usize::try_from(diagnostic.bytes.start).unwrap()] = true;
            }
        }
        Self { events, trace, left_out }
    }

    /// How many events of a kind are not left out because of a limit.
    fn kept(&self, is: impl Fn(&Event<'_>) -> bool) -> usize {
        self.events.iter().zip(&self.left_out).filter(|(event, left_out)| !**left_out && is(event)).count()
    }

    /// How often events of a kind were found to have a fault.
    fn faults(&self, kind: Kind, is: impl Fn(&Event<'_>) -> bool) -> usize {
        let about = |place: u64| &self.events[usize::try_from(place).unwrap()];
        let kept = self.trace.diagnostics().kept().iter();
        kept.filter(|diagnostic| diagnostic.kind == kind && is(about(diagnostic.bytes.start))).count()
    }

    fn count(&self, kind: Kind) -> usize {
        usize::try_from(self.trace.diagnostics().count(kind)).unwrap()
    }

    fn check(&self) {
        self.slices_of_threads();
        self.spans();
        self.points();
        self.objects();
        self.flows();
        self.names();
        let diagnostics = self.trace.diagnostics();
        let sum: u64 = diagnostics.counts().iter().map(|count| count.count).sum();
        assert_eq!(sum, diagnostics.kept().len() as u64, "all are kept if asked");
        for kind in [Kind::Junk, Kind::Truncated] {
            assert_eq!(self.count(kind), self.kept(|event| *event == Event::Diagnostic(kind)));
        }
    }

    /// Slices on tracks that are, or are not, of async spans.
    fn n_slices(&self, spans: bool) -> usize {
        let tracks = self.trace.tracks().iter();
        tracks
            .filter(|track| matches!(track.kind, TrackKind::Async { .. }) == spans)
            .map(|track| track.slices().len())
            .sum()
    }

    fn slices_of_threads(&self) {
        let begins = self.kept(|event| matches!(event, Event::Begin(_)));
        let ends = self.kept(|event| matches!(event, Event::End(_)));
        let whole = self.kept(|event| matches!(event, Event::Complete(..) | Event::Unfinished(_)));
        assert_eq!(self.n_slices(false), begins + whole, "each is one slice");
        // An end closes a begin or is unmatched, a begin is closed or unfinished.
        assert_eq!(
            ends + self.count(Kind::UnfinishedSlice),
            begins + self.count(Kind::UnmatchedEnd),
            "pairs"
        );
        let negative = self.kept(
            |event| matches!(event, Event::Complete(_, duration) | Event::State(_, duration) if *duration < Ticks(0)),
        );
        // It is counted before a slice is found to be one too many.
        assert!(
            self.count(Kind::NegativeDuration) >= negative
                && self.count(Kind::MissingDuration)
                    >= self.kept(|event| matches!(event, Event::Unfinished(_)))
        );
    }

    fn spans(&self) {
        let is = |wanted: &'static [AsyncPhase]| move |event: &Event<'_>| matches!(event, Event::Async(phase, _) if wanted.contains(phase));
        let (begin, start) = (is(&[AsyncPhase::Begin]), is(&[AsyncPhase::Start]));
        let (end, finish) = (is(&[AsyncPhase::End]), is(&[AsyncPhase::Finish]));
        let step = is(&[AsyncPhase::StepInto, AsyncPhase::StepPast]);
        let starts = self.kept(start) - self.faults(Kind::DuplicateAsync, start);
        let steps = self.kept(step)
            - self.faults(Kind::UnmatchedAsync, step)
            - self.faults(Kind::MixedAsyncSteps, step);
        assert_eq!(self.n_slices(true), self.kept(begin) + starts + steps, "each is one slice");
        for (opens, closes, opened) in [(begin, end, self.kept(begin)), (start, finish, starts)] {
            let closed = self.kept(closes) - self.faults(Kind::UnmatchedAsync, closes);
            assert_eq!(closed + self.faults(Kind::UnfinishedAsync, opens), opened, "pairs");
        }
    }

    fn points(&self) {
        let instants =
            self.kept(|event| matches!(event, Event::Instant(..) | Event::Async(AsyncPhase::Instant, _)));
        assert_eq!(self.trace.instants().len(), instants);
        assert_eq!(self.trace.states().len(), self.kept(|event| matches!(event, Event::State(..))));
        assert_eq!(self.trace.others().len(), self.kept(|event| matches!(event, Event::Other(..))));
        assert_eq!(self.trace.meta().len(), self.kept(|event| matches!(event, Event::Meta(_))));
        let (mut values, mut bad, mut empty) = (0, 0, 0);
        for (event, _) in self.events.iter().zip(&self.left_out).filter(|(_, left_out)| !**left_out) {
            let Event::Counter(counter) = event else { continue };
            // A series that is repeated has one value, the last.
            let mut series = HashSet::new();
            for (name, value) in counter.series.iter() {
                let is_number = match value {
                    Value::Null => continue,
                    Value::Bool(_) | Value::I64(_) | Value::U64(_) | Value::F64(_) => true,
                    Value::Text(text) => text.decode().trim().parse::<f64>().is_ok(),
                    _ => false,
                };
                if is_number {
                    series.insert(name.unescape());
                } else {
                    bad += 1;
                }
            }
            values += series.len();
            empty += usize::from(series.is_empty());
        }
        assert_eq!(self.trace.counters().len(), values);
        assert_eq!((self.count(Kind::BadCounterValue), self.count(Kind::EmptyCounter)), (bad, empty));
    }

    fn objects(&self) {
        let kept = |wanted: ObjectPhase| {
            self.kept(move |event| matches!(event, Event::Object(phase, _) if *phase == wanted))
        };
        let objects = self.trace.objects();
        let made = objects.iter().filter(|object| object.start.is_some()).count();
        let deleted = objects.iter().filter(|object| object.end.is_some()).count();
        assert_eq!(made + self.count(Kind::DuplicateObject), kept(ObjectPhase::New));
        assert_eq!(deleted + self.count(Kind::UnmatchedDelete), kept(ObjectPhase::Delete));
        assert_eq!(self.trace.snapshots().len(), kept(ObjectPhase::Snapshot));
        let shared: usize = objects.iter().map(|object| object.snapshots().len()).sum();
        assert_eq!(shared, self.trace.snapshots().len(), "each belongs to one object");
    }

    fn flows(&self) {
        let leaves = |event: &Event<'_>| matches!(event, Event::Flow(flow) if flow.phase == FlowPhase::Start);
        let arrives =
            |event: &Event<'_>| matches!(event, Event::Flow(flow) if flow.phase != FlowPhase::Start);
        let lost = |is: &dyn Fn(&Event<'_>) -> bool| {
            let kinds = [Kind::UnboundFlow, Kind::UnmatchedFlow, Kind::UnfinishedFlow];
            kinds.iter().map(|&kind| self.faults(kind, is)).sum::<usize>()
        };
        // Spans say flows that are no events.
        let flows = self.trace.flows().iter().filter(|flow| !flow.is_of_spans()).count();
        assert_eq!(flows + lost(&arrives), self.kept(arrives), "each is an arrow");
        // A later start takes the place of an open one, and is the one that is named.
        let unused = lost(&leaves) + self.faults(Kind::DuplicateFlow, leaves);
        assert!(self.kept(leaves) <= flows + unused, "each start has an arrow");
    }

    fn names(&self) {
        for (place, event) in self.events.iter().enumerate() {
            let Event::ProcessName(pid, name) = event else { continue };
            let later = |event: &Event<'_>| matches!(event, Event::ProcessName(other, _) if other == pid);
            if !self.events[place + 1..].iter().any(later) {
                let of_pid = |key: &str| match pid {
                    spall_trace::model::Id::Number(number) => key == number.to_string(),
                    spall_trace::model::Id::Text(_) => key == pid.text().unwrap().decode(),
                };
                let process =
                    self.trace.processes().iter().find(|process| of_pid(&self.trace.key_text(process.pid)));
                assert_eq!(
                    self.trace.names().bytes(process.unwrap().name),
                    &*name.unescape(),
                    "the last one counts"
                );
            }
        }
    }
}
