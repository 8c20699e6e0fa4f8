//! An event that is written like those before it is read on the fast path. It has the same meaning there, whatever its
//! fields hold.

const PHASES: [&str; 15] = ["B", "E", "X", "i", "C", "b", "e", "s", "f", "M", "O", "P", "T", "?", ""];

const FIELDS: [&str; 19] = [
    "name", "cat", "ph", "ts", "dur", "pid", "tid", "args", "id", "id2", "tts", "tdur", "s", "scope", "bp",
    "bind_id", "flow_in", "flow_out", "other",
];

const VALUES: [&str; 22] = [
    "0",
    "7",
    "-7",
    "1.5",
    "0.1234567",
    "9999999999999999",
    "12345678901234567890",
    "1e3",
    r#""a""#,
    r#""""#,
    r#""a\n""#,
    r#"" 5 ""#,
    r#""CpuProfile""#,
    "null",
    "true",
    "word",
    "{}",
    "{ }",
    r#"{"a":1}"#,
    r#"{"local":"0x1"}"#,
    "[1]",
    "[]",
];

#[test]
fn prediction_changes_nothing_whatever_a_field_holds() {
    for phase in PHASES {
        for field in FIELDS {
            for value in VALUES {
                let event = format!(
                    r#"{{"name":"a","pid":1,"tid":2,"ts":3,"dur":4,"args":{{"k":5}},"ph":"{phase}","{field}":{value}}}"#
                );
                // The first is learned, the others are predicted.
                let json = format!("[{event},{event},{event}]");
                crate::common::assert_prediction_changes_nothing(json.as_bytes(), &json);
            }
        }
    }
}

#[test]
fn cpu_1a_a_profile_behind_events_of_the_same_shape_is_found() {
    let event = |name: &str, args: &str| {
        format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":2,"ts":3,"dur":4,"args":{args}}}"#)
    };
    let (plain, profile) = (event("a", r#"{"k":5}"#), r#"{"nodes":[{"id":1,"callFrame":{}}],"samples":[1]}"#);
    let profile = event("CpuProfile", &format!(r#"{{"data":{{"cpuProfile":{profile}}}}}"#));
    // The last event of a file is not predicted.
    let json = format!("[{plain},{profile},{plain}]");
    crate::common::assert_prediction_changes_nothing(json.as_bytes(), &json);
    let found = crate::common::brief(json.as_bytes());
    assert_eq!(found.iter().filter(|event| event.starts_with("X ")).count(), 2, "{found:?}");
}
