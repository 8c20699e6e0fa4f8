//! Samples that name their thread, and the frames that they share: read in pieces, cut off, damaged, and written. [json
//! 1]

use crate::common;
use crate::common::{brief, brief_event};
use spall_json::JsonWriter;
use spall_model::{Event, Id, MetaEvent, ProfileId, SampleEvent, SampleStack, Text, Thread, Tick, Written};

const DOCUMENT: &str = r#"{"displayTimeUnit":"ns","samples":[
{"cpu":0,"tid":1,"ts":1000.5,"name":"cycles:HG","sf":3,"weight":7},{"pid":"9","tid":"x","ts":"2","stack":["a","b"]},{}
],"traceEvents":[{"ph":"P","pid":1,"tid":1,"ts":3,"name":"n","cat":"c","sf":"0x1","args":{"k":1}},
{"ph":"X","pid":1,"tid":1,"ts":4,"dur":1,"sf":2},{"ph":"P","pid":1,"ts":5,"weight":null,"sf":null}],
"stackFrames":{"3":{"name":"f\u0041","parent":"0x1"},"0x1":{"category":"lib","name":"g","parent":null},"2":{}},"otherData":{}}"#;

const EVENTS: [&str; 11] = [
    "meta displayTimeUnit = \"ns\"",
    "listed sample cycles:HG 1 1000500 3 *7",
    "listed sample  9/\"x\" 2000 [\"a\",\"b\"] *1",
    "sample n 1/1 3000 \"0x1\" *1",
    "X  1/1 4000+1000",
    "! missing-thread",
    "sample  1/1 5000 ? *1",
    "shared frame Number(3) < 0x1 fA  0 None None",
    "shared frame 0x1 g lib 0 None None",
    "shared frame Number(2) (anonymous)  0 None None",
    "meta otherData = {}",
];

#[test]
fn json_1_samples_and_shared_frames_are_read() {
    let found = brief(DOCUMENT.as_bytes());
    for (found, expected) in found.iter().zip(EVENTS) {
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
    assert_eq!(found.len(), EVENTS.len());
    common::assert_prediction_changes_nothing(DOCUMENT.as_bytes(), "prediction");
}

#[test]
fn pieces_of_any_size_make_the_same_events() {
    let whole = common::collect(DOCUMENT.as_bytes());
    for size in 1..DOCUMENT.len() {
        let pieces = common::collect_chunked(DOCUMENT.as_bytes(), size);
        common::assert_same(&whole, &pieces, &format!("chunks of {size}"));
    }
}

#[test]
fn a_document_that_is_cut_off_is_read_as_far_as_it_goes() {
    let whole = common::collect(DOCUMENT.as_bytes()).unwrap();
    for end in 0..DOCUMENT.len() {
        let complete = whole.iter().filter(|(bytes, _)| bytes.end <= end as u64).count();
        let Ok(mut cut) = common::collect(DOCUMENT.as_bytes().get(..end).unwrap()) else {
            let is_meta = |(_, event): &common::Item<'_>| matches!(event, Event::Meta(_));
            assert!(whole[..complete].iter().all(is_meta), "up to {end}");
            continue;
        };
        cut.retain(|(_, event)| {
            !matches!(event, Event::Diagnostic(kind) if ["truncated", "unclosed-list"].contains(&kind.name()))
        });
        common::assert_prefix(&cut, &whole, &format!("up to {end}"));
        assert_eq!(cut.len(), complete, "up to {end}");
    }
}

/// A weight that is no number is 1. [json 3.2.3]
#[test]
fn json_2_damage_costs_one_sample_or_frame() {
    let check = |json: &str, expected: &[&str]| {
        let kind = |event: &String| match event.strip_prefix("! ") {
            Some(fault) => format!("! {}", fault.split(' ').next().unwrap()),
            None => event.clone(),
        };
        let found: Vec<_> = brief(json.as_bytes()).iter().map(kind).collect();
        assert_eq!(found, expected, "{json}");
    };
    check(
        r#"{"samples":[{"tid":1,"ts":1},7,{"tid":1},{"tid":1,"ts":"x"},{"tid":1 x},,{"tid":1,"ts":3,"weight":"y"}]}"#,
        &[
            "listed sample  1 1000 ? *1",
            "! not-an-event",
            "! missing-time",
            "! bad-time",
            "! damaged-event",
            "! extra-separator",
            "! bad-field",
            "listed sample  1 3000 ? *1",
        ],
    );
    check(
        r#"{"stackFrames":{"1":{"name":"a"},"2":5,x,"3":{"name":"b"}},"traceEvents":[]}"#,
        &[
            "shared frame Number(1) a  0 None None",
            "! bad-field",
            "! junk",
            "shared frame Number(3) b  0 None None",
        ],
    );
}

/// Returns the document that is written for the events of `json`, after checking that each event was written whole.
fn written(json: &str) -> String {
    let mut writer = JsonWriter::new(String::new());
    for event in common::events(json.as_bytes()) {
        assert_eq!(writer.write_event(&event), Ok(Written::Done), "{event:?}");
    }
    let text = writer.finish().unwrap();
    let strict: Result<serde_json::Value, _> = serde_json::from_str(&text);
    strict.unwrap_or_else(|error| panic!("{error}: {text}"));
    text
}

#[test]
fn samples_and_frames_are_written_where_they_were() {
    let text = written(DOCUMENT);
    let of = |json: &str| -> Vec<String> {
        let events = common::collect(json.as_bytes()).unwrap().into_iter();
        let events = events.filter(|(_, event)| !matches!(event, Event::Diagnostic(_)));
        events.map(|(bytes, event)| brief_event(&event, bytes)).collect()
    };
    assert_eq!(of(DOCUMENT), of(&text), "{text}");
    let sample = r#"{"ts":1000.5,"tid":1,"name":"cycles:HG","sf":3,"weight":7.0,"cpu":0}"#;
    assert!(text.contains(sample), "{text}");
    assert!(text.contains(r#""0x1":{"name":"g","category":"lib"}"#), "{text}");
}

#[test]
fn a_list_that_was_closed_is_not_opened_again() {
    let (thread, stack) = (Thread::new(1_u32, 1_u32), SampleStack::Frame(Id::Number(1)));
    let sample = |name| SampleEvent::new(ProfileId::OfThread(thread, name), Tick(0), stack);
    let mut first = sample(Text::EMPTY);
    first.in_list = true;
    let listed = Event::Sample(first);
    let event = |name| Event::Sample(sample(name));
    let key = Event::Meta(MetaEvent::new(Text::plain(b"k"), spall_model::Value::Null));
    let mut writer = JsonWriter::new(String::new());
    for (event, expected) in [
        (listed, Written::Done),
        (listed, Written::Done),
        (event(Text::EMPTY), Written::Done),
        (event(Text::plain(b"Profile")), Written::Unsupported),
        (key, Written::Done),
        (listed, Written::TooLate),
        (event(Text::EMPTY), Written::TooLate),
    ] {
        assert_eq!(writer.write_event(&event), Ok(expected), "{event:?}");
    }
    assert_eq!(
        writer.finish().unwrap(),
        "{\"samples\":[\n{\"ts\":0,\"pid\":1,\"tid\":1,\"sf\":1},\n{\"ts\":0,\"pid\":1,\"tid\":1,\"sf\":1}\n],\"traceEvents\":[\n\
         {\"ph\":\"P\",\"ts\":0,\"pid\":1,\"tid\":1,\"sf\":1}\n],\"k\":null,\"displayTimeUnit\":\"ns\"}\n"
    );
}
