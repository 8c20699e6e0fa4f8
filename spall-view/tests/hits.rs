//! What a search finds, of every kind, in one order, and how it is gone to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::model::{SliceId, Ticks, TraceView};
use spall_view::{
    Action, Command, Element, Engine, Heights, Hit, Item, Mark, Selected, Since, Source, Target, open,
};

/// Things that are called paint in two processes, of every kind but notes.
const TRACE: &str = r#"[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"Painter"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
    {"ph":"M","name":"thread_name","pid":2,"tid":2,"args":{"name":"paint worker"}},
    {"ph":"X","name":"frame","cat":"app","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","name":"paint","cat":"app,ui","pid":1,"tid":1,"ts":40,"dur":20},
    {"ph":"X","name":"blit","cat":"gpu","pid":2,"tid":2,"ts":50,"dur":5,"args":{"of":"paint"}},
    {"ph":"i","name":"repaint","cat":"ui","pid":1,"tid":1,"ts":40,"s":"t"},
    {"ph":"i","name":"key","pid":2,"tid":2,"ts":10,"s":"t","args":{"why":"PAINT"}},
    {"ph":"s","name":"painted","cat":"gpu","id":1,"pid":1,"tid":1,"ts":40},
    {"ph":"f","bp":"e","name":"painted","cat":"gpu","id":1,"pid":2,"tid":2,"ts":52},
    {"ph":"C","name":"paint memory","pid":1,"ts":5,"args":{"value":3}}]"#;

const ALL: [&str; 9] = [
    "process Painter Painter",
    "thread paint worker Painter/paint worker",
    "counter paint memory app/paint memory",
    "instant key Painter/paint worker 10 why: PAINT",
    "slice paint app/main 40 20",
    "instant repaint app/main 40",
    "flow painted app/main 40 12",
    "note why paint? app/main 40 20",
    "slice blit Painter/paint worker 50 5 of: paint",
];

fn at(microseconds: i64) -> Since {
    Since(Ticks(microseconds * 1000))
}

fn engine() -> Engine {
    let source = Source { name: "a.json".into(), read: TRACE.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    let of = Selected { element: Element::Slice(slice(&engine, "paint")), at: at(40), name: "paint".into() };
    let note = Mark { at: at(40), end: Some(at(60)), of: Some(of), text: "why paint?".into() };
    engine.change(|place| place.marks = vec![Mark::default(), note]);
    engine
}

fn slice(engine: &Engine, name: &str) -> SliceId {
    engine.trace().slices().ids().iter().find(|&id| engine.trace().slice_name(id) == name).unwrap()
}

fn find(engine: &mut Engine, pattern: &str) {
    engine.act(Action::Search(pattern.into()));
    while engine.is_finding() {
        engine.step_find();
    }
}

fn said(hit: &Hit) -> String {
    let Hit { what, name, track, start, duration, matched, .. } = hit;
    let micros = |since: &Option<Since>| since.map(|Since(Ticks(ticks))| (ticks / 1000).to_string());
    let parts = [Some((*what).to_owned()), Some(name.clone()), Some(track.clone())].into_iter();
    let parts = parts.chain([micros(start), micros(duration), matched.clone()]);
    parts.flatten().collect::<Vec<_>>().join(" ")
}

fn listed(engine: &Engine) -> Vec<String> {
    let hits = engine.hits(0, usize::MAX);
    assert!(hits.iter().enumerate().all(|(rank, hit)| hit.rank == rank));
    assert_eq!(hits.len(), engine.found().map_or(0, |found| found.total));
    // The list has pages.
    let pages: Vec<Hit> = (0..hits.len().div_ceil(2)).flat_map(|page| engine.hits(2 * page, 2)).collect();
    assert_eq!(pages, hits);
    hits.iter().map(said).collect()
}

fn step(engine: &mut Engine, command: Command) -> String {
    engine.act(Action::Command(command));
    engine.current_hit().map_or_else(String::new, |hit| said(&hit))
}

/// [layout 13.4](spall_trace::layout::rules::layout#13.4)
#[test]
fn a_search_finds_every_kind_of_thing_in_one_order() {
    let mut engine = engine();
    find(&mut engine, "paint");
    let found = engine.found().unwrap();
    let text = "2 slices, 2 instants, 1 flow, 1 track, 1 counter, 1 process, 1 note";
    assert_eq!((found.text.as_str(), found.total), (text, 9));
    assert_eq!(listed(&engine), ALL);
    assert_eq!(engine.hits_overview(at(0), at(100), 2).0, [5, 2], "what has a time, a slice in each column");
}

#[test]
fn each_hit_is_visited_forwards_and_backwards() {
    let mut engine = engine();
    find(&mut engine, "paint");
    for expected in ALL.iter().chain(&ALL[..1]) {
        assert_eq!(step(&mut engine, Command::NextHit), *expected);
    }
    for expected in ALL.iter().rev() {
        assert_eq!(step(&mut engine, Command::PreviousHit), *expected);
    }
    // What a user selects is where it goes on.
    engine.act(Action::Select(Some(Element::Slice(slice(&engine, "paint"))), at(40)));
    assert_eq!(step(&mut engine, Command::NextHit), ALL[5]);
    engine.act(Action::Visit(Target::Note(1)));
    assert_eq!(step(&mut engine, Command::NextHit), ALL[8]);
}

#[test]
fn hits_begin_with_what_is_in_view_when_it_is_found() {
    let mut engine = engine();
    engine.act(Action::Show(at(45), at(70)));
    find(&mut engine, "paint");
    let expected: Vec<_> = ALL[..3].iter().chain(&ALL[8..]).chain(&ALL[3..8]).copied().collect();
    assert_eq!(listed(&engine), expected);
    find(&mut engine, "/^paint$/");
    engine.act(Action::Show(at(0), at(20)));
    assert_eq!(
        step(&mut engine, Command::NextHit),
        ALL[4],
        "without tracks, it is the first from what is in view on"
    );
    find(&mut engine, "nothing");
    assert_eq!((step(&mut engine, Command::NextHit), listed(&engine)), (String::new(), Vec::new()));
}

#[test]
fn a_hit_that_is_out_of_view_is_where_no_step_begins() {
    let mut engine = engine();
    find(&mut engine, "paint");
    engine.act(Action::Visit(Target::Slice(slice(&engine, "blit"))));
    engine.act(Action::Show(at(0), at(20)));
    assert_eq!(step(&mut engine, Command::NextHit), ALL[3]);
    engine.act(Action::Show(at(30), at(45)));
    assert_eq!(step(&mut engine, Command::PreviousHit), ALL[7]);
}

#[test]
fn terms_say_of_what_category_and_on_which_track() {
    let mut engine = engine();
    for (pattern, expected) in [
        ("paint cat:ui", &[ALL[4], ALL[5]][..]),
        ("cat:/^ui$/", &[ALL[4], ALL[5]]),
        ("cat:gpu paint", &[ALL[6], ALL[8]]),
        ("paint cat:gpu dur > 1", &[ALL[8]]),
        ("paint track:painter", &[ALL[0], ALL[1], ALL[3], ALL[6], ALL[8]]),
        ("paint track:\"Painter/paint w\"", &[ALL[1], ALL[3], ALL[6], ALL[8]]),
        ("paint track:main", &[ALL[4], ALL[5], ALL[6], ALL[7]]),
        ("paint track:main cat:ui", &[ALL[4], ALL[5]]),
    ] {
        find(&mut engine, pattern);
        assert_eq!(listed(&engine), expected, "{pattern}");
    }
}

#[test]
fn a_track_is_opened_shown_and_brought_into_view() {
    let mut engine = engine();
    find(&mut engine, "worker");
    let (process, track) = {
        let trace = engine.trace();
        let track = trace.track_ids().find(|&track| trace.track_title(track) == "paint worker").unwrap();
        (Item::Process(trace.track_info(track).unwrap().process.unwrap()), Item::Track(track))
    };
    engine.act(Action::Fold(process));
    engine.act(Action::Hide(track));
    engine.change_view(|view| view.resize(1000, 60));
    let times = engine.view().window().viewport().range();
    assert_eq!(step(&mut engine, Command::NextHit), ALL[1]);
    let view = engine.view();
    let line = view.main().lines().iter().find(|line| line.kind == track.header()).unwrap();
    assert!(view.window().heights().contains(&line.top) && !view.is_folded(process.header()));
    assert_eq!((view.window().viewport().range(), view.place().hidden.len()), (times, 0));
    // It is a step that can be taken back.
    engine.act(Action::Command(Command::Back));
    assert_eq!(engine.view().place().hidden.len(), 1);
    assert!(!engine.view().main().lines().iter().any(|line| line.kind == track.header()));
}

#[test]
fn what_is_gone_to_is_selected_and_in_view() {
    let mut engine = engine();
    let selected = |engine: &Engine| engine.view().place().selected.as_ref().map(|selected| selected.element);
    let shows =
        |engine: &Engine, time| engine.view().window().viewport().range().contains(&engine.tick(time));
    let far = Action::Show(at(90), at(91));
    engine.act(far.clone());
    let key =
        (0..2).find(|&number| engine.trace().instant(number).unwrap().1.at == engine.tick(at(10))).unwrap();
    engine.act(Action::Visit(Target::Instant(key)));
    assert!(selected(&engine) == Some(Element::Instant(key)) && shows(&engine, at(10)));
    engine.act(far.clone());
    engine.act(Action::Visit(Target::Flow(spall_trace::model::FlowId(0))));
    assert!(selected(&engine) == Some(Element::Slice(slice(&engine, "paint"))) && shows(&engine, at(40)));
    engine.act(far);
    engine.change(|place| place.marks[1].of = None);
    engine.act(Action::Visit(Target::Note(1)));
    assert!(shows(&engine, at(40)) && shows(&engine, at(60)));
    engine.act(Action::Visit(Target::Note(0)));
    assert!(shows(&engine, at(0)));
    for gone in [Target::Note(9), Target::Slice(SliceId(99)), Target::Instant(99)] {
        engine.act(Action::Visit(gone));
    }
    assert!(shows(&engine, at(0)));
}

/// Many hits of each kind, some of which are at one time.
#[test]
fn the_order_is_that_of_time_whatever_the_kind() {
    let mut events = Vec::new();
    for n in 0..300_u32 {
        let (ts, tid) = (n * 7919 % 100, n % 3);
        events.push(format!(
            r#"{{"ph":"X","name":"a","pid":1,"tid":{},"ts":{ts},"dur":0}}"#,
            tid + n % 30 * 10
        ));
        events.push(format!(r#"{{"ph":"i","name":"a","pid":1,"tid":{tid},"ts":{},"s":"t"}}"#, ts / 2));
    }
    let data = format!("[{}]", events.join(","));
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.act(Action::Show(at(31), at(60)));
    find(&mut engine, "/^a$/");
    let hits = engine.hits(0, usize::MAX);
    assert_eq!((hits.len(), engine.found().unwrap().total), (600, 600));
    let times: Vec<_> = hits.iter().map(|hit| hit.start.unwrap()).collect();
    let first = times.iter().position(|&time| time < at(31)).unwrap();
    assert!(times[..first].is_sorted() && times[first..].is_sorted() && times[first..] < times[..1]);
    for rank in [0, 1, 17, first - 1, first, 333, 599] {
        let all = engine.hits(rank, 3);
        assert_eq!(all, hits[rank..(rank + 3).min(600)], "{rank}");
        engine.act(Action::Visit(hits[rank].target));
        assert_eq!(engine.current_hit().as_ref(), Some(&hits[rank]));
    }
}
