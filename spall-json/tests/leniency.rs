//! Files that are not quite JSON, or not quite traces, are read all the same: one test for each row of \[json 2\].

use crate::common;
use crate::common::brief;
use spall_json::JsonErrorKind;
use spall_model::{Clock, Event};

const A: &str = r#"{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2}"#;
const B: &str = r#"{"name":"b","ph":"X","pid":1,"tid":1,"ts":5,"dur":2}"#;
const READ_A: &str = "X a 1/1 1000+2000";
const READ_B: &str = "X b 1/1 5000+2000";

/// Checks the events of `json`, and that they are the same in pieces of any size and without prediction.
fn check(json: impl AsRef<[u8]>, expected: &[&str]) {
    let json = json.as_ref();
    assert_eq!(brief(json), expected, "{}", String::from_utf8_lossy(json));
    common::assert_prediction_changes_nothing(json, "prediction");
    let whole = common::collect(json);
    for size in [1, 2, 5, 16, 61] {
        common::assert_same(&whole, &common::collect_chunked(json, size), &format!("chunks of {size}"));
    }
}

/// Checks the event that has `field` besides its usual fields.
fn check_field(field: &str, expected: &[&str]) {
    check(format!(r#"[{{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":2,{field}}}]"#), expected);
}

/// The error of a document in which nothing is of a trace.
const NO_TRACE: &str = "error: input is json, but neither trace events nor a cpu profile (at byte 0x0)";

#[test]
fn array_without_closing_bracket() {
    check(format!("[{A},{B}"), &[READ_A, READ_B, "! unclosed-list 106..106"]);
}

#[test]
fn comma_then_end_of_file() {
    check(format!("[{A},\n"), &[READ_A, "! unclosed-list 55..55"]);
}

#[test]
fn one_comma_before_the_bracket() {
    check(format!("[{A},]"), &[READ_A]);
}

#[test]
fn any_number_of_commas() {
    check(
        format!("[,{A},,,{B},,]"),
        &["! extra-separator 2..3", READ_A, "! extra-separator 57..58", READ_B, "! extra-separator 111..112"],
    );
}

#[test]
fn no_commas() {
    check(
        format!("[{A}\n{B}{A}]"),
        &[READ_A, "! missing-separator 54..55", READ_B, "! missing-separator 106..107", READ_A],
    );
}

#[test]
fn array_cut_inside_an_event() {
    check(format!("[{A},{}", &B[..20]), &[READ_A, "! truncated 54..74", "! unclosed-list 74..74"]);
}

#[test]
fn object_without_closing_brace() {
    check(format!(r#"{{"traceEvents":[{A}]"#), &[READ_A, "! unclosed-list 69..69"]);
    check(format!(r#"{{"traceEvents":[{A}"#), &[READ_A, "! unclosed-list 68..68"]);
    check(format!(r#"{{"traceEvents":[{A}}}"#), &[READ_A, "! unclosed-list 68..68"]);
    check(
        format!(r#"{{"traceEvents":[{A}],"a":"#),
        &[READ_A, "! truncated 70..74", "! unclosed-list 74..74"],
    );
}

#[test]
fn single_object() {
    check(A, &["! bare-events 0..0", READ_A]);
}

#[test]
fn objects_without_an_array() {
    check(format!("{A}\n{B}\n"), &["! bare-events 0..0", READ_A, READ_B]);
    check(format!("{A},{B},"), &["! bare-events 0..0", READ_A, READ_B]);
}

#[test]
fn object_with_neither_events_nor_phase() {
    check(r#"{"nodes":[1],"x":"y"}"#, &["meta nodes = [1]", "meta x = \"y\"", NO_TRACE]);
}

#[test]
fn arrays_without_events() {
    check("[1]", &["! not-an-event 1..2", NO_TRACE]);
    check(r#"[1,{"ph":"?"}]"#, &["! not-an-event 1..2", "! unknown-event 3..13"]);
}

#[test]
fn empty_documents() {
    check("[]", &[]);
    check("{}", &[NO_TRACE]);
    check("[", &["! unclosed-list 1..1"]);
    check("{", &["! unclosed-list 1..1", NO_TRACE]);
    check("", &[]);
    check(" \n", &[]);
    check(r#"{"traceEvents":[]}"#, &[]);
}

#[test]
fn byte_order_mark() {
    check(format!("\u{feff}[{A}]"), &[READ_A]);
    check("\u{feff}", &[]);
}

#[test]
fn compressed_input() {
    for magic in [&b"\x1f\x8b\x08\x00"[..], b"PK\x03\x04", b"\x28\xb5\x2f\xfd"] {
        let error = common::collect(magic).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (JsonErrorKind::Compressed, 0));
        assert_eq!(common::collect_chunked(magic, 1).unwrap_err(), error);
    }
}

#[test]
fn input_that_is_no_json() {
    let error = common::collect(b"\n  hello").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::NotJson, 3));
    assert_eq!(common::collect_chunked(b"\n  hello", 1).unwrap_err(), error);
}

#[test]
fn trailing_data() {
    check(format!("[{A}]\ngarbage [{B}]"), &[READ_A, "! trailing-data 55..56"]);
    check(format!("[{A}]]"), &[READ_A, "! trailing-data 54..55"]);
}

#[test]
fn empty_objects_among_events() {
    check(format!("[{{}},{A},{{ }}]"), &[READ_A]);
}

#[test]
fn elements_that_are_no_objects() {
    check(
        format!(r#"[null,5,"x{{",[1,[{{}}]],{A},-1.5e3]"#),
        &[
            "! not-an-event 1..5",
            "! not-an-event 6..7",
            "! not-an-event 8..12",
            "! not-an-event 13..21",
            READ_A,
            "! not-an-event 75..81",
        ],
    );
}

#[test]
fn not_a_number_and_infinity_in_arguments() {
    check_field(r#""args":{"v":NaN,"w":-Infinity}"#, &[READ_A]);
}

#[test]
fn bad_durations_are_absent() {
    for bad in ["\"x\"", "NaN", "Infinity", "true", "{}", "\"1 2\""] {
        let json = format!(r#"[{{"name":"a","ph":"X","pid":1,"tid":1,"ts":1,"dur":{bad}}},{B}]"#);
        let note = format!("! bad-duration 51..{}", 51 + bad.len());
        check(json, &[&note, "X a 1/1 1000+?", READ_B]);
    }
    check_field(r#""tts":"x","tdur":null"#, &["! bad-thread-time 59..62", READ_A]);
    check_field(r#""tts":1.5,"tdur":NaN"#, &["! bad-thread-time 70..73", READ_A]);
}

#[test]
fn a_missing_duration_is_that_of_the_thread_clock() {
    let event = |fields: &str| format!(r#"[{{"ph":"X","pid":1,"tid":1,"ts":1{fields}}}]"#);
    check(event(r#","tdur":3"#), &["! duration-from-thread-clock 1..43", "X  1/1 1000+3000"]);
    check(event(r#","tdur":0"#), &["X  1/1 1000+?"]);
    check(event(r#","dur":null"#), &["X  1/1 1000+?"]);
    check(event(r#","dur":0,"tdur":3"#), &["X  1/1 1000+0"]);
}

#[test]
fn bad_time() {
    for bad in ["\"100a\"", "NaN", "[1]", "false"] {
        let json = format!(r#"[{{"ph":"B","pid":1,"tid":1,"ts":{bad}}},{B}]"#);
        check(json, &[&format!("! bad-time 32..{}", 32 + bad.len()), READ_B]);
    }
}

#[test]
fn missing_time() {
    for phase in ["B", "E", "X", "i", "C", "b", "s", "N", "P"] {
        let json = format!(r#"[{{"ph":"{phase}","pid":1,"id":1}},{{"ph":"{phase}","ts":null}}]"#);
        check(json, &["! missing-time 1..26", "! missing-time 27..47"]);
    }
}

#[test]
fn times_as_strings() {
    check(r#"[{"ph":"X","pid":1,"tid":1,"ts":"100.5","dur":" 1e1 "}]"#, &["X  1/1 100500+10000"]);
}

#[test]
fn spellings_of_numbers() {
    let event = |ts: &str| format!(r#"[{{"ph":"B","pid":1,"tid":1,"ts":{ts}}}]"#);
    check(event("1e3"), &["B  1/1 1000000"]);
    check(event("007"), &["B  1/1 7000"]);
    check(event("+7"), &["B  1/1 7000"]);
    check(event(".5"), &["B  1/1 500"]);
    check(event("-2.5"), &["B  1/1 -2500"]);
}

#[test]
fn times_out_of_range() {
    let json =
        r#"[{"ph":"B","pid":1,"tid":1,"ts":9999999999999999},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":-1e30}]"#;
    check(
        json,
        &[
            "! time-out-of-range 32..48",
            "B  1/1 9223372036854775807",
            "! time-out-of-range 50..95",
            "X  1/1 1000+-9223372036854775808",
        ],
    );
    // Time and duration are within 64 bits, and the end is not. Events of the shape of the one before take a shorter way.
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":9000000000000000,"dur":1000000000000000}"#;
    check(
        format!("[{event},{event},{event}]"),
        &[
            "! time-out-of-range 1..72",
            "X  1/1 9000000000000000000+223372036854775807",
            "! time-out-of-range 73..144",
            "X  1/1 9000000000000000000+223372036854775807",
            "! time-out-of-range 145..216",
            "X  1/1 9000000000000000000+223372036854775807",
        ],
    );
    // Both ends are within 64 bits, and the duration between them is not.
    check(
        r#"[{"ph":"X","pid":1,"tid":1,"ts":-9000000000000000,"dur":18000000000000000}]"#,
        &["! time-out-of-range 1..74", "X  1/1 -9000000000000000000+9223372036854775807"],
    );
}

#[test]
fn raw_control_characters_in_strings() {
    check(format!("[{}]", A.replace("\"a\"", "\"a\n\tb\"")), &["X a\n\tb 1/1 1000+2000"]);
}

#[test]
fn bad_escapes() {
    check(format!("[{}]", A.replace("\"a\"", r#""C:\path""#)), &[r"X C:\path 1/1 1000+2000"]);
}

#[test]
fn surrogates() {
    check(format!("[{}]", A.replace("\"a\"", r#""\ud83d\ude00\ud83d""#)), &["X 😀\u{fffd} 1/1 1000+2000"]);
}

#[test]
fn escaped_keys_and_phases() {
    check(r#"[{"n\u0061me":"a","p\u0068":"\u0042","pid":1,"tid":1,"t\u0073":1}]"#, &["B a 1/1 1000"]);
    check(format!(r#"{{"\u0074raceEvents":[{A}]}}"#), &[READ_A]);
}

#[test]
fn invalid_utf8() {
    let json = format!("[{A}]").replace("\"a\"", "\"?\"").into_bytes();
    let json: Vec<u8> = json.into_iter().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    check(json, &["X \u{fffd} 1/1 1000+2000"]);
}

#[test]
fn duplicate_keys() {
    check_field(r#""name":"b","ts":"x","ts":3"#, &["X b 1/1 3000+2000"]);
    let args =
        r#"[{"ph":"M","name":"process_name","pid":1,"args":{"name":"a","name":"b"},"args":{"name":"c"}}]"#;
    check(args, &["process 1 is c"]);
}

#[test]
fn comments_between_events() {
    check(
        format!("[ // {{\n{A}, /* [{{ */ {B} //]\n]"),
        &["! junk 2..6", READ_A, "! junk 61..69", READ_B, "! junk 123..126"],
    );
}

#[test]
fn junk_between_events() {
    check(format!("[{A}, oops; null {B}]"), &[READ_A, "! junk 55..65", READ_B]);
}

#[test]
fn line_ends_and_blanks() {
    check(format!("\r\n \t[\r\n{A}\r\n,\r\n{B}\r\n]\r\n"), &[READ_A, READ_B]);
}

#[test]
fn numeric_ids() {
    let event = |pid: &str, tid: &str| format!(r#"[{{"ph":"B","pid":{pid},"tid":{tid},"ts":0}}]"#);
    check(event("1.0", "2e0"), &["B  1/2 0"]);
    check(event("4294967296", "-5"), &["B  4294967296/-5 0"]);
    check(event("1", "0"), &["B  1/0 0"]);
    check(event("0", "1"), &["B  0/1 0"]);
    check(event("18446744073709551615", "1.5"), &["B  \"18446744073709551615\"/\"1.5\" 0"]);
}

#[test]
fn missing_ids() {
    let event = |fields: &str| format!(r#"[{{{fields}"ph":"B","ts":0}}]"#);
    check(event(r#""pid":7,"#), &["! missing-thread 1..26", "B  7/7 0"]);
    check(event(r#""pid":7,"tid":null,"#), &["! missing-thread 1..37", "B  7/7 0"]);
    check(event(r#""tid":7,"#), &["B  0/7 0"]);
    check(event(""), &["! missing-thread 1..18", "B  0/0 0"]);
    check(
        event(r#""pid":true,"tid":[],"#),
        &["! bad-field 8..12", "! bad-field 19..21", "! missing-thread 1..38", "B  0/0 0"],
    );
    // What does not stand on a thread needs none.
    check(
        r#"[{"ph":"C","pid":1,"ts":0},{"ph":"i","s":"p","pid":1,"ts":0}]"#,
        &["C  1 0", "i  1/1 0 Process"],
    );
}

#[test]
fn textual_ids() {
    let event = |pid: &str, tid: &str| format!(r#"[{{"ph":"B","pid":{pid},"tid":{tid},"ts":0}}]"#);
    check(event(r#""7""#, r#"" 8.0 ""#), &["B  7/8 0"]);
    check(event(r#""app""#, r#""io\n""#), &["B  \"app\"/\"io\\n\" 0"]);
}

#[test]
fn odd_names() {
    check(format!("[{}]", A.replace("\"a\"", "42.5")), &["X 42.5 1/1 1000+2000"]);
    check(format!("[{}]", A.replace("\"a\"", "null")), &["X  1/1 1000+2000"]);
    check(format!("[{}]", A.replace("\"a\"", "[]")), &["! bad-field 9..11", "X  1/1 1000+2000"]);
}

#[test]
fn only_the_first_character_of_the_phase_counts() {
    check(format!("[{}]", A.replace("\"X\"", "\"Xyz\"")), &[READ_A]);
}

#[test]
fn missing_and_unknown_phases() {
    let unknown = A.replace("\"X\"", "\"Q\"");
    let number = A.replace("\"X\"", "5");
    let empty = A.replace("\"X\"", "\"\"");
    check(
        format!("[{unknown},{number},{empty},{{\"name\":\"a\"}},{B}]"),
        &[
            "! unknown-event 1..53",
            "! missing-kind 54..104",
            "! unknown-event 105..156",
            "! missing-kind 157..169",
            READ_B,
        ],
    );
}

#[test]
fn keys_after_the_events() {
    check(
        format!(r#"{{"otherData":{{"b":["[","{{"]}},"traceEvents":[{A}],"displayTimeUnit":"ms","n":1.5}}"#),
        &[r#"meta otherData = {b:["[","{"]}"#, READ_A, r#"meta displayTimeUnit = "ms""#, "meta n = 1.5"],
    );
}

#[test]
fn two_lists_of_events() {
    check(format!(r#"{{"traceEvents":[{A}],"traceEvents":[{B}]}}"#), &[READ_A, READ_B]);
}

#[test]
fn events_that_are_no_list() {
    check(r#"{"traceEvents":{"a":1},"b":2}"#, &["! bad-field 15..22", "meta b = 2"]);
}

#[test]
fn keys_that_tell_the_clock() {
    check(
        r#"{"traceEvents":[],"beginningOfTime":1700000000000000}"#,
        &["clock Some(1700000000000000000)", "meta beginningOfTime = 1700000000000000"],
    );
    check(
        r#"{"baseTimeNanoseconds":1712345678000000000,"traceEvents":[]}"#,
        &["clock Some(1712345678000000000)", "meta baseTimeNanoseconds = 1712345678000000000"],
    );
    // Each key leaves what the other said.
    let json = br#"{"baseTimeNanoseconds":3,"traceEvents":[],"baseMonotonicNanoseconds":-5}"#;
    let clock = Clock::NANOSECONDS.with_epoch_ns(Some(3)).with_monotonic_ns(Some(-5));
    assert!(common::events(json).contains(&Event::Clock(clock)));
    check(r#"{"traceEvents":[],"beginningOfTime":"soon"}"#, &["meta beginningOfTime = \"soon\""]);
}

#[test]
fn damage_costs_one_event() {
    for damaged in [
        r#"{"name":"x","ph" "X","pid":1}"#,
        r#"{"name":"x","ph":,"pid":1}"#,
        r#"{"name":"x,"ph":"X","pid":1}"#,
        r#"{"name":"x","ph":"X","args":{"a":[1}}"#,
        r#"{"name":"x","ph":"X","args":{"a":"b},"ts":1}"#,
        r#"{"name":"x","ph":"X",ts:1}"#,
        r#"{"name":"x","ph":"X","ts":1,5}"#,
    ] {
        let end = 54 + damaged.len();
        let json = format!("[{A},{damaged},{B}]");
        let events = brief(json.as_bytes());
        assert_eq!(events.first().unwrap(), READ_A, "{json}");
        assert_eq!(events.last().unwrap(), READ_B, "{json}: {events:?}");
        assert_eq!(events.len(), 3, "{json}: {events:?}");
        assert!(
            [end, end + 1].map(|end| format!("! damaged-event 54..{end}")).contains(&events[1]),
            "{events:?}"
        );
        check(json, &events.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn damage_in_the_last_event_loses_no_key() {
    check(
        format!(r#"{{"traceEvents":[{A},{{"name":}}],"b":2}}"#),
        &[READ_A, "! damaged-event 69..78", "meta b = 2"],
    );
}

#[test]
fn an_event_without_its_brace_costs_no_other() {
    check(format!("[{},{B}]", &A[..A.len() - 1]), &["! damaged-event 1..53", READ_B]);
}

#[test]
fn damage_before_a_nested_list_does_not_end_the_document() {
    let json = format!(r#"[{{"a" 1,"args":{{"l":[{{"x":1}},{{"y":1}}]}}}},{A}]"#);
    let events = brief(json.as_bytes());
    assert_eq!(events.last().unwrap(), READ_A, "{events:?}");
    check(json, &events.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn damage_between_keys() {
    check(
        format!(r#"{{"a" 1,"b":,"c":2,"traceEvents":[{A}]}}"#),
        &["! junk 1..6", "! junk 7..11", "meta c = 2", READ_A],
    );
}

/// As uftrace writes its command line.
#[test]
fn damage_before_the_events_ends_at_their_key() {
    for head in [
        r#"{"metadata":{"command":"python -c 'print("hello")' "},"#,
        r#"{"devices":[{"name":"GPU "X" 24GB"}],"#,
        r#"{"a":"say "hi there","x":1,"#,
        r#"{"a":"say "},"#,
        r#"{"a":{"b":[1,},"#,
        r#"{"a":}}]],"#,
        r#"{"a" 1,"traceEvents":5,"#,
    ] {
        let list = format!(r#""traceEvents" : [{A}],"b":2}}"#);
        let json = format!("{head}{list}");
        let events = brief(json.as_bytes());
        let is_report = |event: &String| event.starts_with('!');
        assert!(events.iter().any(is_report), "{events:?}");
        let rest: Vec<_> = events.iter().filter(|event| !is_report(event)).collect();
        assert!(
            matches!(rest[..], [.., event, last] if event == READ_A && last == "meta b = 2"),
            "{json}: {events:?}"
        );
        check(json, &events.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // What is skipped is reported in one piece.
    check(
        format!(r#"{{"c":"say "hi","traceEvents":[{A}]}}"#),
        &["meta c = \"say \"", "! junk 11..15", READ_A],
    );
}

#[test]
fn a_damaged_document_without_events_is_no_trace() {
    let damaged = r#"{"a":"say "hi","b":1}"#;
    assert!(brief(damaged.as_bytes()).contains(&NO_TRACE.to_owned()));
    check(damaged, &brief(damaged.as_bytes()).iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn comments_before_the_document() {
    check(format!("// by a\n/* [ */ [{A}]"), &["! junk 0..7", "! junk 8..15", READ_A]);
    check(format!("\u{feff}// by a\n{{\"traceEvents\":[{A}]}}"), &["! junk 3..10", READ_A]);
    check(format!("// by a\n{A}"), &["! junk 0..7", "! bare-events 8..8", READ_A]);
    check("// by a", &["! junk 0..7"]);
    check("/* by a", &["! junk 0..7"]);
}
