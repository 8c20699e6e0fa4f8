//! Traces that are served while a program writes them.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{Folder, serve::Served};

/// A slice of a thread, and of an async track.
const SLICE: &str = r#"{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":2.5}"#;
const SPAN: &str = r#"{"ph":"b","name":"job","cat":"c","id":1,"pid":1,"tid":1,"ts":1},{"ph":"e","name":"job","cat":"c","id":1,"pid":1,"tid":1,"ts":4}"#;

/// Opens the trace that is followed on a page, and returns the state that it begins with.
fn open(served: &Served, page: &str) -> u64 {
    let wanted = json!({ "files": [0], "offsets": [null], "value": null });
    assert_eq!(served.ask(page, "open", &wanted).0, 0);
    let (_, about) = served.ask(page, "ask", &json!("about"));
    about["growth"]["state"].as_u64().unwrap_or_else(|| panic!("it grows: {about}"))
}

/// Asks for news until they are as wanted.
fn news(served: &Served, page: &str, state: u64, wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let (kind, news) = served.ask(page, "ask", &json!({ "news": state }));
        assert_eq!(kind, 0);
        if wanted(&news) {
            return news;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{news}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of slices that news tell of.
fn slices(news: &Value) -> u64 {
    let counts = news["counts"].as_array().map_or(&[][..], Vec::as_slice);
    counts.iter().find(|count| count[0] == "slice").map_or(0, |count| count[1].as_u64().unwrap_or(0))
}

/// Finishes a trace that has ended. Returns what there is of each kind, and the place.
fn finish(served: &Served, page: &str) -> (Value, Value) {
    let (kind, finished) = served.ask(page, "finish", &json!(null));
    assert_eq!(kind, 0, "{finished}");
    assert_eq!(finished["about"]["growth"], Value::Null);
    (finished["about"].clone(), finished["place"].clone())
}

#[test]
fn pages_show_a_file_that_grows_until_it_is_cut() {
    let folder = Folder::new("follow").with("run.json", format!("[{SLICE}"));
    let served = Served::new(&folder, &["serve", "--follow", "run.json", "--hide", "io"]);
    let started: Value = serde_json::from_str(&served.get("/@/started").1).unwrap();
    assert_eq!(started["files"], json!([{ "name": "run.json", "size": 0, "number": 0 }]));
    let first = open(&served, "one");
    assert_eq!(served.ask("one", "ask", &json!({ "news": first })).1, Value::Null, "nothing has come");
    assert_eq!(served.ask("one", "finish", &json!(null)).1["message"], json!("the trace still grows"));

    let mut file = OpenOptions::new().append(true).open(folder.0.join("run.json")).unwrap();
    write!(file, ",{SLICE},{SPAN},{}", &SLICE[..20]).unwrap();
    let began = Instant::now();
    let grown = news(&served, "one", first, |news| slices(news) == 2);
    assert!(began.elapsed() < Duration::from_millis(300), "{:?}", began.elapsed());
    assert_eq!(grown["growth"]["ended"], json!(false));
    // Another page reads it from its start on. It may change what it shows, and asks what takes long.
    open(&served, "two");
    assert_eq!(
        served.ask("two", "ask", &json!({ "apply": [{ "view": { "start": 1, "end": 9 } }, null] })).0,
        0
    );
    assert_eq!(served.ask("two", "ask", &json!({ "find": "work" })).1["slices"], json!(2));
    write!(file, "{}", &SLICE[20..]).unwrap();
    for page in ["one", "two"] {
        news(&served, page, first, |news| slices(news) == 3);
    }
    assert_eq!(news(&served, "two", first, |_| true)["found"]["slices"], json!(3));

    // What was read stays.
    fs::write(folder.0.join("run.json"), "[").unwrap();
    let ended = news(&served, "two", first, |news| news["growth"]["ended"] == true);
    let fault = ended["fault"].as_str().unwrap();
    assert!(
        fault.starts_with("run.json was cut: ") && fault.ends_with(" bytes were read, and 1 are left"),
        "{fault}"
    );
    let (about, place) = finish(&served, "two");
    assert_eq!(about["notes"][0]["text"], json!(fault));
    assert!(about["counts"].as_array().unwrap().contains(&json!(["slice", 4])), "{about}");
    assert_eq!(place["view"], json!({ "start": 1, "end": 9 }));
    // It is finished once.
    assert_eq!(finish(&served, "two").0["notes"], about["notes"]);
    assert_eq!(served.ask("two", "ask", &json!({ "news": 0 })).1, Value::Null);
}

#[test]
fn pages_share_what_comes_from_a_pipe() {
    let folder = Folder::new("follow_pipe");
    let mut served = Served::with(folder.command(&["serve", "--follow", "-"]).stdin(Stdio::piped()));
    let mut pipe = served.program.stdin.take().unwrap();
    let first = open(&served, "one");
    write!(pipe, "[{SLICE},{SPAN}").unwrap();
    news(&served, "one", first, |news| slices(news) == 1);
    let second = open(&served, "two");
    write!(pipe, ",{SLICE}]").unwrap();
    drop(pipe);
    for (page, state) in [("one", first), ("two", second)] {
        let ended = news(&served, page, state, |news| news["growth"]["ended"] == true);
        assert_eq!((slices(&ended), &ended["fault"]), (2, &Value::Null));
        let (about, _) = finish(&served, page);
        assert!(about["counts"].as_array().unwrap().contains(&json!(["slice", 3])), "{about}");
    }
    // A page that comes later gets all of it, too.
    open(&served, "three");
    assert_eq!(served.ask("one", "compare", &json!({ "files": [0], "offsets": [null] })).0, 0);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_has_an_end() {
    let folder = Folder::new("follow_named");
    assert!(std::process::Command::new("mkfifo").arg(folder.0.join("pipe")).status().unwrap().success());
    let served = Served::new(&folder, &["serve", "--follow", "pipe"]);
    let state = open(&served, "one");
    // It is opened to write only when somebody reads it.
    fs::write(folder.0.join("pipe"), format!("[{SLICE}]")).unwrap();
    assert_eq!(slices(&news(&served, "one", state, |news| news["growth"]["ended"] == true)), 1);
}

#[test]
fn what_cannot_be_followed_is_said() {
    let folder = Folder::new("follow_not").with("a.json", "[").with("b.json", "[");
    folder.fails(
        &["serve", "--follow", "a.json", "b.json"],
        "these are several files, and only one can be followed. Name one of them.",
    );
    folder.fails(
        &["open", "--follow", "none.json"],
        "none.json: there is no such file. Check the name and the folder.",
    );
}
