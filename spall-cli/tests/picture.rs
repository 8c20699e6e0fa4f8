//! Pictures of `testdata/small/kinds.json`, which has a little of everything.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test code outside of test functions")]

use std::path::{Path, PathBuf};

use spall_cli::picture::{self, Scene};
use spall_trace::model::TraceView;

fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata").join(path)
}

/// What [`picture::svg`] is.
type Draw = fn(&Scene<'_>, &str, &str, &[String]) -> String;

fn draw(data: &[u8], draw: Draw) -> String {
    let trace = spall_trace::load(data).unwrap();
    let scene = Scene::new(&trace);
    draw(&scene, "kinds.json", &picture::about(&scene, "trace-event-json"), &picture::notes(&scene))
}

fn draw_kinds(how: Draw) -> String {
    draw(&std::fs::read(testdata("small/kinds.json")).unwrap(), how)
}

/// Compares with a file of `testdata/golden`; `UPDATE_GOLDEN=1` writes it.
fn check_golden(name: &str, actual: &str) {
    let path = testdata("golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    if let Some((number, (actual, expected))) =
        (1..).zip(actual.lines().zip(expected.lines())).find(|(_, (actual, expected))| actual != expected)
    {
        panic!("{name}:{number} is\n{actual}\nand should be\n{expected}");
    }
    assert_eq!(actual.len(), expected.len(), "{name} has another length");
}

#[test]
fn the_svg_is_the_golden_one() {
    check_golden("kinds.svg", &draw_kinds(picture::svg));
}

/// \[layout 9.2\]
#[test]
fn the_mark_of_an_instant_is_over_no_slice() {
    let svg = draw_kinds(picture::svg);
    // Where each path with this class begins, from the top.
    let tops = |class: &str| {
        let paths = svg
            .split("<path class=\"")
            .skip(1)
            .filter(|path| path.starts_with(class) && !path.contains(" area"));
        let top = |path: &str| {
            path.split_once(" d=\"M")?.1.split(' ').nth(1)?.split(['h', 'l']).next()?.parse().ok()
        };
        paths.map(|path| top(path).unwrap()).collect::<Vec<u32>>()
    };
    let (marks, slices) = (tops("i\""), tops("c"));
    assert_eq!(marks.len(), 3);
    assert!(slices.len() > 10);
    // A mark is 7 pixels high, a slice 16.
    let is_over = |mark: u32| slices.iter().any(|&slice| mark < slice + 16 && slice < mark + 7);
    assert!(!marks.into_iter().any(is_over));
}

#[test]
fn a_slice_has_the_colour_that_the_file_asks_for() {
    let slice = |cname: &str| {
        format!(r#"[{{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":9,"cname":"{cname}"}}]"#)
    };
    let asked = "style=\"fill:#7ec894\"";
    assert!(draw(slice("thread_state_running").as_bytes(), picture::svg).contains(asked));
    assert!(!draw(slice("no colour").as_bytes(), picture::svg).contains("style=\"fill"));
}

#[test]
fn hostile_names_open_no_element_and_leave_no_control_characters() {
    let svg = draw_kinds(picture::svg);
    assert_eq!(svg.matches("</svg>").count(), 1);
    assert!(!svg.contains("<script") && !svg.contains("<!--"));
    assert!(svg.contains("&lt;/text&gt;&lt;/svg&gt;") && svg.contains("draw␀␛[31m\u{fffd}"));
    assert!(svg.chars().all(|character| character == '\n' || !character.is_control()));
}

#[test]
fn a_trace_with_nothing_in_it_is_drawn() {
    assert!(draw(b"[]", picture::svg).contains("</svg>"));
}

#[test]
fn times_at_the_ends_of_the_range_are_drawn() {
    let json = br#"[{"ph":"X","pid":1,"tid":1,"ts":-9e15,"dur":1e30,"name":"long"},
                    {"ph":"i","pid":1,"tid":1,"ts":9e30,"name":"late","s":"t"}]"#;
    assert!(draw(json, picture::svg).contains("long"));
    let json = br#"[{"ph":"X","pid":1,"tid":1,"ts":9e30,"dur":0,"name":"late"}]"#;
    assert!(draw(json, picture::svg).contains("</svg>"));
}

#[test]
fn what_lies_outside_the_picture_is_counted() {
    let json = br#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"first"},
                    {"ph":"X","pid":1,"tid":1,"ts":9e30,"dur":0,"name":"at the end of time"}]"#;
    assert!(draw(json, picture::svg).contains("not drawn in all: 1 slice<"));
}

#[test]
fn a_picture_of_a_deep_stack_is_not_endless() {
    let begin = |ts| format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":{ts},"name":"deeper"}}"#);
    let json = format!("[{}]", (0..4000).map(begin).collect::<Vec<_>>().join(","));
    let svg = draw(json.as_bytes(), picture::svg);
    assert!(svg.contains("not drawn in all: 1\u{202f}000 slices<"));
}

#[test]
fn the_bundled_trace_has_no_faults() {
    let data = std::fs::read(testdata("../spall-page/page/record.spall")).unwrap();
    let trace = spall_trace::load(&data).unwrap();
    let found: Vec<_> = trace.diagnostics().counts().iter().map(|found| found.kind.name()).collect();
    assert_eq!(found, ["unfinished-slice"], "the recording stops inside `main`");
    assert!(trace.slices().len() > 1000);
}

/// \[layout 17.5\]
#[test]
fn many_spans_at_one_time_are_one_lane_of_a_few_lines() {
    let span = |id: usize| {
        format!(
            r#"{{"ph":"b","cat":"net","name":"request","id":{id},"pid":1,"ts":{id}}},
            {{"ph":"e","cat":"net","name":"request","id":{id},"pid":1,"ts":9000}}"#
        )
    };
    let events: Vec<_> = (0..3000).map(span).collect();
    let svg = draw(format!("[{}]", events.join(",")).as_bytes(), picture::svg);
    let height: u32 =
        svg.split_once("viewBox=\"0 0 1590 ").unwrap().1.split('"').next().unwrap().parse().unwrap();
    assert!(height < 1100, "{height}");
    assert_eq!(svg.matches("<title>request</title>").count(), 1);
    for text in
        ["net, 3\u{202f}000 spans", "50 of 3\u{202f}000 lines", "not drawn in all: 2\u{202f}950 slices"]
    {
        assert!(svg.contains(text), "{text}");
    }
}
