//! What there is to say about one element, where it is, and what is next to it.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use spall_trace::layout::LayoutView;
use spall_trace::model::{
    Args, Flow, FrameId, Id, SliceFlags, SliceId, StateId, Text, ThreadMeasure, Tick, Ticks, TraceView,
    TrackId, Value,
};

use crate::{Engine, Since, element::Element, frame::values_at, item::Item, shown::Shown, view::View};

/// What there is to say about an element.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Details {
    /// Its name.
    pub name: String,
    /// What is known about it: what each fact is, and the fact.
    pub facts: Vec<(&'static str, String)>,
    /// Its arguments: the key and the value of each.
    pub args: Vec<(String, String)>,
    /// The functions that were running, the innermost first.
    pub stack: Vec<String>,
    /// The other ends of its flows.
    pub flows: Vec<Link>,
}

impl Details {
    pub(crate) fn new(
        name: impl Into<String>,
        facts: Vec<(&'static str, String)>,
        args: Vec<(String, String)>,
    ) -> Self {
        Self { name: name.into(), facts: filled(facts), args, ..Self::default() }
    }
}

/// The other end of a flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Link {
    /// Whether the flow leaves the slice that is described.
    pub leaves: bool,
    /// The name of the slice at the other end, and that of the flow.
    pub name: String,
    /// The time from leaving to arriving.
    pub takes: Since,
    /// The slice at the other end.
    #[cfg_attr(test, ts(as = "u32"))]
    pub slice: SliceId,
}

/// Where a slice is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SlicePlace {
    /// When it starts.
    pub start: Since,
    /// When it ends.
    pub end: Since,
    /// The track or pack.
    pub item: Item,
    /// The process.
    pub process: Option<Item>,
    /// The upper edge and the height of its line, which may be a header; `None` if its track is hidden.
    pub line: Option<(u64, u32)>,
    /// Whether the line is that of its own row.
    pub shown: bool,
}

/// A slice beside another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The next one on the row.
    Next,
    /// The one before it on the row.
    Previous,
    /// The caller.
    Parent,
    /// The longest one of those that it calls, which is most likely the one that is visible.
    Child,
}

impl<S: Shown> Engine<S> {
    /// Describes an element, a counter at a time; `None` if there is no such element.
    #[must_use]
    pub fn details(&self, element: Element, at: Since) -> Option<Details> {
        match element {
            Element::Slice(slice) => {
                let (trace, layout) = (&*self.trace(), &*self.layout());
                let details = self.view.slice_details(slice, trace, layout, self.source(slice))?;
                let args = trace.slice_args(slice);
                let is_of = |flow: &&Flow| flow.from == slice || flow.to == slice;
                Some(Details {
                    stack: self.stack(args.get(b"backtrace"), |field| args.field(field)),
                    flows: trace.flows().iter().filter(is_of).map(|flow| self.link(flow, slice)).collect(),
                    ..details
                })
            }
            Element::State(state) => self.state_details(state),
            Element::Instant(number) => self.instant_details(number),
            Element::Object(piece) => self.object_details(piece),
            Element::Derived(span) => self.derived_details(span),
            Element::Counter(track) => Some(self.view.counter_details(track, at, &*self.trace())),
        }
    }

    /// Finds the place of a slice.
    #[must_use]
    pub fn place(&self, slice: SliceId) -> Option<SlicePlace> {
        let placed = self.layout().place(slice)?;
        let line = self.view.main().line_of_slice(&*self.layout(), slice);
        let process = self.trace().track_info(placed.track)?.process;
        Some(SlicePlace {
            start: self.since(placed.start),
            end: self.since(placed.end),
            item: self.view.items.item_of(placed.track),
            process: process.map(Item::Process),
            line: line.map(|line| (line.top, line.height)),
            shown: line.is_some_and(|line| Item::of_header(line.kind).is_none()),
        })
    }

    /// Returns the slice beside a slice.
    #[must_use]
    pub fn step(&self, slice: SliceId, step: Step) -> Option<SliceId> {
        let layout = self.shown.layout();
        match step {
            Step::Next => layout.next(slice),
            Step::Previous => layout.previous(slice),
            Step::Parent => layout.parent(slice),
            Step::Child => {
                let children = layout.children(slice).iter().copied();
                children.max_by_key(|&child| self.trace().slice(child).map(|child| child.duration()))
            }
        }
    }

    /// Returns the edge of a slice near a time, if it is within a number of ticks, in the lines between two heights.
    #[must_use]
    pub fn snap(&self, at: Since, tolerance: Ticks, heights: Range<u64>) -> Option<Since> {
        let lines = self.view.main().visible(heights);
        self.layout().snap(lines, self.tick(at), tolerance).map(|edge| self.since(edge))
    }
}

impl View {
    fn slice_details(
        &self,
        id: SliceId,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        source: String,
    ) -> Option<Details> {
        let slice = trace.slice(id)?;
        let placed = layout.place(id);
        let duration = |ticks| trace.clock().duration(ticks).to_string();
        let mut facts = track_facts(trace, trace.track_of(id));
        facts.push(("category", trace.name(slice.category).into()));
        facts.push(("start", self.time(slice.start, trace)));
        let open = if slice.flags.is_unfinished() { ", not finished" } else { "" };
        facts.push(("duration", duration(slice.duration()) + open));
        if let Some(self_time) = layout.self_time(id) {
            let share = 100.0 * self_time.0 as f64 / slice.duration().0.max(1) as f64;
            facts.push(("self", format!("{}, {share:.1} %", duration(self_time))));
        }
        if let Some(cpu) = trace.slice_args(id).thread_measure(ThreadMeasure::Time).map(Ticks) {
            facts.push(("CPU", duration(cpu)));
            facts.push(("waiting", duration((slice.duration() - cpu).max(Ticks::ZERO))));
        }
        if let Some(placed) = placed {
            let lane = if placed.lane > 0 { ", on an extra row, as it overlaps others" } else { "" };
            facts.push(("depth", format!("{}{lane}", placed.depth)));
        }
        if let Some(sampled) = trace.sampled(id) {
            facts.push(("samples", format!("{} in the function itself", sampled.hits)));
            let inferred = if trace.stacks_are_estimated() {
                "estimated from a call graph: who called whom in which call is not recorded"
            } else {
                "from samples: its times are not recorded"
            };
            facts.push(("inferred", inferred.into()));
        }
        facts.push(("source", source));
        for (flag, text) in [
            (SliceFlags::NAME_MISMATCH, "its end has another name"),
            (SliceFlags::REPAIRED, "its times were repaired"),
            (SliceFlags::CLAMPED, "its end was before its start"),
        ] {
            if slice.flags.contains(flag) {
                facts.push(("note", text.into()));
            }
        }
        Some(Details::new(trace.slice_name(id), facts, texts(trace.slice_args(id).iter())))
    }

    fn counter_details(&self, track: TrackId, at: Since, trace: &impl TraceView) -> Details {
        let at = self.tick(at);
        let mut facts = track_facts(trace, Some(track));
        facts.push(("time", self.time(at, trace)));
        let values = values_at(trace, track, at).into_iter();
        let args = values
            .map(|(name, value)| (if name.is_empty() { "value".into() } else { name }, value.to_string()));
        Details::new(trace.track_title(track), facts, args.collect())
    }

    /// A point in time as text, counted from the origin.
    pub(crate) fn time(&self, at: Tick, trace: &impl TraceView) -> String {
        trace.clock().time(Tick(0) + self.since(at).0).to_string()
    }
}

impl<S: Shown> Engine<S> {
    fn link(&self, flow: &Flow, of: SliceId) -> Link {
        let leaves = flow.from == of;
        let slice = if leaves { flow.to } else { flow.from };
        let name = format!("{} ({})", self.trace().slice_name(slice), self.trace().name(flow.name));
        Link { leaves, name, takes: Since(flow.arrives - flow.leaves), slice }
    }

    /// The URL, line and column of a sampled function, counted from 1; empty for other slices.
    fn source(&self, id: SliceId) -> String {
        let source = self.trace().function_of(id).and_then(|function| function.source);
        let Some(source) = source.filter(|source| !source.url.is_empty()) else { return String::new() };
        let numbers = [source.line, source.column].into_iter().map_while(|number| number);
        let numbers = numbers.map(|number| format!(":{}", u64::from(number) + 1));
        String::from(self.trace().name(source.url)) + &numbers.collect::<String>()
    }

    fn state_details(&self, id: StateId) -> Option<Details> {
        let trace = &*self.trace();
        let (track, state) = trace.state(id)?;
        let mut facts = track_facts(trace, Some(track));
        facts.push(("start", self.time(state.start)));
        facts.push(("duration", self.trace().clock().duration(state.end - state.start).to_string()));
        let args = texts(trace.args_of(&state).iter());
        Some(Details::new(self.trace().name(state.name), facts, args))
    }

    fn instant_details(&self, id: u32) -> Option<Details> {
        let trace = &*self.trace();
        let (track, instant) = trace.instant(id)?;
        let mut facts = track_facts(trace, Some(track));
        facts.push(("category", self.trace().name(instant.category).into()));
        facts.push(("time", self.time(instant.at)));
        let args = trace.args_of(&instant);
        Some(Details {
            stack: self.stack(args.get(b"backtrace"), |field| args.field(field)),
            ..Details::new(self.trace().name(instant.name), facts, texts(args.iter()))
        })
    }

    fn object_details(&self, piece: u32) -> Option<Details> {
        let (object, snapshot) = self.objects.piece(piece)?;
        let trace = self.shown.finished()?;
        let object = trace.objects().get(object)?;
        let time = |at: Option<Tick>| at.map_or(String::new(), |at| self.time(at));
        let snapshot = snapshot.and_then(|at| trace.snapshots().get(at));
        let lives = object.start.zip(object.end).map(|(start, end)| trace.clock().duration(end - start));
        let args = snapshot.map_or(Vec::new(), |snapshot| texts(trace.args_of(snapshot).iter()));
        let facts = vec![
            ("id", trace.key_text(object.id).into()),
            ("process", trace.process_title(object.process).into()),
            ("created", time(object.start)),
            ("deleted", time(object.end)),
            ("duration", lives.map_or(String::new(), |lives| lives.to_string())),
            ("snapshot at", time(snapshot.map(|snapshot| snapshot.at))),
            ("snapshots", trace.snapshots_of(object).len().to_string()),
        ];
        Some(Details::new(trace.name(object.name), facts, args))
    }

    /// The stack that an event has, innermost function first: of a call of apitrace its backtrace, and of an event of Trace
    /// Event JSON names of functions, or the id of a frame that the file describes.
    fn stack<'a>(
        &self,
        backtrace: Option<Value<'a>>,
        field: impl Fn(&[u8]) -> Option<Value<'a>>,
    ) -> Vec<String> {
        let names_of = |names: Args<'_>| names.iter().map(|(_, name)| name.to_string()).collect::<Vec<_>>();
        if let Some(Value::List(names)) = backtrace {
            return names_of(names);
        }
        if let Some(Value::List(names)) = field(b"stack") {
            let mut names = names_of(names);
            names.reverse();
            return names;
        }
        let id = match field(b"sf") {
            Some(Value::I64(number)) => number.into(),
            Some(Value::Text(text)) => Id::Text(text.raw()),
            _ => return Vec::new(),
        };
        // The frames of a trace that grows are known at its end.
        let Some(trace) = self.shown.finished() else { return Vec::new() };
        let frame = |id: FrameId| trace.frame(id);
        let innermost = trace.shared_frame(id).and_then(frame);
        let frames = core::iter::successors(innermost, |inner| inner.parent.and_then(frame));
        frames.map(|frame| trace.name(frame.name).into()).collect()
    }
}

pub(crate) fn track_facts(trace: &impl TraceView, track: Option<TrackId>) -> Vec<(&'static str, String)> {
    let Some(track) = track else { return Vec::new() };
    let process = trace.track_info(track).and_then(|track| track.process);
    let process = process.map(|process| String::from(trace.process_title(process)));
    vec![("track", trace.track_title(track).into()), ("process", process.unwrap_or_default())]
}

pub(crate) fn filled(facts: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    facts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

pub(crate) fn texts<'a>(args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> Vec<(String, String)> {
    // A backtrace is shown as a stack.
    let is_shown =
        |(key, value): &(Text<'a>, Value<'a>)| !key.is(b"backtrace") || !matches!(value, Value::List(_));
    args.filter(is_shown).map(|(key, value)| (key.to_string(), value.to_string())).collect()
}
