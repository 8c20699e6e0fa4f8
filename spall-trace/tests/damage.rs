//! What is damaged has a time. [damage 1](spall_trace::model::rules::damage#1)

use spall_synth::json;
use spall_trace::Loader;
use spall_trace::model::{
    ByteRange, DiagnosticKind, Event, Limits, LiveTrace, Receiver, Tick, Trace, TraceView,
};

/// Returns the kinds of all reports, with their times.
fn times(trace: &Trace) -> Vec<(&'static str, Option<i64>)> {
    let kept = trace.diagnostics().kept().iter();
    kept.map(|found| (found.kind.name(), found.at.map(|at| at.0))).collect()
}

fn of_json(text: &str) -> Vec<(&'static str, Option<i64>)> {
    times(&spall_trace::load(text.as_bytes()).unwrap())
}

#[test]
fn a_report_about_an_event_has_its_time() {
    let ends = r#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"E","pid":1,"tid":2,"ts":40},
        {"ph":"X","name":"g","pid":1,"tid":2,"ts":60,"dur":40},
        {"ph":"E","pid":1,"tid":2,"ts":70,"name":"none"}]"#;
    assert_eq!(of_json(ends), [("unmatched-end", Some(40_000)), ("unmatched-end", Some(70_000))]);
    let begin = r#"[{"ph":"B","name":"f","pid":1,"tid":1,"ts":5},{"ph":"X","name":"g","pid":1,"tid":2,"ts":9,"dur":-1}]"#;
    assert_eq!(of_json(begin), [("negative-duration", Some(9_000)), ("unfinished-slice", Some(5_000))]);
}

/// The parser reports a bad field before it hands over the event.
#[test]
fn a_report_about_an_event_that_is_still_to_come_has_its_time() {
    for next in [r#""ph":"B""#, r#""ph":"C","args":{"v":1}"#] {
        let text = format!(
            r#"[{{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":1}},{{{next},"pid":1,"ts":3,"tid":1,"name":[]}},
                {{"ph":"E","pid":1,"tid":1,"ts":7}}]"#
        );
        let found = of_json(&text);
        assert!(found.contains(&("bad-field", Some(3_000))), "{found:?}");
    }
}

#[test]
fn a_report_between_events_has_the_time_of_the_one_before() {
    let text = r#"[7,{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":1},8,{"ph":"M","name":"process_name","pid":1},
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":5,"dur":1}"#;
    let expected = [
        ("not-an-event", None),
        ("not-an-event", Some(1_000)),
        ("bad-metadata", Some(1_000)),
        ("unclosed-list", Some(5_000)),
    ];
    assert_eq!(of_json(text), expected);
    let trace = spall_trace::load(text.as_bytes()).unwrap();
    let first = trace.diagnostics().counts()[0];
    assert_eq!((first.kind, first.count, first.at), (DiagnosticKind::NotAnEvent, 2, None), "[damage 2]");
}

/// Many reports without an event cost no more than those that are kept.
#[test]
fn reports_do_not_wait_for_an_event() {
    let text = format!(
        "[{}{{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}}]",
        "7,".repeat(99)
    );
    let found = of_json(&text);
    assert_eq!((found.len(), found[98]), (99, ("not-an-event", None)));
}

/// The time of each report is that of the event that begins last at or before its first byte.
fn check(name: &str, data: &[u8]) -> usize {
    let Ok(trace) = spall_trace::load(data) else { return 0 };
    let mut events: Vec<(u64, Tick)> = Vec::new();
    let see = |event: &Event<'_>, bytes: ByteRange| events.extend(event.at().map(|at| (bytes.start, at)));
    Loader::new().read_events(data, see).unwrap();
    // Some parsers give events in another order than that of the file.
    if !events.is_sorted_by_key(|event| event.0) {
        return 0;
    }
    for found in trace.diagnostics().kept() {
        let before = events.iter().filter(|event| event.0 <= found.bytes.start);
        let start = before.clone().map(|event| event.0).max();
        // A record may have several events.
        let mut at = before.filter(|event| Some(event.0) == start).map(|event| event.1);
        let is_right = if start.is_none() {
            found.at.is_none()
        } else {
            at.any(|at| at == found.at.unwrap_or(Tick::MIN))
        };
        assert!(is_right, "{name}: {found:?}, event at {start:?}");
    }
    trace.diagnostics().kept().len()
}

#[test]
fn a_report_has_the_time_of_the_event_that_begins_last_at_or_before_it() {
    let mut n_reports = 0;
    for folder in ["json", "chrome", "spall", "recordings", "small", "heph"] {
        for path in spall_testdata::inputs(folder, "") {
            n_reports += check(&path.to_string_lossy(), &std::fs::read(&path).unwrap());
        }
    }
    for seed in 0..spall_testdata::sized(40) {
        let text = json::motley(100, json::Layout::Compact);
        n_reports += check(&format!("damaged {seed}"), &json::damaged(&text, 5, seed));
    }
    assert!(n_reports > 500, "{n_reports}");
}

#[test]
fn a_live_trace_has_the_reports_of_all_events_that_it_shows() {
    let text = br#"[{"ph":"B","name":"f","pid":1,"tid":1,"ts":1},7,{"ph":"E","pid":1,"tid":2,"ts":4}]"#;
    let mut live = LiveTrace::new(&Limits::default());
    Loader::new().read_events(text, |event, bytes| live.receive(event, bytes)).unwrap();
    let snapshot = live.commit();
    assert_eq!(snapshot.diagnostics().kept()[0].at, Some(Tick(1_000)));
    assert_eq!(snapshot.pairing_faults().kept()[0].at, Some(Tick(4_000)));
}
