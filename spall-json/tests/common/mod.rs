//! Helpers of the tests: reading in pieces, comparing, and the corpus.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::path::PathBuf;

use spall_json::{JsonError, JsonParser};
use spall_model::{
    Args, ByteRange, Event, FrameEvent, FrameParent, FrameTable, Id, Parser as _, Progress, SampleStack,
    Text, ThreadEvent, Value,
};

pub(crate) type Item<'a> = (ByteRange, Event<'a>);

/// Returns all events of `data`, read at once.
pub(crate) fn collect(data: &[u8]) -> Result<Vec<Item<'_>>, JsonError> {
    collect_with(JsonParser::new(), data)
}

/// Returns all events of `data`, read at once by `parser`.
fn collect_with(parser: JsonParser, data: &[u8]) -> Result<Vec<Item<'_>>, JsonError> {
    let mut items = Vec::new();
    parser.parse_all(data, |event, bytes| items.push((bytes, *event)))?;
    Ok(items)
}

/// Returns all events of `data`, which is no error, without their ranges.
pub(crate) fn events(data: &[u8]) -> Vec<Event<'_>> {
    collect(data).unwrap().into_iter().map(|(_, event)| event).collect()
}

/// Returns all events of `data`, given to the parser in pieces of `size` bytes.
pub(crate) fn collect_chunked<'a>(data: &'a [u8], size: usize) -> Result<Vec<Item<'a>>, JsonError> {
    let mut parser = JsonParser::new();
    let (mut start, mut end) = (0, 0);
    let mut items = Vec::new();
    loop {
        let n_before = items.len();
        let progress =
            parser.read(&data[start..end], end == data.len(), &mut |event: &Event<'a>, bytes| {
                items.push((bytes, *event));
            })?;
        match progress {
            Progress::NeedMore(_) => {
                assert!(end < data.len(), "wants more than there is");
                assert_eq!(items.len(), n_before, "handed over what is read again");
                end = (end + size).min(data.len());
            }
            Progress::Read(length) => {
                assert!(length > 0);
                start += length;
            }
            Progress::End => return Ok(items),
        }
        assert_eq!(parser.offset(), start as u64);
    }
}

pub(crate) fn assert_same(
    a: &Result<Vec<Item<'_>>, JsonError>,
    b: &Result<Vec<Item<'_>>, JsonError>,
    what: &str,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_prefix(a, b, what);
            assert_eq!(a.len(), b.len(), "{what}");
        }
        (a, b) => assert_eq!(a.as_ref().err(), b.as_ref().err(), "{what}"),
    }
}

pub(crate) fn assert_prefix(prefix: &[Item<'_>], all: &[Item<'_>], what: &str) {
    for (i, expected) in prefix.iter().enumerate() {
        let found = all.get(i).unwrap_or_else(|| panic!("{what}: {expected:?} is missing"));
        // As text, what is not a number equals itself.
        if expected == found {
            continue;
        }
        assert_eq!(format!("{expected:?}"), format!("{found:?}"), "{what}");
    }
}

/// Checks that `data` makes the same events with the fast path and without it.
pub(crate) fn assert_prediction_changes_nothing(data: &[u8], what: &str) {
    let (plain, fast) = (collect_with(JsonParser::without_prediction(), data), collect(data));
    assert_same(&plain, &fast, what);
}

/// Returns the JSON files in the folders `name` of `testdata/` and of the collection, without the expectations.
pub(crate) fn documents(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = spall_testdata::inputs(name, ".json");
    found.retain(|path| !path.to_string_lossy().ends_with(".expect.json"));
    found.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Returns the events of `data`, each as a short text: `X name pid/tid start+length`, `! diagnostic from..to`.
pub(crate) fn brief(data: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    let read = JsonParser::new().parse_all(data, |event, bytes| all.push(brief_event(event, bytes)));
    all.extend(read.err().map(|error| format!("error: {error}")));
    all
}

pub(crate) fn brief_event(event: &Event<'_>, bytes: ByteRange) -> String {
    let id = |id: Id<'_>| match id {
        Id::Number(number) => number.to_string(),
        Id::Text(_) => format!("{:?}", text(id.text().unwrap())),
    };
    let slice = |event: &ThreadEvent<'_>| {
        let thread = event.thread;
        format!("{} {}/{} {}", text(event.name), id(thread.pid), id(thread.tid), event.at.0)
    };
    match event {
        Event::Begin(begin) => format!("B {}", slice(begin)),
        Event::End(end) => format!("E {}", slice(end)),
        Event::Complete(complete, length) => format!("X {}+{}", slice(complete), length.0),
        Event::Unfinished(complete) => format!("X {}+?", slice(complete)),
        Event::Instant(instant, scope) => format!("i {} {scope:?}", slice(instant)),
        Event::State(state, length) => format!("T {}+{}", slice(state), length.0),
        Event::Other(other, tag) => format!("{} {}", char::from(*tag), slice(other)),
        Event::Counter(counter) => {
            let key = counter.id.map_or(String::new(), |key| format!(" id {}", id(key)));
            format!("C {} {} {}{key}", text(counter.name), id(counter.pid), counter.at.0)
        }
        Event::Async(phase, step) => {
            let local = if step.local { " local" } else { "" };
            let scope = text(step.scope);
            let scope = if scope.is_empty() { scope } else { format!(" scope {scope}") };
            format!(
                "{phase:?} {} {} {} id {}{local}{scope}",
                text(step.name),
                id(step.pid),
                step.at.0,
                id(step.id)
            )
        }
        Event::Object(phase, step) => {
            let local = if step.local { " local" } else { "" };
            format!("{phase:?} {} {} {} id {}{local}", text(step.name), id(step.pid), step.at.0, id(step.id))
        }
        Event::Flow(flow) => {
            let thread = format!("{}/{}", id(flow.thread.pid), id(flow.thread.tid));
            let local = if flow.local { " local" } else { "" };
            let (phase, bind) = (flow.phase, flow.bind);
            format!("{phase:?} {} {thread} {} id {} {bind:?}{local}", text(flow.name), flow.at.0, id(flow.id))
        }
        Event::ProcessName(pid, name) => format!("process {} is {}", id(*pid), text(*name)),
        Event::ThreadName(thread, name) => {
            format!("thread {}/{} is {}", id(thread.pid), id(thread.tid), text(*name))
        }
        Event::ProcessSortIndex(pid, index) => format!("process {} at {index}", id(*pid)),
        Event::ThreadSortIndex(thread, index) => {
            format!("thread {}/{} at {index}", id(thread.pid), id(thread.tid))
        }
        Event::ProcessLabels(pid, labels) => format!("process {} has {}", id(*pid), text(*labels)),
        Event::Clock(clock) => format!("clock {:?}", clock.epoch_ns),
        Event::Meta(meta) => {
            let thread =
                meta.thread.map_or(String::new(), |thread| format!(" {}/{}", id(thread.pid), id(thread.tid)));
            format!("meta{thread} {} = {}", text(meta.key), brief_value(meta.value))
        }
        Event::Diagnostic(kind) => format!("! {kind} {}..{}", bytes.start, bytes.end),
        Event::Frame(frame) if frame.table == FrameTable::Shared => format!("shared {}", brief_frame(frame)),
        Event::Frame(frame) => brief_frame(frame),
        Event::FrameChild(_, caller, child) => format!("{} calls {}", id(*caller), id(*child)),
        Event::LineHits(hits) => format!("{} at {}: {}", id(hits.frame), hits.line, hits.hits),
        Event::CallSite(_, number, frame) => format!("site {number} {}", id(*frame)),
        Event::Sample(sample) => {
            let stack = match sample.stack {
                SampleStack::Unknown => "?".into(),
                SampleStack::Frame(frame) => id(frame),
                SampleStack::Names => brief_value(sample.args.field(b"stack").unwrap()),
            };
            let Some((thread, value, at)) = sample.of_thread() else {
                let place = [sample.line, sample.column];
                let place = place.map(|number| number.map_or(String::new(), |number| format!(":{number}")));
                return format!("sample {stack} {:?}{}", sample.at, place.concat());
            };
            let thread = match sample.any_process {
                true => id(thread.tid),
                false => format!("{}/{}", id(thread.pid), id(thread.tid)),
            };
            let list = if sample.in_list { "listed " } else { "" };
            format!("{list}sample {} {thread} {} {stack} *{}", text(value), at.0, sample.weight)
        }
        other => format!("{other:?}"),
    }
}

fn brief_frame(frame: &FrameEvent<'_>) -> String {
    let id = |id: Id<'_>| id.text().map_or_else(|| format!("{id:?}"), text);
    let caller = match frame.parent {
        FrameParent::Unknown => String::new(),
        FrameParent::Id(caller) => format!(" < {}", id(caller)),
        FrameParent::Depth(depth) => format!(" at depth {depth}"),
    };
    let FrameEvent { source, line, column, .. } = frame;
    let place = format!("{} {source} {line:?} {column:?}", text(frame.url));
    format!("frame {}{caller} {} {place}", id(frame.id), text(frame.name))
}

/// Returns a short text for a value.
pub(crate) fn brief_value(value: Value<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::F64(value) => format!("{value:?}"),
        Value::Text(value) => format!("{:?}", text(value)),
        Value::List(items) => {
            format!("[{}]", items.iter().map(|(_, value)| brief_value(value)).collect::<Vec<_>>().join(","))
        }
        Value::Map(entries) => format!("{{{}}}", brief_args(entries)),
        other => format!("{other:?}"),
    }
}

/// Returns a short text for arguments.
pub(crate) fn brief_args(args: Args<'_>) -> String {
    let entry = |(key, value): (Text<'_>, Value<'_>)| format!("{}:{}", text(key), brief_value(value));
    args.iter().map(entry).collect::<Vec<_>>().join(",")
}

/// Returns a text as a `String`, with any set of features.
pub(crate) fn text(text: Text<'_>) -> String {
    let bytes: Vec<u8> = text.pieces().flat_map(|piece| piece.bytes(&mut [0; 4]).to_vec()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
