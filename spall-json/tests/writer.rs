//! The writer writes strict JSON that reads back as the same events. [json 5]

use crate::common;
use crate::common::brief_args;
use spall_json::{JsonWriter, json_args};
use spall_model::{
    Args, ArgsBuilder, AsyncPhase, Clock, Event, FlowBind, FlowEvent, FlowPhase, FrameEvent, FrameParent,
    FrameTable, Id, KeyedEvent, LostParts, MetaEvent, ProfileEvent, ProfileId, ProfileKey, ProfilePart,
    ProfileStart, SampleEvent, SampleStack, SampleTime, Scope, Text, Thread, ThreadCount, ThreadEvent,
    ThreadMeasure, Tick, Ticks, TrackEvent, Unit, Value, Written,
};

fn write(events: &[Event<'_>]) -> String {
    write_losing(LostParts::NONE, events)
}

/// Writes events, of all of which together these parts are lost.
fn write_losing(expected: LostParts, events: &[Event<'_>]) -> String {
    let mut writer = JsonWriter::new(String::new());
    let mut lost = LostParts::NONE;
    for event in events {
        let written = writer.write_event(event).unwrap();
        assert!(written.is_in_file(), "{event:?}");
        lost = lost.with(written.lost());
    }
    assert_eq!(lost, expected, "{events:?}");
    let json = writer.finish().unwrap();
    let strict: Result<serde_json::Value, _> = serde_json::from_str(&json);
    strict.unwrap_or_else(|error| panic!("{error}: {json}"));
    json
}

/// Returns the lines of the list of events.
fn lines(events: &[Event<'_>]) -> Vec<String> {
    lines_losing(LostParts::NONE, events)
}

fn lines_losing(lost: LostParts, events: &[Event<'_>]) -> Vec<String> {
    let json = write_losing(lost, events);
    let list = json.strip_prefix("{\"traceEvents\":[\n").unwrap().split("\n]").next().unwrap();
    list.split(",\n").map(String::from).collect()
}

fn slice(name: &'static [u8]) -> ThreadEvent<'static> {
    ThreadEvent::new(Thread::new(1_i64, 2_i64), Tick(0), Text::plain(name))
}

/// Returns the content of each event without its position. Spellings that the writer normalises are made equal.
fn meaning(data: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    for (bytes, event) in common::collect(data).unwrap() {
        let args = match event {
            Event::Diagnostic(_) | Event::Clock(_) => continue,
            // The writer makes as many parts of a profile as it needs, and takes the id of a whole one from itself.
            Event::Profile(ProfileEvent { begins: None, end, .. }) => {
                all.extend(end.map(|end| format!("until {}", end.0)));
                continue;
            }
            Event::Profile(ProfileEvent {
                profile: ProfileId::Own(part),
                begins: Some(begins),
                end,
                rank,
                ..
            }) => {
                all.push(format!("profile of {:?}: {begins:?} {rank:?} {end:?}", part.thread));
                continue;
            }
            Event::Meta(MetaEvent { thread: None, key, .. })
                if key.is(b"displayTimeUnit")
                    || key.is(b"baseTimeNanoseconds")
                    || key.is(b"baseMonotonicNanoseconds") =>
            {
                continue;
            }
            Event::Begin(event)
            | Event::End(event)
            | Event::Complete(event, _)
            | Event::Unfinished(event)
            | Event::Instant(event, _)
            | Event::State(event, _)
            | Event::Other(event, _) => event.args,
            Event::Async(_, event) | Event::Object(_, event) => event.args,
            Event::Counter(counter) => counter.series,
            Event::Sample(sample) => sample.args,
            _ => Args::NONE,
        };
        let fields = args.fields().filter(|(key, _)| !key.is(b"tid"));
        let fields: Vec<_> =
            fields.map(|(key, value)| (common::text(key), common::brief_value(value))).collect();
        let args = brief_args(args)
            .replace(":NaN", ":\"NaN\"")
            .replace("Infinity", "inf")
            .replace("\"-inf\"", "-inf");
        let event = common::brief_event(&event, bytes);
        all.push(format!("{event} {args} {fields:?}"));
    }
    all
}

#[test]
fn every_file_reads_back() {
    let mut written = 0;
    for folder in ["json", "chrome", "recordings"] {
        for (path, data) in common::documents(folder) {
            let mut writer = JsonWriter::new(String::new());
            // What is no trace has no meaning to keep.
            if common::collect(&data).is_err() {
                continue;
            }
            for event in common::events(&data) {
                // Nothing is missing, but some of it is spelled in another way.
                let spelled = [LostParts::TEXT, LostParts::ARGUMENT_TYPES, LostParts::ID];
                let spelled = spelled.into_iter().fold(LostParts::NONE, LostParts::with);
                let written_event = writer.write_event(&event).unwrap();
                let is_whole = written_event.is_in_file() && spelled.contains(written_event.lost());
                assert!(is_whole, "{}: {event:?}: {written_event:?}", path.display());
                written += 1;
            }
            let json = writer.finish().unwrap();
            let strict: Result<serde::de::IgnoredAny, _> = serde_json::from_str(&json);
            assert!(strict.is_ok(), "{}: {}", path.display(), strict.unwrap_err());
            let (expected, found) = (meaning(&data), meaning(json.as_bytes()));
            for (expected, found) in expected.iter().zip(&found) {
                assert_eq!(expected, found, "{}", path.display());
            }
            assert_eq!(expected.len(), found.len(), "{}", path.display());
        }
    }
    assert!(written > 1000, "{written}");
}

#[test]
fn an_empty_document() {
    assert_eq!(write(&[]), "{\"traceEvents\":[],\"displayTimeUnit\":\"ns\"}\n");
}

#[test]
fn times_are_exact_microseconds() {
    let at = |at| Event::Begin(ThreadEvent { at: Tick(at), ..slice(b"") });
    let times = [0, 1, 10, 100, 1000, 1001, -1, -1500, i64::MAX, i64::MIN].map(at);
    let expected = [
        "0",
        "0.001",
        "0.01",
        "0.1",
        "1",
        "1.001",
        "-0.001",
        "-1.5",
        "9223372036854775.807",
        "-9223372036854775.808",
    ];
    for (line, expected) in lines(&times).iter().zip(expected) {
        assert!(line.starts_with(&format!("{{\"ph\":\"B\",\"ts\":{expected},\"pid\"")), "{line}");
    }
}

#[test]
fn other_clocks_become_nanoseconds_and_keep_nesting() {
    let clock = |unit| Event::Clock(Clock::new(unit));
    let complete = |at, length| Event::Complete(ThreadEvent { at: Tick(at), ..slice(b"") }, Ticks(length));
    let events = |unit, at, length| [clock(unit), complete(at, length)];
    let line = |unit, at, length| lines(&events(unit, at, length)).remove(0);
    let rounded = |at| lines_losing(LostParts::TIME, &events(Unit::Nanoseconds(0.5), at, 4)).remove(0);
    assert!(rounded(3).contains("\"ts\":0.002,\"dur\":0.002,"));
    assert!(rounded(-3).contains("\"ts\":-0.002,\"dur\":0.003,"));
    assert!(line(Unit::Nanoseconds(0.5), 2, 4).contains("\"ts\":0.001,\"dur\":0.002,"));
    assert!(line(Unit::EVENTS, 3, 4).contains("\"ts\":3,\"dur\":4,"));
    assert!(line(Unit::Bytes, 3, 4).contains("\"ts\":3,\"dur\":4,"));
}

#[test]
fn the_times_of_tick_0_are_keys() {
    let clock = Clock::NANOSECONDS.with_epoch_ns(Some(7)).with_monotonic_ns(Some(-3));
    let json = write(&[Event::Clock(clock)]);
    let keys =
        r#""traceEvents":[],"baseTimeNanoseconds":7,"baseMonotonicNanoseconds":-3,"displayTimeUnit":"ns""#;
    assert_eq!(json, format!("{{{keys}}}\n"));
    assert!(common::events(json.as_bytes()).contains(&Event::Clock(clock)));
}

#[test]
fn text_is_escaped_and_repaired() {
    let named = |name| Event::Begin(ThreadEvent { name, ..slice(b"") });
    let events = [
        named(Text::plain(b"q\" b\\ n\n \x01 \xc3\xa9")),
        named(Text::plain(b"bad \xff\xc3")),
        named(Text::escaped(br#"\u00e9 \p \/ \ud83d"#)),
        named(Text::escaped(b"cut \\")),
    ];
    let lines = lines_losing(LostParts::TEXT, &events);
    let name = |line: &str| line.split("\"name\":").nth(1).unwrap().trim_end_matches('}').to_string();
    assert_eq!(name(&lines[0]), r#""q\" b\\ n\n \u0001 é""#);
    assert_eq!(name(&lines[1]), "\"bad \u{fffd}\u{fffd}\"");
    assert_eq!(name(&lines[2]), "\"é \\\\p / \u{fffd}\"");
    assert_eq!(name(&lines[3]), r#""cut \\""#);
}

#[test]
fn arguments_of_any_format_are_strict_json() {
    let with = |args| Event::Begin(ThreadEvent { args, ..slice(b"") });
    let json = br#"{"a":NaN,"b":[007,+5,.5,1e5,{"c":-Infinity}],"d":"x	y",e}"#;
    // NaN is no number of JSON.
    let lines = lines_losing(LostParts::ARGUMENT_TYPES, &[with(Args::text(b"plain")), with(json_args(json))]);
    assert!(lines[0].ends_with(r#""args":{"text":"plain"}}"#), "{}", lines[0]);
    assert!(
        lines[1].ends_with(r#""args":{"a":"NaN","b":[7,5,0.5,100000.0,{"c":"-Infinity"}],"d":"x\ty"}}"#),
        "{}",
        lines[1]
    );
}

#[test]
fn deep_nesting_ends_in_null() {
    let json = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let args = json_args(json.as_bytes());
    let mut writer = JsonWriter::new(String::new());
    let written = writer.write_event(&Event::Begin(ThreadEvent { args, ..slice(b"") }));
    assert_eq!(written, Ok(Written::InPart(LostParts::ARGUMENTS)));
    assert_eq!(writer.write_event(&Event::Begin(slice(b""))), Ok(Written::Done));
    let json = writer.finish().unwrap();
    let line = json.lines().nth(1).unwrap().strip_suffix(',').unwrap();
    assert!(line.ends_with(&format!("{{\"a\":{}null{}}}}}", "[".repeat(31), "]".repeat(31))), "{line}");
}

/// [json 6]
#[test]
fn counters_of_a_thread_are_fields() {
    let mut args = ArgsBuilder::new();
    let count = |at, during| ThreadCount { at: Some(at), during };
    args.add_thread_count(ThreadMeasure::Time, count(1_234_567, Some(500)));
    args.add("a", 1).add_thread_count(ThreadMeasure::Instructions, count(9, None));
    let event = ThreadEvent { args: args.args(), ..slice(b"s") };
    let [line] = &lines(&[Event::Complete(event, Ticks(1000))])[..] else { panic!("one event") };
    assert!(line.ends_with(r#","tts":1234.567,"tdur":0.5,"ticount":9,"args":{"a":1}}"#), "{line}");
}

#[test]
fn flows_of_a_slice_are_its_fields() {
    let flow = |phase, id| {
        let (thread, id) = (Thread::new(1_i64, 2_i64), Id::Number(id));
        Event::Flow(FlowEvent::new(phase, FlowBind::Slice, thread, Tick(0), id, Text::plain(b"f")))
    };
    let lines = lines(&[
        Event::Complete(slice(b"f"), Ticks(1000)),
        flow(FlowPhase::Step, 7),
        Event::Begin(slice(b"g")),
        flow(FlowPhase::Start, 8),
        flow(FlowPhase::End, 9),
    ]);
    assert!(lines[0].ends_with(r#""bind_id":7,"flow_in":true,"flow_out":true}"#), "{}", lines[0]);
    assert!(lines[1].ends_with(r#""bind_id":8,"flow_out":true}"#), "{}", lines[1]);
    // A slice has room for one; another becomes an event of its own.
    assert!(lines[2].starts_with(r#"{"ph":"f","#) && lines[2].ends_with(r#""bp":"e"}"#), "{}", lines[2]);
}

#[test]
fn keys_of_async_events() {
    let step = |local| {
        let mut event = KeyedEvent::new(1_i64, Tick(0), Id::Text(b"0x1"), Text::EMPTY);
        event.local = local;
        event
    };
    let scoped = step(false).with_scope(Text::plain(b"s"));
    let events = [step(false), step(true), scoped].map(|step| Event::Async(AsyncPhase::Begin, step));
    let lines = lines(&events);
    assert_eq!(lines[0], r#"{"ph":"b","ts":0,"pid":1,"tid":1,"id":"0x1"}"#);
    assert_eq!(lines[1], r#"{"ph":"b","ts":0,"pid":1,"tid":1,"id2":{"local":"0x1"}}"#);
    assert_eq!(lines[2], r#"{"ph":"b","ts":0,"pid":1,"tid":1,"id":"0x1","scope":"s"}"#);
}

#[test]
fn keys_stand_before_or_behind_the_events() {
    let key = |key: &'static [u8], value| Event::Meta(MetaEvent::new(Text::plain(key), value));
    let begin = Event::Begin(slice(b""));
    let json =
        write(&[key(b"a", Value::I64(1)), begin, key(b"displayTimeUnit", Value::Text(Text::plain(b"ms")))]);
    assert_eq!(
        json,
        "{\"a\":1,\"traceEvents\":[\n{\"ph\":\"B\",\"ts\":0,\"pid\":1,\"tid\":2}\n],\"displayTimeUnit\":\"ms\"}\n"
    );
    let mut writer = JsonWriter::new(String::new());
    for (event, expected) in [
        (begin, Written::Done),
        (key(b"b", Value::Null), Written::Done),
        (begin, Written::TooLate),
        (key(b"traceEvents", Value::Null), Written::Unsupported),
        (Event::Other(slice(b""), 0), Written::TooLate),
    ] {
        assert_eq!(writer.write_event(&event), Ok(expected), "{event:?}");
    }
    assert_eq!(
        writer.finish().unwrap(),
        "{\"traceEvents\":[\n{\"ph\":\"B\",\"ts\":0,\"pid\":1,\"tid\":2}\n],\"b\":null,\"displayTimeUnit\":\"ns\"}\n"
    );
}

#[test]
fn events_without_a_form_are_reported() {
    let mut writer = JsonWriter::new(String::new());
    // It would be read as an event without an enclosing document.
    let phase = Event::Meta(MetaEvent::new(Text::plain(b"ph"), Value::Null));
    assert_eq!(writer.write_event(&phase), Ok(Written::Unsupported));
    assert_eq!(writer.write_event(&Event::Other(slice(b""), b'"')), Ok(Written::Unsupported));
    assert_eq!(writer.write_event(&Event::Instant(slice(b""), Scope::Global)), Ok(Written::Done));
    assert_eq!(writer.write_event(&phase), Ok(Written::Done));
}

#[test]
fn the_id_of_a_track_of_its_own_is_not_that_of_another_thread() {
    let mut writer = JsonWriter::new(String::new());
    for tid in [&b"7"[..], b" 1e1 ", b"x7"] {
        let thread = Thread { pid: Id::Number(1), tid: Id::Text(tid) };
        let track = Event::Track(TrackEvent::new(thread, Text::EMPTY));
        assert_eq!(writer.write_event(&track), Ok(Written::Unsupported), "it has no form");
        let slice = ThreadEvent::new(thread, Tick(0), Text::EMPTY);
        assert_eq!(writer.write_event(&Event::Complete(slice, Ticks(0))), Ok(Written::Done));
    }
    let json: serde_json::Value = serde_json::from_str(&writer.finish().unwrap()).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let tids: Vec<_> = events.iter().map(|event| event["tid"].as_str().unwrap()).collect();
    assert_eq!(tids, ["track 7", "track  1e1 ", "x7"]);
}

/// Returns a part of a profile of one thread.
fn part(key: ProfileKey<'_>) -> ProfilePart<'_> {
    ProfilePart::new(Thread::new(1_i64, 2_i64), key, Tick(6_000))
}

/// Returns the lines that are written for a part of a profile, an event each.
fn profile_lines(part: ProfilePart<'static>, content: &[Event<'_>]) -> Vec<String> {
    let begins = ProfileStart::new(Tick(5_000), Ticks(1000));
    let mut head = ProfileEvent::new(part).with_rank(1);
    (head.begins, head.end) = (Some(begins), Some(Tick(90_500)));
    let events: Vec<_> = [Event::Profile(head)].into_iter().chain(content.iter().copied()).collect();
    let text = r#","cat":"disabled-by-default-v8.cpu_profiler","args":{"data":"#;
    lines(&events).iter().map(|line| line.replace(text, " ")).collect()
}

fn frame<'a>(table: impl Into<FrameTable<'a>>, id: i64, parent: FrameParent<'a>) -> FrameEvent<'a> {
    let mut frame = FrameEvent::new(table, Id::Number(id), parent, Text::plain(b"f"));
    (frame.source, frame.line) = (3, Some(0));
    frame
}

#[test]
fn cpu_1b_profiles_are_written_as_v8_writes_them() {
    let part = part(ProfileKey::Id(Id::Text(b"0x1")));
    let sample = |at, line| {
        let stack = SampleStack::Frame(Id::Number(1));
        let mut sample = SampleEvent::new(part, SampleTime::After(Ticks(at)), stack);
        sample.line = line;
        Event::Sample(sample)
    };
    let content = [
        Event::Frame(frame(part, 1, FrameParent::Unknown)),
        Event::FrameChild(part.into(), Id::Number(1), Id::Number(2)),
        Event::Frame(frame(part, 2, FrameParent::Id(Id::Number(1)))),
        Event::CallSite(part, 77, Id::Number(2)),
        sample(1_500, None),
        sample(-36_000, Some(4)),
        Event::Begin(slice(b"g")),
        sample(-1_000_000_001_000, None),
    ];
    assert_eq!(
        profile_lines(part, &content),
        [
            r#"{"ph":"P","ts":6,"pid":1,"tid":2,"id":"0x1","name":"Profile" {"startTime":5,"source":"Inspector","endTime":90.5}}}"#,
            &[
                r#"{"ph":"P","ts":6,"pid":1,"tid":2,"id":"0x1","name":"ProfileChunk" {"cpuProfile":{"nodes":["#,
                r#"{"id":1,"callFrame":{"functionName":"f","scriptId":3,"lineNumber":0},"children":[2]},"#,
                r#"{"id":2,"parent":1,"callFrame":{"functionName":"f","scriptId":3,"lineNumber":0}}],"#,
                r#""trace_ids":{"77":2},"samples":[1,1]},"timeDeltas":[1.5,-36],"lines":[0,5]}}}"#,
            ]
            .concat(),
            r#"{"ph":"B","ts":0,"pid":1,"tid":2,"name":"g"}"#,
            // What would be read as a pause that was cut to 32 bits.
            r#"{"ph":"P","ts":6,"pid":1,"tid":2,"id":"0x1","name":"ProfileChunk" {"cpuProfile":{"samples":[1]},"timeDeltas":[-5294967297]}}}"#,
        ]
    );
}

#[test]
fn cpu_1d_depths_become_callers_and_times_become_deltas() {
    let part = part(ProfileKey::Number(7));
    let at = |at| Event::Sample(SampleEvent::new(part, Tick(at), SampleStack::Frame(Id::Number(1))));
    let frames = [0, 1, 2, 1].map(FrameParent::Depth).into_iter().zip(1..);
    let frames: Vec<_> = frames.map(|(parent, id)| Event::Frame(frame(part, id, parent))).collect();
    let lines = profile_lines(part, &[&frames[..], &[at(8_000), at(7_000)]].concat());
    let found: Vec<_> = lines.iter().flat_map(|line| line.split("\"parent\":").skip(1)).collect();
    let callers: Vec<_> = found.iter().map(|text| text.split(',').next().unwrap()).collect();
    assert_eq!(callers, ["1", "2", "1"]);
    assert!(lines.iter().all(|line| line.contains("\"id\":-1,")), "{lines:?}");
    assert!(lines.last().unwrap().ends_with(r#""timeDeltas":[3,-1]}}}"#), "{lines:?}");
}

#[test]
fn a_chunk_has_at_most_100_samples() {
    let (part, stack) = (part(ProfileKey::Thread), SampleStack::Frame(Id::Number(1)));
    let sample = Event::Sample(SampleEvent::new(part, SampleTime::After(Ticks(1000)), stack));
    let lines = profile_lines(part, &[sample; 250]);
    let counts: Vec<_> = lines.iter().map(|line| line.matches(",1").count() + 1).collect();
    assert_eq!(lines.len(), 4);
    // Those of the head are none; each sample is in both lists.
    assert_eq!(counts[1..], [199, 199, 99]);
    assert!(!lines[1].contains("\"id\""), "{}", lines[1]);
}

#[test]
fn parts_of_profiles_without_a_form_are_reported() {
    let mut writer = JsonWriter::new(String::new());
    let mut expect = |event: Event<'_>, expected| {
        assert_eq!(writer.write_event(&event), Ok(expected), "{event:?}");
    };
    let stack = SampleStack::Frame(Id::Number(1));
    let sample = |part, at| Event::Sample(SampleEvent::new(part, at, stack));
    let [long, short] = [&[b'x'; 33][..], &[b'x'; 32]].map(|id| part(ProfileKey::Id(Id::Text(id))));
    let other = ProfilePart { at: Tick(7_000), ..short };
    expect(sample(short, SampleTime::After(Ticks(0))), Written::Unsupported);
    expect(Event::Frame(frame(short, 1, FrameParent::Unknown)), Written::Unsupported);
    expect(Event::Profile(ProfileEvent::new(long)), Written::Unsupported);
    expect(Event::CallSite(long, 1, Id::Number(1)), Written::Unsupported);
    expect(Event::Profile(ProfileEvent::new(short)), Written::Done);
    // When the profile begins is in another part.
    expect(sample(short, SampleTime::At(Tick(0))), Written::Unsupported);
    expect(Event::Frame(frame(short, 1, FrameParent::Depth(0))), Written::Done);
    expect(Event::FrameChild(short.into(), Id::Number(2), Id::Number(1)), Written::Unsupported);
    for depth in 1..256 {
        expect(Event::Frame(frame(short, 1, FrameParent::Depth(depth))), Written::Done);
    }
    expect(Event::Frame(frame(short, 1, FrameParent::Depth(256))), Written::Unsupported);
    expect(Event::Frame(frame(short, 1, FrameParent::Depth(257))), Written::Unsupported);
    expect(Event::Frame(frame(short, 1, FrameParent::Depth(2))), Written::Done);
    // Nor are those of another part than the last one.
    expect(Event::Frame(frame(other, 1, FrameParent::Unknown)), Written::Unsupported);
    expect(sample(other, SampleTime::After(Ticks(1))), Written::Unsupported);
    expect(Event::CallSite(other, 1, Id::Number(1)), Written::Unsupported);
    expect(Event::Frame(frame(FrameTable::Shared, 1, FrameParent::Depth(0))), Written::Unsupported);
    // An entry of `stackFrames` has no place for a line.
    let mut shared = FrameEvent::new(FrameTable::Shared, 1, FrameParent::Unknown, Text::EMPTY);
    expect(Event::Frame(shared), Written::Done);
    shared.line = Some(3);
    expect(Event::Frame(shared), Written::InPart(LostParts::ARGUMENTS));
}
