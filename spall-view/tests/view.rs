//! What a view says by itself, as it does for a trace that grows, is what the engine says.
#![expect(clippy::unwrap_used, reason = "a test")]

use spall_trace::layout::{Viewport, slice_tree};
use spall_trace::model::{Function, Job, Measure, Tick, Ticks, TraceView};
use spall_view::{
    Action, Area, By, Command, Element, Engine, Graph, GraphKind, Heights, Item, Place, Ranking, Since,
    Source, WantedGraph, open,
};

const TRACE: &str = r#"[
    {"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":100,"tdur":60},
    {"ph":"X","name":"draw","pid":1,"tid":1,"ts":10,"dur":20,"tdur":9},
    {"ph":"X","name":"draw","pid":1,"tid":2,"ts":50,"dur":30},
    {"ph":"C","name":"memory","pid":1,"ts":5,"args":{"used":7}},
    {"ph":"b","name":"load","cat":"io","id":1,"pid":1,"ts":3},
    {"ph":"e","name":"load","cat":"io","id":1,"pid":1,"ts":40}]"#;

fn engine() -> Engine {
    let source = Source { name: "a.json".into(), read: TRACE.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::TERMINAL);
    engine.change_view(|view| view.resize(100, 20));
    engine
}

#[test]
fn sums_by_name_are_those_of_the_engine() {
    let mut engine = engine();
    let ranking = Ranking { most: 10, ..Ranking::default() };
    for measure in Measure::ALL {
        let area = Area { measure: Some(measure.name().into()), ..engine.area() };
        engine.begin_statistics(&area, By::Name);
        while !engine.step_statistics() {}
        let ids = |mut ranked: spall_view::Ranked| {
            ranked.rows.iter_mut().for_each(|row| row.id = None);
            ranked
        };
        let expected = ids(engine.statistics(&ranking).unwrap());
        let found = engine.view().statistics(&area, &ranking, engine.trace(), engine.layout());
        assert_eq!(ids(found), expected, "{}", measure.name());
    }
}

#[test]
fn slices_and_counters_have_the_details_of_the_engine() {
    let engine = engine();
    let (trace, layout) = (engine.trace(), engine.layout());
    let slices = trace.track_ids().flat_map(|track| trace.slices_of(track));
    let slices = slices.map(|(slice, _)| Element::Slice(slice));
    let counters = trace.track_ids().filter(|&track| !trace.counters_of(track).is_empty());
    let elements: Vec<Element> = slices.chain(counters.map(Element::Counter)).collect();
    assert_eq!(elements.len(), 5);
    for element in elements {
        let found = engine.view().details(element, Since::default(), trace, layout);
        assert_eq!(found, engine.details(element, Since::default()));
    }
}

#[test]
fn a_graph_of_a_tree_is_that_of_the_engine() {
    let mut engine = engine();
    let area = engine.area();
    for kind in [GraphKind::Flame, GraphKind::BottomUp] {
        engine.begin_tree(&area, "");
        while !engine.step_tree() {}
        engine.begin_graph(0, &WantedGraph { graph: kind, node: None, slice: None, without: String::new() });
        let shape = core::iter::repeat_with(|| engine.step_graph()).flatten().next().unwrap();
        let (trace, range) = (engine.trace(), engine.tick(area.start)..engine.tick(area.end));
        let tracks = engine.view().summed_tracks(&area, trace);
        let function = |slice| trace.slice_name_id(slice).map(Function::named);
        let tree = slice_tree(trace, engine.layout(), tracks, range, Measure::WallTime, function).run();
        let graph = Graph::of_tree(tree, kind);
        assert_eq!(graph.shape(), shape);
        let viewport = Viewport::new(Tick(0)..Tick(shape.total.0.0), 100).with_box_width(2);
        let frame = graph.frame(&viewport, 9, 1, |_| 0, |name, _| Some(trace.name(name).into()));
        let expected = engine.graph_frame(0, Since::default(), shape.total, 100, 9, 0);
        assert_eq!((frame.part.edges, frame.names), (expected.part.edges, expected.names));
        let facts = engine.graph_box(0, 0).unwrap();
        assert_eq!(trace.name(graph.name(0).unwrap()), facts.name);
        assert_eq!(graph.box_facts(0, trace.clock()).unwrap().facts, facts.facts);
    }
}

#[test]
fn hidden_tracks_and_those_of_other_sets_are_not_added_up() {
    let mut engine = engine();
    let names = |engine: &mut Engine| {
        let area = engine.area();
        engine.begin_statistics(&area, By::Name);
        while !engine.step_statistics() {}
        let ranked = engine.statistics(&Ranking { most: 10, ..Ranking::default() }).unwrap();
        ranked.rows.into_iter().map(|row| (row.name, row.count)).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut engine), [("frame".into(), 1), ("draw".into(), 2)]);
    let first = engine.groups()[0].members.iter().find(|member| member.what == "thread").unwrap().item;
    engine.act(Action::Hide(first));
    assert_eq!(names(&mut engine), [("draw".into(), 1)]);
    engine.act(Action::Command(Command::Back));
    engine.act(Action::Apply(Box::new(Place { tracks: "async".into(), ..Place::default() })));
    assert_eq!(names(&mut engine), [("load".into(), 1)]);
    engine.act(Action::Apply(Box::new(Place { tracks: "all".into(), ..Place::default() })));
    assert_eq!(names(&mut engine).len(), 3);
    assert!(!matches!(first, Item::Process(_)));
}

#[test]
fn what_is_looked_for_is_a_step_and_escape_ends_the_search_for_a_name() {
    let mut engine = engine();
    assert!(engine.act(Action::Search("draw".into())));
    assert_eq!(engine.view().place().search, "draw");
    engine.act(Action::Command(Command::Back));
    assert_eq!(engine.view().place().search, "");
    for command in [Command::First, Command::NextOfName] {
        engine.act(Action::Command(command));
    }
    assert!(engine.found_all().is_some());
    engine.act(Action::Command(Command::Escape));
    assert!(engine.found_all().is_none() && engine.view().selected_slice().is_some());
    engine.act(Action::Command(Command::Escape));
    assert_eq!(engine.view().selected_slice(), None);
}

#[test]
fn the_first_place_shows_what_a_new_view_shows() {
    let mut engine = engine();
    let first = engine.view().window().clone();
    for command in [Command::First, Command::Down, Command::Fit] {
        engine.act(Action::Command(command));
    }
    assert_ne!(engine.view().window(), &first);
    engine.act(Action::Apply(Box::default()));
    assert_eq!(engine.view().window(), &first);
}

const DAMAGED: &str = r#"[7, {"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":100}, {"ph":"E","pid":1,"tid":2,"ts":40},
    {"ph":"X","name":"g","pid":1,"tid":2,"ts":60,"dur":40}, {"ph":"E","pid":1,"tid":2,"ts":70,"name":"none"}]"#;

/// [damage 1](spall_trace::model::rules::damage#1)
#[test]
fn what_is_damaged_has_a_time() {
    let source = |name: &str, offset| Source { name: name.into(), read: DAMAGED.as_bytes(), offset };
    let damage = |sources| {
        let engine = Engine::new(open(sources).unwrap(), None, Heights::PAGE);
        engine.damage().into_iter().map(|(text, _, at)| (text, at)).collect::<Vec<_>>()
    };
    let since = |ticks| Some(Since(Ticks(ticks)));
    let alone = damage(vec![source("a.json", None)]);
    assert_eq!(alone.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [None, since(40_000), since(70_000)]);
    let both = damage(vec![source("a.json", None), source("b.json", Some(1_000))]);
    let times: Vec<_> = both.iter().map(|(_, at)| *at).collect();
    assert_eq!(times, [None, since(40_000), since(70_000), None, since(41_000), since(71_000)]);
    assert!(both[3].0.starts_with("b.json: ") && both[3].0.ends_with(&alone[0].0), "{both:?}");
}
