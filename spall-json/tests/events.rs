//! The meaning of each phase and field \[json 1\], and of spans and flows \[pairing 5\], \[pairing 6\].

use crate::common;
use crate::common::{brief, brief_args, brief_value, text};
use spall_json::{json_args, json_args_text};
use spall_model::{Args, Event};

fn check(events: &str, expected: &[&str]) {
    let json = format!("[{events}]");
    assert_eq!(brief(json.as_bytes()), expected, "{json}");
    common::assert_prediction_changes_nothing(json.as_bytes(), &json);
}

/// Checks the arguments of a single event and its further fields.
fn check_args(event: &str, args: &str, fields: &str) {
    let json = format!("[{event}]");
    let found = match common::events(json.as_bytes()).swap_remove(0) {
        Event::Begin(event) | Event::Complete(event, _) | Event::Instant(event, _) => event.args,
        Event::Async(_, event) => event.args,
        Event::Counter(counter) => counter.series,
        Event::Flow(flow) => flow.args,
        other => panic!("{other:?}"),
    };
    assert_eq!(brief_args(found), args, "{json}");
    let found = found.fields().map(|(key, value)| format!("{}:{}", text(key), brief_value(value)));
    assert_eq!(found.collect::<Vec<_>>().join(","), fields, "{json}");
}

#[test]
fn begin_and_end() {
    check(
        r#"{"ph":"B","name":"a","pid":1,"tid":2,"ts":3},{"ph":"E","pid":1,"tid":2,"ts":4}"#,
        &["B a 1/2 3000", "E  1/2 4000"],
    );
}

#[test]
fn instants() {
    let event =
        |phase: &str, scope: &str| format!(r#"{{"ph":"{phase}","name":"a","pid":1,"tid":2,"ts":3{scope}}}"#);
    for phase in ["i", "I", "R"] {
        check(&event(phase, ""), &["i a 1/2 3000 Thread"]);
        check(&event(phase, r#","s":"t""#), &["i a 1/2 3000 Thread"]);
        check(&event(phase, r#","s":"p""#), &["i a 1/2 3000 Process"]);
        check(&event(phase, r#","s":"g""#), &["i a 1/2 3000 Global"]);
    }
    check(&event("i", r#","s":"x""#), &["! bad-field 49..52", "i a 1/2 3000 Thread"]);
}

#[test]
fn counters() {
    check(
        r#"{"ph":"C","name":"c","pid":1,"ts":2,"id":"7","args":{"a":1}},{"ph":"C","name":"d","pid":1,"ts":2}"#,
        &["C c 1 2000 id 7", "C d 1 2000"],
    );
    let series =
        r#"{"ph":"C","pid":1,"ts":2,"args":{"a":1,"b":"2.5","c":true,"d":null,"e":18446744073709551615}}"#;
    check_args(series, "a:1,b:\"2.5\",c:true,d:null,e:18446744073709551615", "");
}

#[test]
fn metadata() {
    let event =
        |name: &str, args: &str| format!(r#"{{"ph":"M","name":"{name}","pid":1,"tid":2,"args":{args}}}"#);
    check(&event("process_name", r#"{"name":"p"}"#), &["process 1 is p"]);
    check(&event("thread_name", r#"{"name":"t"}"#), &["thread 1/2 is t"]);
    check(&event("thread_name", r#"{"name":12}"#), &["thread 1/2 is 12"]);
    check(&event("process_sort_index", r#"{"sort_index":-5}"#), &["process 1 at -5"]);
    check(&event("thread_sort_index", r#"{"sort_index":"7.0"}"#), &["thread 1/2 at 7"]);
    check(&event("process_labels", r#"{"labels":"a,b"}"#), &["process 1 has a,b"]);
    check(&event("num_cpus", r#"{"number":4}"#), &["meta 1/2 num_cpus = {number:4}"]);
    check(&event(r"process\u005fname", r#"{"name":"p"}"#), &["process 1 is p"]);
    check(r#"{"ph":"m","name":"process_name","pid":1,"args":{"name":"p"}}"#, &["process 1 is p"]);
    check(r#"{"ph":"M","name":"x","pid":1}"#, &["meta 1/1 x = null"]);
}

#[test]
fn metadata_without_its_argument() {
    let event =
        |name: &str, args: &str| format!(r#"{{"ph":"M","name":"{name}","pid":1,"tid":2,"args":{args}}}"#);
    for name in ["process_name", "thread_name", "process_sort_index", "thread_sort_index", "process_labels"] {
        let odd = [r#"{"name":null,"labels":{},"sort_index":1.5}"#, r#"{"sort_index":20000000000000000000}"#];
        for args in ["{}", "null", "[]"].into_iter().chain(odd) {
            let event = event(name, args);
            check(&event, &[&format!("! bad-metadata 1..{}", event.len() + 1)]);
        }
    }
}

#[test]
fn an_index_is_any_integer_of_64_bits() {
    for (text, index) in [("9223372036854775807", i64::MAX), ("-2.0", -2), ("\" 7 \"", 7), ("1e3", 1000)] {
        let args = format!(r#"{{"sort_index":{text}}}"#);
        let event = format!(r#"{{"ph":"M","name":"process_sort_index","pid":1,"args":{args}}}"#);
        check(&event, &[&format!("process 1 at {index}")]);
    }
}

#[test]
fn numbers_in_strings_may_have_escapes() {
    check(
        r#"{"ph":"X","name":"a","pid":"\u0031","tid":"2\n","ts":"\u0033.5","dur":"1\u002e5"}"#,
        &["X a 1/2 3500+1500"],
    );
    let long = format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":"\u0030{}"}}"#, "0".repeat(70));
    assert!(brief(format!("[{long}]").as_bytes())[0].starts_with("! bad-time"));
}

#[test]
fn async_steps() {
    let phases = ["b", "n", "e", "S", "T", "p", "F"];
    let names = ["Begin", "Instant", "End", "Start", "StepInto", "StepPast", "Finish"];
    for (phase, name) in phases.iter().zip(names) {
        let event =
            |id: &str| format!(r#"{{"ph":"{phase}","name":"a","cat":"c","pid":1,"tid":2,"ts":3,{id}}}"#);
        check(&event(r#""id":72"#), &[&format!("{name} a 1 3000 id 72")]);
        check(&event(r#""id":"72""#), &[&format!("{name} a 1 3000 id 72")]);
        check(&event(r#""id":"0x1""#), &[&format!("{name} a 1 3000 id \"0x1\"")]);
        check(&event(r#""id2":{"local":"0x1"}"#), &[&format!("{name} a 1 3000 id \"0x1\" local")]);
        check(&event(r#""id2":{"global":5}"#), &[&format!("{name} a 1 3000 id 5")]);
        check(&event(r#""id":1,"id2":{"local":5}"#), &[&format!("{name} a 1 3000 id 5 local")]);
        check(&event(r#""id":1,"scope":"s""#), &[&format!("{name} a 1 3000 id 1 scope s")]);
        let none = event(r#""id2":{"":5},"id":null"#);
        check(&none, &[&format!("! missing-id 1..{}", none.len() + 1)]);
    }
}

#[test]
fn thread_states() {
    check(r#"{"ph":"T","name":"Running","pid":1,"tid":2,"ts":3,"dur":4}"#, &["T Running 1/2 3000+4000"]);
    check(r#"{"ph":"T","name":"a","pid":1,"tid":2,"ts":3,"dur":4,"id":5}"#, &["StepInto a 1 3000 id 5"]);
    check(r#"{"ph":"T","name":"a","pid":1,"tid":2,"ts":3}"#, &["! missing-id 1..45"]);
}

#[test]
fn objects_are_local_to_their_process() {
    for (phase, name) in [("N", "New"), ("O", "Snapshot"), ("D", "Delete")] {
        let event = |id: &str| {
            format!(r#"{{"ph":"{phase}","name":"T","pid":1,"ts":3,"args":{{"snapshot":0}},{id}}}"#)
        };
        check(&event(r#""id":"0x1000""#), &[&format!("{name} T 1 3000 id \"0x1000\" local")]);
        check(&event(r#""id2":{"global":1}"#), &[&format!("{name} T 1 3000 id 1")]);
    }
}

#[test]
fn a_snapshot_event_holds_a_snapshot() {
    let event = |args: &str| format!(r#"{{"ph":"O","name":"T","pid":1,"ts":3,"id":4,"args":{args}}}"#);
    for args in [r#"{"snapshot":{"a":1}}"#, r#"{"x":{"y":[]},"snapshot":null}"#, r#"{"snap\u0073hot":7}"#] {
        check(&event(args), &["Snapshot T 1 3000 id 4 local"]);
    }
    for args in ["{}", r#"{"x":{"snapshot":1}}"#, r#"{"snapshot":}"#, r#""snapshot""#] {
        let event = event(args);
        let missing = format!("! missing-snapshot 1..{}", event.len() + 1);
        check(&event, &[&missing, "Snapshot T 1 3000 id 4 local"]);
    }
}

#[test]
fn flows() {
    let event = |phase: &str, more: &str| {
        format!(r#"{{"ph":"{phase}","name":"f","pid":1,"tid":2,"ts":3,"id":4{more}}}"#)
    };
    check(&event("s", ""), &["Start f 1/2 3000 id 4 Enclosing"]);
    check(&event("t", ""), &["Step f 1/2 3000 id 4 Enclosing"]);
    check(&event("f", ""), &["End f 1/2 3000 id 4 Next"]);
    check(&event("f", r#","bp":"e""#), &["End f 1/2 3000 id 4 Enclosing"]);
    check(&event("f", r#","bp":"z""#), &["End f 1/2 3000 id 4 Next"]);
    check(&event("s", r#","id2":{"local":9}"#), &["Start f 1/2 3000 id 9 Enclosing local"]);
    check(r#"{"ph":"s","pid":1,"tid":2,"ts":3}"#, &["! missing-id 1..34"]);
}

#[test]
fn flows_have_arguments_and_further_fields() {
    let event =
        |more: &str| format!(r#"{{"ph":"f","name":"f","pid":1,"tid":2,"ts":3,"id":4,"bp":"e"{more}}}"#);
    check_args(&event(""), "", "");
    check_args(&event(r#","args":{"a":1}"#), "a:1", "");
    check_args(&event(r#","tts":7,"args":{"a":1}"#), "a:1", "tts:7");
}

#[test]
fn flows_of_slices_follow_them() {
    let event = |more: &str| format!(r#"{{"ph":"X","name":"a","pid":1,"tid":2,"ts":3,"dur":1{more}}}"#);
    let slice = "X a 1/2 3000+1000";
    check(&event(r#","bind_id":"0x1","flow_out":true"#), &[slice, "Start a 1/2 3000 id \"0x1\" Slice"]);
    check(&event(r#","bind_id":7,"flow_in":true"#), &[slice, "End a 1/2 3000 id 7 Slice"]);
    check(&event(r#","bind_id":7,"flow_in":1,"flow_out":"true""#), &[slice, "Step a 1/2 3000 id 7 Slice"]);
    check(&event(r#","bind_id":7,"flow_in":false,"flow_out":0"#), &[slice]);
    check(&event(r#","bind_id":7"#), &[slice]);
    check(&event(r#","flow_out":true"#), &[slice]);
    check(
        r#"{"ph":"B","pid":1,"ts":3,"bind_id":7,"flow_out":true}"#,
        &["! missing-thread 1..54", "B  1/1 3000", "Start  1/1 3000 id 7 Slice"],
    );
    check(
        r#"{"ph":"X","pid":1,"tid":1,"ts":3,"bind_id":[],"flow_out":true}"#,
        &["! bad-field 44..46", "X  1/1 3000+?"],
    );
}

#[test]
fn phases_that_are_passed_on() {
    for phase in ["V", "v", "c", "(", ")"] {
        let event = format!(r#"{{"ph":"{phase}","name":"a","pid":1,"tid":2,"ts":3}}"#);
        check(&event, &[&format!("{phase} a 1/2 3000")]);
    }
    check(r#"{"ph":"P","name":"Profile","pid":1,"tid":2,"ts":3}"#, &["P Profile 1/2 3000"]);
}

#[test]
fn the_end_is_rounded_not_the_duration() {
    let event = |ts: &str, dur: &str| format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#);
    check(&event(".0004", "1.0002"), &["X  1/1 0+1001"]);
    check(&event(".0006", "1.0"), &["X  1/1 1+1000"]);
    check(&event("1.0004999", "1.9990001"), &["X  1/1 1000+2000"]);
    check(&event("2.0005", "0.0005"), &["X  1/1 2001+0"]);
    check(&event("5", "-2.5"), &["X  1/1 5000+-2500"]);
}

#[test]
fn arguments_are_decoded_when_asked_for() {
    let event = |args: &str| format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":1,"args":{args}}}"#);
    check_args(&event(r#"{"a":{"b":[1,{"c":2}],"d":[]},"e\n":null}"#), "a:{b:[1,{c:2}],d:[]},e\n:null", "");
    check_args(
        &event(r#"{"a":-1,"b":9223372036854775808,"c":1e3,"d":NaN,"e":0x1}"#),
        "a:-1,b:9223372036854775808,c:1000.0,d:NaN,e:\"0x1\"",
        "",
    );
    check_args(&event(r#""__stripped__""#), "text:\"__stripped__\"", "");
    check_args(&event("{}"), "", "");
    check_args(&event("{ }"), "", "");
    check_args(&event("null"), "", "");
    check_args(&event("\"\""), "", "");
}

#[test]
fn arguments_that_are_no_object_are_one_argument() {
    let event = |args: &str| format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":1,"args":{args}}}"#);
    check_args(&event("[]"), "", "");
    check_args(&event("[ ]"), "", "");
    check_args(&event(r#"["a",{"b":2}]"#), "args:[\"a\",{b:2}]", "");
    check_args(&event("-5.5"), "args:-5.5", "");
    check_args(&event("true"), "args:true", "");
    check(r#"{"ph":"B","pid":1,"tid":1,"ts":1,"args":word}"#, &["! bad-field 41..45", "B  1/1 1000"]);
    // The arguments of a counter are its series.
    let counter = |args: &str| format!(r#"{{"ph":"C","name":"c","pid":1,"ts":2,"args":{args}}}"#);
    check(&counter("[1]"), &["! bad-field 44..47", "C c 1 2000"]);
    check(&counter("1"), &["! bad-field 44..45", "C c 1 2000"]);
}

#[test]
fn further_fields_stand_beside_the_arguments() {
    let begin =
        r#"{"ph":"B","pid":1,"tid":1,"ts":1,"tts":2,"args":{"a":{"tts":3}},"sf":4,"cname":"good","id":5}"#;
    check_args(begin, "a:{tts:3}", "tts:2,sf:4,cname:\"good\",id:5");
    let without = r#"{"ph":"B","pid":1,"tid":1,"ts":1,"stack":["a","b"]}"#;
    check_args(without, "", "stack:[\"a\",\"b\"]");
    let keyed = r#"{"ph":"b","id":5,"pid":1,"tid":9,"ts":1,"scope":"s","args":"x"}"#;
    check_args(keyed, "text:\"x\"", "tid:9");
    let counter = r#"{"ph":"C","id":5,"pid":1,"tid":9,"ts":1,"scope":"s","args":{"x":1}}"#;
    check_args(counter, "x:1", "scope:\"s\"");
    let json = format!("[{begin}]");
    let Event::Begin(begin) = common::events(json.as_bytes())[0] else { panic!() };
    assert_eq!(begin.args.field(b"cname").map(brief_value).as_deref(), Some("\"good\""));
    assert_eq!(begin.args.field(b"ts"), None);
    assert_eq!(json_args_text(&begin.args), Some(&br#"{"a":{"tts":3}}"#[..]));
}

/// Else each span would take the memory of two whole events.
#[test]
fn of_an_async_event_without_arguments_only_the_thread_is_kept() {
    for tid in ["9", "-1.5", "\"io\"", "\"i\\u006f\"", "[1,2]", "null"] {
        let kept = |event: &str| {
            let json = format!("[{event}]");
            let Event::Async(_, event) = common::events(json.as_bytes()).swap_remove(0) else { panic!() };
            let fields: Vec<_> =
                event.args.fields().map(|(key, value)| (text(key), brief_value(value))).collect();
            assert_eq!((event.args.iter().count(), event.args.is_none()), (0, false));
            (event.args.bytes().len(), fields)
        };
        let (n_bytes, fields) = kept(&format!(r#"{{"ph":"b","id":5,"pid":1,"tid":{tid} ,"ts":1}}"#));
        assert_eq!(n_bytes, tid.len() + 1);
        let (_, whole) = kept(&format!(r#"{{"ph":"b","id":5,"pid":1,"tid":{tid} ,"ts":1,"other":2}}"#));
        assert_eq!(fields[..], whole[..1]);
    }
}

#[test]
fn the_text_of_arguments() {
    assert_eq!(json_args_text(&json_args(b"{\"a\": 1}")), Some(&b"{\"a\": 1}"[..]));
    assert_eq!(json_args_text(&Args::text(b"plain")), None);
    assert_eq!(json_args_text(&Args::NONE), None);
    let json =
        br#"[{"ph":"B","pid":1,"tid":1,"ts":1,"args":{ }},{"ph":"B","pid":1,"tid":1,"ts":1,"args":{}}]"#;
    for event in common::events(json) {
        let Event::Begin(begin) = event else { panic!() };
        assert!(begin.args.is_none());
    }
}

#[test]
fn damaged_arguments_end_where_the_damage_is() {
    assert_eq!(brief_args(json_args(br#"{"a":1,"b" 2,"c":3}"#)), "a:1");
    assert_eq!(brief_args(json_args(br#"{"a":[1,}],"b":2"#)), "");
}

#[test]
fn deep_nesting_needs_no_stack() {
    let nested = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let event = format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":1,"args":{{"a":{nested}}}}}"#);
    check(&event, &["B  1/1 1000"]);
}
