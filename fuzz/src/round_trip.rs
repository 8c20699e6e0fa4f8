//! What a writer has written is read back as the same events, for every writer, as far as its format can hold them.

use arbitrary::Unstructured;
use spall_trace::format::spall::{FileWriter, Version};
use spall_trace::json;
use spall_trace::model::{
    Args, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent, MetaEvent,
    ProfileId, SampleEvent, SampleStack, Text, Thread, ThreadEvent, Tick, Ticks, Value, Written,
};

use crate::events;
use crate::parsed::events_of;

/// Writes random events in every format and reads them. Returns whether there were any.
///
/// # Panics
/// When what is read differs.
pub fn run(bytes: &[u8]) -> bool {
    let events = events::sequence(&mut Unstructured::new(bytes));
    let mut n_written = through_json(&events);
    for version in [Version::V0, Version::V1, Version::V3] {
        n_written += through_spall(&events, version);
    }
    n_written > 10
}

/// Writes events as JSON and reads them. Returns how many events were written.
fn through_json(events: &[Event<'_>]) -> usize {
    let mut writer = json::JsonWriter::new(String::new());
    let mut expected = Vec::new();
    // The slice just before, in whose fields an arrow can be written.
    let mut slice = None;
    for event in events {
        let written = writer.write_event(event).unwrap();
        if !written.is_in_file() || matches!(event, Event::Diagnostic(_)) {
            continue;
        }
        expected.push(normal(&as_json(event, slice)));
        slice = match event {
            Event::Begin(event) | Event::Complete(event, _) | Event::Unfinished(event) => Some(*event),
            _ => None,
        };
    }
    let text = writer.finish().unwrap();
    let strict: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(strict["traceEvents"].is_array());
    let mut read: Vec<_> = events_of(json::JsonParser::new(), text.as_bytes());
    read.retain(|event| !is_remark(event));
    let says_unit = |event: &&Event<'_>| matches!(event, Event::Meta(MetaEvent { thread: None, key, .. }) if key.is(b"displayTimeUnit"));
    if events.iter().find(says_unit).is_none() {
        let last = read.pop();
        assert!(last.as_ref().is_some_and(|last| says_unit(&last)), "{last:?}");
    }
    let read: Vec<_> = read.iter().map(normal).collect();
    assert_same(&expected, &read, &text);
    expected.len()
}

/// Times at the very ends of the range, and snapshot events without a snapshot, come back as they were, with a word
/// about it.
fn is_remark(event: &Event<'_>) -> bool {
    matches!(event, Event::Diagnostic(DiagnosticKind::TimeOutOfRange | DiagnosticKind::MissingSnapshot))
}

/// An event as JSON has it. `slice` is the one just before.
fn as_json<'a>(event: &Event<'a>, slice: Option<ThreadEvent<'a>>) -> Event<'a> {
    match *event {
        Event::Complete(event, duration) => Event::Complete(event, event.at + duration - event.at),
        Event::State(event, duration) => Event::State(event, event.at + duration - event.at),
        Event::Flow(flow) => Event::Flow(match slice {
            Some(slice) if flow.bind == FlowBind::Slice => {
                let FlowEvent { phase, bind, id, .. } = flow;
                FlowEvent::new(phase, bind, slice.thread, slice.at, id, slice.name)
                    .with_category(slice.category)
            }
            _ => {
                let next = flow.phase == FlowPhase::End && flow.bind == FlowBind::Next;
                let mut flow = flow;
                flow.bind = if next { FlowBind::Next } else { FlowBind::Enclosing };
                flow
            }
        }),
        // What these have in common with profiles of V8 is the phase.
        Event::Other(event, b'P') => {
            let profile = ProfileId::OfThread(event.thread, event.name);
            let mut sample = SampleEvent::new(profile, event.at, SampleStack::Unknown);
            sample.args = event.args;
            Event::Sample(sample)
        }
        other => other,
    }
}

fn through_spall(events: &[Event<'_>], version: Version) -> usize {
    let mut writer = FileWriter::new(Vec::new(), version);
    let mut expected = Vec::new();
    for event in events {
        if let Some(event) = as_spall(event, version)
            && writer.write_event(&event).unwrap() == Written::Done
        {
            expected.push(normal(&event));
        }
    }
    let file = writer.finish().unwrap();
    let read = events_of(spall_trace::format::spall::Parser::new(), &file).into_iter();
    let read: Vec<_> =
        read.filter(|event| !matches!(event, Event::Clock(_))).map(|event| normal(&event)).collect();
    assert_same(&expected, &read, &format!("{version:?}"));
    expected.len()
}

/// An event without what spall has no place for; `None` where it would be changed in a way that is not repeated here.
fn as_spall<'a>(event: &Event<'a>, version: Version) -> Option<Event<'a>> {
    // Up to here floating point numbers are exact.
    let exact = |at: Tick| version == Version::V3 || at.0.unsigned_abs() <= 1 << 53;
    let event = match *event {
        Event::Begin(event) if event.args.is_none() || version == Version::V0 => {
            Event::Begin(ThreadEvent { category: Text::EMPTY, args: Args::NONE, ..event })
        }
        Event::Begin(event) => {
            // Only plain text is read as it was written.
            let text = event.args.iter().next().filter(|_| event.args.format().name == "text");
            text?;
            Event::Begin(ThreadEvent { category: Text::EMPTY, ..event })
        }
        Event::End(event) => Event::End(ThreadEvent::new(event.thread, event.at, Text::EMPTY)),
        Event::Complete(event, duration) => {
            exact(event.at + duration).then_some(())?;
            Event::Complete(
                ThreadEvent::new(event.thread, event.at, event.name),
                event.at + duration - event.at,
            )
        }
        event @ (Event::ProcessName(..) | Event::ThreadName(..)) => event,
        _ => return None,
    };
    event.at().is_none_or(exact).then_some(event)
}

fn assert_same(expected: &[String], read: &[String], about: &str) {
    let differs = expected.iter().zip(read).position(|(expected, read)| expected != read);
    if let Some(at) = differs {
        panic!("event {at}: {} was read as {} in {about}", expected[at], read[at]);
    }
    assert_eq!(expected.len(), read.len(), "{about}");
}

/// An event as text that is the same for everything that means the same: decoded strings and values.
fn normal(event: &Event<'_>) -> String {
    let on_thread = |kind: &str, event: &ThreadEvent<'_>, more: &dyn std::fmt::Debug| {
        format!(
            "{kind} {} at {} {:?} {:?} args {} {more:?}",
            thread(event.thread),
            event.at.0,
            event.name.decode(),
            event.category.decode(),
            args(event.args)
        )
    };
    let keyed = |kind: &dyn std::fmt::Debug, event: &KeyedEvent<'_>| {
        let KeyedEvent { pid, at, id, local, .. } = event;
        let (name, category, scope) = (event.name, event.category, event.scope);
        let (pid, id, args) = (key(*pid), key(*id), args(event.args));
        format!(
            "{kind:?} {pid} {id} {local} {:?} at {} {:?} {:?} args {args}",
            scope.decode(),
            at.0,
            name.decode(),
            category.decode()
        )
    };
    match event {
        Event::Begin(event) => on_thread("begin", event, &()),
        Event::End(event) => on_thread("end", event, &()),
        Event::Complete(event, Ticks(duration)) => on_thread("complete", event, duration),
        Event::Unfinished(event) => on_thread("unfinished", event, &()),
        Event::Instant(event, scope) => on_thread("instant", event, scope),
        Event::State(event, Ticks(duration)) => on_thread("state", event, duration),
        Event::Other(event, tag) => on_thread("other", event, tag),
        Event::Sample(sample) if sample.of_thread().is_some() => {
            let Some((of, value, at)) = sample.of_thread() else { unreachable!() };
            let SampleEvent { stack, weight, .. } = sample;
            let (thread, args) = (thread(of), args(sample.args));
            format!("sample {thread} at {} {:?} {stack:?} {weight} {args}", at.0, value.decode())
        }
        Event::Counter(CounterEvent { pid, at, name, id, category, series, .. }) => {
            let (pid, id, series) = (key(*pid), id.map(key), args(*series));
            format!("counter {pid} {id:?} at {} {:?} {:?} {series}", at.0, name.decode(), category.decode())
        }
        Event::Async(phase, event) => keyed(phase, event),
        Event::Object(phase, event) => keyed(phase, event),
        Event::Flow(flow) => {
            let FlowEvent { phase, bind, at, id, local, .. } = flow;
            let (thread, id, args) = (thread(flow.thread), key(*id), args(flow.args));
            let (name, category) = (flow.name.decode(), flow.category.decode());
            format!("flow {phase:?} {bind:?} {thread} at {} {id} {local} {name:?} {category:?} {args}", at.0)
        }
        Event::ProcessName(pid, name) => format!("process {} {:?}", key(*pid), name.decode()),
        Event::ThreadName(thread, name) => format!("thread {} {:?}", self::thread(*thread), name.decode()),
        Event::ProcessSortIndex(pid, index) => format!("process {} sorts {index}", key(*pid)),
        Event::ThreadSortIndex(thread, index) => format!("thread {} sorts {index}", self::thread(*thread)),
        Event::ProcessLabels(pid, labels) => format!("process {} labels {:?}", key(*pid), labels.decode()),
        Event::Meta(meta) => {
            let about = meta.thread.map(thread);
            let value = match meta.value {
                Value::Null if about.is_some() => args(Args::NONE),
                Value::Map(entries) => args(entries),
                other if about.is_some() => format!("[\"value\": {}]", value(other)),
                other => value(other),
            };
            format!("meta {about:?} {:?} {value}", meta.key.decode())
        }
        other => format!("{other:?}"),
    }
}

fn key(id: Id<'_>) -> String {
    id.text().map_or_else(|| format!("{id:?}"), |text| format!("{:?}", text.decode()))
}

fn thread(thread: Thread<'_>) -> String {
    format!("{}/{}", key(thread.pid), key(thread.tid))
}

fn args(args: Args<'_>) -> String {
    let entries = args.iter().map(|(key, entry)| format!("{:?}: {}", key.decode(), value(entry)));
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

/// A value as it is written: numbers that JSON does not have as text, bytes as hexadecimal digits.
fn value(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("{:?}", text.decode()),
        Value::Bytes(bytes) => {
            format!("{:?}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Value::F64(value) if value.is_nan() => "\"NaN\"".into(),
        Value::F64(value) if value.is_infinite() => {
            format!("{:?}", if value > 0.0 { "Infinity" } else { "-Infinity" })
        }
        Value::F64(value) => format!("{value:?}"),
        Value::I64(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::List(items) | Value::Map(items) => args(items),
        Value::Null => "null".into(),
        other => format!("{other:?}"),
    }
}
