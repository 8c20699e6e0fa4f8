//! Merging CPU samples with slices keeps what the file says; times add up; merging again changes nothing; and the result,
//! written as JSON, is read as the same profiles.

use std::collections::HashSet;

use crate::{overlapping::overlapping, parsed::events_of};
use arbitrary::{Result, Unstructured};
use spall_trace::json::{JsonParser, JsonWriter, V8, json_args};
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{
    Args, DiagnosticKind as Kind, Event, FrameEvent, FrameId, FrameParent, FrameTable, Id, Limits,
    LineHitsEvent, Measure, Profile, ProfileEvent, ProfileId, ProfileKey, ProfilePart, ProfileStart,
    SampleEvent, SampleStack, SampleTime, SliceFlags, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, Trace,
    TraceBuilder, TraceView, TrackId, TrackSet, TreeNodeId, Unit, Value, Weights, Written,
};
use spall_trace::samples;

/// Merges a random profile with random slices of its thread. Returns whether there were samples.
///
/// # Panics
/// When something of the file is lost, or times do not add up.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(events) = events(&mut Unstructured::new(bytes)) else { return false };
    let mut builder = TraceBuilder::new(&Limits::default());
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    check_nothing_lost(&events, &trace);
    check_round_trip(&events);
    let tracks = || (0..u32::try_from(trace.tracks().len()).unwrap()).map(TrackId);
    let trees: Vec<_> = tracks().map(|track| call_tree(&trace, track)).collect();
    let mut at_once: Vec<_> =
        samples::call_trees(&trace, &V8, TrackSet::Threads, Measure::WallTime).collect();
    // A thread with several names has a tree for each.
    let name_of = |track: TrackId| trace.name(trace.tracks()[track.index()].name);
    let names =
        trace.profiles().iter().flat_map(|of| trace.thread_names(of).map(|(_, name)| (of.track, name)));
    let renamed: Vec<_> = names.filter(|(track, name)| *name != name_of(*track)).collect();
    at_once.retain(|tree| renamed.iter().all(|&(track, _)| track != tree.track));
    for tree in at_once {
        assert_eq!(tree, samples::call_tree(&trace, tree.track, &V8), "all at once or each alone");
    }
    let before = slices(&trace);
    let merged = spall_trace::merge_samples(trace.clone());
    assert_eq!(before, slices(&merged), "slices of the file stay");
    let inferred = merged.slices().flags().iter().filter(|flags| flags.contains(SliceFlags::SAMPLED)).count();
    assert_eq!(merged.slices().len(), before.len() + inferred);
    check_order(&merged);
    let after: Vec<_> = tracks().map(|track| call_tree(&merged, track)).collect();
    assert_eq!(trees, after, "the tree is the same before and after");
    let again = spall_trace::merge_samples(merged.clone());
    assert_eq!(again.slices().starts(), merged.slices().starts(), "merged again");
    assert_eq!(again.slices().ends(), merged.slices().ends(), "merged again");
    let layout = Layout::new(&merged);
    for slice in ids(&merged) {
        assert!(layout.self_time(slice).is_some(), "{slice:?} has no place");
    }
    trace.samples().len() > 5
}

fn ids(trace: &Trace) -> impl Iterator<Item = SliceId> {
    (0..u32::try_from(trace.slices().len()).unwrap()).map(SliceId)
}

/// Returns the slices that come from the file.
fn slices(trace: &Trace) -> Vec<(TrackId, Tick, Tick, String)> {
    let of_file =
        ids(trace).filter(|slice| !trace.slice(*slice).unwrap().flags.contains(SliceFlags::SAMPLED));
    let mut slices: Vec<_> = of_file
        .map(|id| {
            let slice = trace.slice(id).unwrap();
            (trace.track_of(id).unwrap(), slice.start, slice.end, trace.name(slice.name).into_owned())
        })
        .collect();
    slices.sort();
    slices
}

fn check_order(trace: &Trace) {
    let mut next = SliceId(0);
    for track in trace.tracks() {
        assert_eq!(track.slices().start(), next, "tracks share out all slices");
        next = track.slices().end();
        assert!(trace.slices().starts()[track.slices().indices()].is_sorted());
    }
    assert_eq!(next.index(), trace.slices().len());
}

/// The nodes of a call tree, once their times were seen to add up. First stands what is in no node.
fn call_tree(trace: &Trace, track: TrackId) -> Vec<(String, Option<TreeNodeId>, Ticks, Ticks, u64)> {
    let thread = samples::call_tree(trace, track, &V8);
    let (nodes, outside) = (thread.tree.nodes(), thread.tree.unattributed());
    let mut rest: Vec<i64> = nodes.iter().map(|node| node.total.0 - node.self_time.0).collect();
    for (at, node) in nodes.iter().enumerate() {
        assert!(node.self_time >= Ticks::ZERO, "{node:?}");
        if let Some(parent) = node.parent {
            assert!(parent.index() < at, "parents come first");
            rest[parent.index()] -= node.total.0;
        }
    }
    assert!(rest.iter().all(|&rest| rest == 0), "totals are self times and children: {nodes:?}");
    let self_times: i64 = nodes.iter().map(|node| node.self_time.0).sum();
    // Where samples stand for times, nothing else in the thread has any.
    let by_samples = trace.profile_of(track).filter(|profile| {
        matches!(profile.weights, Weights::TimeBefore(_) | Weights::Axis(_))
            && trace.slices_of(track).all(|(_, slice)| slice.flags.contains(SliceFlags::SAMPLED))
    });
    let whole = match by_samples {
        Some(profile) => trace.sample_spans(profile).map(|span| span.end - span.start).sum(),
        None => thread.range.map_or(Ticks::ZERO, |range| range.end - range.start),
    };
    let whole = whole + overlapping(trace, track);
    assert_eq!(Ticks(self_times) + outside.time, whole, "self times are all of the range, or of the samples");
    let functions = thread.tree.functions();
    assert_eq!(functions.iter().map(|function| function.self_time.0).sum::<i64>(), self_times);
    assert!(functions.iter().all(|function| function.self_time <= function.total));
    let facts = nodes
        .iter()
        .map(|node| (node.function.describe(trace), node.parent, node.total, node.self_time, node.hits));
    core::iter::once((String::new(), None, Ticks::ZERO, outside.time, outside.hits)).chain(facts).collect()
}

/// Every sample and every frame is in the trace or counted.
fn check_nothing_lost(events: &[Event<'_>], trace: &Trace) {
    let pushed = |is: fn(&Event<'_>) -> bool| events.iter().filter(|event| is(event)).count();
    let count = |kind: Kind| usize::try_from(trace.diagnostics().count(kind)).unwrap();
    assert_eq!(count(Kind::ProfileWithoutHead), 0, "the profile has one");
    assert_eq!(trace.samples().len(), pushed(|event| matches!(event, Event::Sample(_))));
    let named: HashSet<_> = events.iter().flat_map(spelt_functions).collect();
    assert_eq!(
        trace.frames().len() + count(Kind::DuplicateFrame),
        pushed(|event| matches!(event, Event::Frame(_))) + named.len()
    );
    let unknown = trace.samples().iter().filter(|sample| sample.frame().is_none()).count();
    let silent =
        pushed(|event| matches!(event, Event::Sample(sample) if sample.stack == SampleStack::Unknown));
    let frames = 0..u32::try_from(trace.frames().len()).unwrap();
    let lines: usize = frames.map(|frame| trace.line_hits(FrameId(frame)).len()).sum();
    let facts = pushed(|event| matches!(event, Event::CallSite(..) | Event::LineHits(_)));
    let lost = facts - trace.call_sites().len() - lines;
    assert_eq!(unknown + lost, count(Kind::UnknownFrame) + silent);
}

/// The paths of the functions that a sample spells out.
fn spelt_functions(event: &Event<'_>) -> Vec<Vec<String>> {
    let Event::Sample(SampleEvent { stack: SampleStack::Names, args, .. }) = event else {
        return Vec::new();
    };
    let Some(Value::List(names)) = args.field(b"stack") else { return Vec::new() };
    let names: Vec<_> = names.iter().map(|(_, name)| format!("{name:?}")).collect();
    (1..=names.len()).map(|length| names[..length].to_vec()).collect()
}

/// What has been written is read as the same profiles.
fn check_round_trip(events: &[Event<'_>]) {
    let mut writer = JsonWriter::new(String::new());
    let mut builder = TraceBuilder::new(&Limits::default());
    for event in events {
        if writer.write_event(event).unwrap() == Written::Done {
            builder.push(event);
        }
    }
    let text = writer.finish().unwrap();
    let strict: core::result::Result<serde_json::Value, _> = serde_json::from_str(&text);
    strict.unwrap_or_else(|error| panic!("{error}: {text}"));
    let read = spall_trace::load(text.as_bytes()).unwrap();
    assert_eq!(profiles(&builder.finish()), profiles(&read), "{text}");
}

/// Returns all facts of a trace about profiles, as text.
fn profiles(trace: &Trace) -> Vec<String> {
    let stack = |frame: Option<FrameId>| {
        let (mut at, mut stack) = (frame, String::new());
        while let Some(frame) = at.and_then(|frame| trace.frame(frame)) {
            let name = trace.name(frame.name);
            let name = if name.is_empty() { "(anonymous)" } else { &name };
            stack += &format!("{name} {} {} {:?} < ", trace.name(frame.url), frame.source, frame.line);
            at = frame.parent;
        }
        stack
    };
    let mut facts = Vec::new();
    let lines = |frame| trace.line_hits(FrameId(frame)).iter();
    let frames = 0..u32::try_from(trace.frames().len()).unwrap();
    facts.extend(frames.flat_map(lines).map(|hits| format!("{hits:?}")));
    for profile in trace.profiles() {
        let Profile { track, start, end, rank, .. } = profile;
        facts.push(format!("{track:?} {:?} {start:?} {end:?} {rank}", trace.name(profile.name)));
        let samples = trace.samples_of(profile).iter();
        facts.extend(samples.map(|sample| {
            let place = (sample.line(), sample.column());
            format!("{} {} {place:?} {}", sample.at.0, sample.weight, stack(sample.frame()))
        }));
        let sites = trace.call_sites_of(profile).iter();
        facts.extend(sites.map(|site| format!("{} {}", site.number, stack(Some(site.frame)))));
    }
    facts
}

const THREAD: Thread<'static> = Thread { pid: Id::Number(1), tid: Id::Number(1) };
const FUNCTIONS: [&[u8]; 10] =
    [b"(root)", b"(program)", b"(idle)", b"(garbage collector)", b"a", b"b", b"c", b"a", b"b", b""];
const SLICES: [&[u8]; 7] =
    [b"RunTask", b"FunctionCall", b"EvaluateScript", b"RunMicrotasks", b"ProfileCall", b"MajorGC", b"x"];
/// Documents of one sample whose stack is a list of names.
const STACKS: [&[u8]; 3] = [
    br#"[{"ph":"P","ts":0,"pid":1,"tid":1,"stack":["a","b"]}]"#,
    br#"[{"ph":"P","ts":0,"pid":1,"tid":1,"stack":["a"]}]"#,
    br#"[{"ph":"P","ts":0,"pid":1,"tid":1,"stack":["b","a","b"]}]"#,
];
const ARGS: [&[u8]; 4] = [
    br#"{"data":{"functionName":"a","url":"u","scriptId":"1","lineNumber":1,"columnNumber":1}}"#,
    br#"{"data":{"functionName":"b","url":"u"}}"#,
    br#"{"data":{"sampleTraceId":3}}"#,
    br#"{"beginData":{"sampleTraceId":2}}"#,
];

fn events<'a>(u: &mut Unstructured<'a>) -> Result<Vec<Event<'a>>> {
    let unit = *u.choose(&[1, 1000, 1_000_000])?;
    let (shared, shared_last) = (shared_frames(u)?, u.arbitrary()?);
    let mut events = if shared_last { Vec::new() } else { shared.clone() };
    events.extend(slices_and_calls(u, unit)?);
    let begins = ProfileStart::new(Tick(u.int_in_range(-3..=20)? * unit), Ticks(unit));
    let end = if u.arbitrary()? { Some(Tick(u.int_in_range(0..=400)? * unit)) } else { None };
    let part = ProfilePart::new(THREAD, ProfileKey::Number(0), Tick(0));
    let mut profile = ProfileEvent::new(part);
    (profile.begins, profile.end) = (Some(begins), end);
    events.push(Event::Profile(profile));
    let n_frames = u.int_in_range(1..=12)?;
    for id in 0..n_frames {
        let parent = match u.int_in_range(0..=9)? {
            0 => FrameParent::Unknown,
            // Not there, or only later, or a cycle.
            1 => FrameParent::Id(Id::Number(u.int_in_range(0..=15)?)),
            2 => FrameParent::Depth(u.int_in_range(0..=3)?),
            _ => FrameParent::Id(Id::Number(u.int_in_range(0..=id)?)),
        };
        let source = u.ratio(2, 3)?;
        // Now and then an id twice.
        let number = Id::Number(if u.ratio(1, 20)? { 0 } else { id });
        let name = Text::plain(if id == 0 { b"(root)" } else { u.choose(&FUNCTIONS)? });
        let mut frame = FrameEvent::new(part, number, parent, name);
        (frame.url, frame.source) = (Text::plain(if source { b"u" } else { b"" }), i64::from(source));
        (frame.line, frame.column) = (source.then_some(0), source.then_some(0));
        events.push(Event::Frame(frame));
        if u.ratio(1, 4)? {
            let frame = Id::Number(if u.ratio(1, 8)? { n_frames } else { id });
            let line = u.int_in_range(0..=3)?;
            events.push(Event::LineHits(LineHitsEvent::new(part, frame, line, u.arbitrary()?)));
        }
    }
    for number in 0..4 {
        events.push(Event::CallSite(part, number, Id::Number(u.int_in_range(0..=n_frames)?)));
    }
    while events.len() < 300 && !u.is_empty() {
        let time = u.int_in_range(-2..=9)? * unit;
        let at =
            if u.ratio(1, 10)? { SampleTime::At(Tick(time * 30)) } else { SampleTime::After(Ticks(time)) };
        let frame = Id::Number(u.int_in_range(0..=n_frames)?);
        let line = if u.ratio(1, 4)? { Some(u.int_in_range(0..=99)?) } else { None };
        let mut sample = SampleEvent::new(part, at, SampleStack::Frame(frame));
        sample.line = line;
        events.push(Event::Sample(sample));
        if u.ratio(1, 8)? {
            events.push(sample_of_thread(u, unit)?);
        }
        if u.ratio(1, 32)? {
            let thread = Thread::new(1, u.int_in_range(1..=2)?);
            let said = ProfileEvent::new(ProfileId::OfThread(thread, Text::EMPTY));
            let said = said.with_rank(u.int_in_range(0..=4)?);
            let ticks = u.int_in_range(0..=20)?;
            let weights = match u.int_in_range(0..=3)? {
                0 => Weights::Axis(Ticks(i64::from(ticks) * unit)),
                1 => Weights::Counted(Unit::Bytes),
                _ => Weights::TimeBefore(f64::from(ticks) / 4.0),
            };
            events.push(Event::Profile(said.with_weights(weights)));
        }
    }
    if shared_last {
        events.extend(shared);
    }
    Ok(events)
}

/// Frames that threads share, some of whose callers are missing or call themselves.
fn shared_frames<'a>(u: &mut Unstructured<'a>) -> Result<Vec<Event<'a>>> {
    let mut frames = Vec::new();
    for id in 0..u.int_in_range(0..=6)? {
        let caller = FrameParent::Id(Id::Number(u.int_in_range(0..=6)?));
        let parent = if u.arbitrary()? { caller } else { FrameParent::Unknown };
        let name = Text::plain(u.choose(&FUNCTIONS)?);
        frames.push(Event::Frame(FrameEvent::new(FrameTable::Shared, Id::Number(id), parent, name)));
    }
    Ok(frames)
}

/// The arguments of the sample in `document`, which hold its stack.
fn named_stack(document: &[u8]) -> Args<'_> {
    let sample = events_of(JsonParser::new(), document).first().copied();
    let Some(Event::Sample(sample)) = sample else { panic!("{sample:?}") };
    sample.args
}

/// A sample that says its thread.
fn sample_of_thread<'a>(u: &mut Unstructured<'a>, unit: i64) -> Result<Event<'a>> {
    let (stack, args) = match u.int_in_range(0..=3)? {
        0 => (SampleStack::Unknown, Args::NONE),
        1 => (SampleStack::Names, named_stack(u.choose(&STACKS)?)),
        _ => (SampleStack::Frame(Id::Number(u.int_in_range(0..=7)?)), Args::NONE),
    };
    let thread = Thread { pid: Id::Number(1), tid: Id::Number(u.int_in_range(1..=2)?) };
    let at = Tick(u.int_in_range(0..=99)? * unit);
    let name = Text::plain(u.choose(&[&b""[..], b"cycles"])?);
    // More digits than 32 bits hold.
    let weight = f64::from(u.int_in_range(0_u8..=3)?) * 16_777_217.0;
    let mut sample = SampleEvent::new(ProfileId::OfThread(thread, name), at, stack);
    (sample.weight, sample.args) = (weight, args);
    Ok(Event::Sample(sample))
}

fn slices_and_calls<'a>(u: &mut Unstructured<'a>, unit: i64) -> Result<Vec<Event<'a>>> {
    let mut events = Vec::new();
    let mut now = 0;
    for _ in 0..u.int_in_range(0..=40)? {
        now += u.int_in_range(-1..=12)?;
        let mut event = ThreadEvent::new(THREAD, Tick(now * unit), Text::plain(u.choose(&SLICES)?));
        if u.ratio(1, 3)? {
            event.args = json_args(u.choose(&ARGS)?);
        }
        events.push(match u.int_in_range(0..=3)? {
            0 => Event::Begin(event),
            1 => Event::End(ThreadEvent { name: Text::EMPTY, ..event }),
            _ => Event::Complete(event, Ticks(u.int_in_range(0..=50)? * unit)),
        });
    }
    Ok(events)
}
