//! How long what was found takes: a histogram, of which a stretch can be looked for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use spall_trace::layout::{By, Stats};
use spall_trace::model::{Function, Job, Tick, Ticks, TraceView};
use spall_view::{
    Action, Area, Command, Durations, Engine, Heights, Place, Progress, Question, Reply, Since, Source,
    WantedDurations, open,
};

/// Calls of `draw` that take from 1 µs to 1 ms, two long ones of `load`, and an instant.
fn engine() -> Engine {
    let mut at = 0;
    let mut events = vec![r#"{"ph":"i","name":"draw","pid":1,"tid":1,"ts":0,"s":"t"}"#.to_owned()];
    for n in 0..1000_u32 {
        let takes = 1 + n * n / 1000;
        events.push(format!(r#"{{"ph":"X","name":"draw","pid":1,"tid":1,"ts":{at},"dur":{takes}}}"#));
        at += takes + 1;
    }
    events.push(format!(r#"{{"ph":"X","name":"load","pid":1,"tid":2,"ts":0,"dur":{at}}}"#));
    events.push(r#"{"ph":"X","name":"load","pid":1,"tid":2,"ts":9000000,"dur":7}"#.to_owned());
    let data = format!("[{}]", events.join(","));
    let source = Source { name: "a.json".into(), read: data.as_bytes(), offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    engine.change_view(|view| view.resize(1000, 400));
    engine
}

fn all() -> Area {
    Area { start: Since(Ticks(0)), end: Since(Ticks(i64::MAX)), items: None, tracks: None, measure: None }
}

fn durations_of(engine: &mut Engine, area: Area) -> Option<Durations> {
    let wanted = WantedDurations { area, bins: 40, axis: None };
    if !engine.begin_durations(&wanted.area) {
        return None;
    }
    while !engine.step_durations() {}
    engine.found_durations(&wanted)
}

fn search(engine: &mut Engine, pattern: &str) -> usize {
    engine.act(Action::Search(pattern.into()));
    found(engine)
}

fn found(engine: &mut Engine) -> usize {
    while engine.is_finding() {
        engine.step_find();
    }
    engine.found().map_or(0, |found| found.slices as usize)
}

fn fact<'d>(durations: &'d Durations, name: &str) -> &'d str {
    &durations.facts.iter().find(|(what, _)| *what == name).unwrap().1
}

#[test]
fn nothing_is_found_but_slices_that_take_so_long() {
    let mut engine = engine();
    assert_eq!(search(&mut engine, "draw"), 1000);
    assert_eq!(engine.found().unwrap().instants, 1);
    assert_eq!(
        search(&mut engine, "draw dur >= 10us, dur < 20us"),
        (0..1000).filter(|n| (9..19).contains(&(n * n / 1000))).count()
    );
    assert_eq!(engine.found().unwrap().instants, 0);
    assert_eq!(search(&mut engine, "dur > 10ms"), 1);
    assert_eq!(search(&mut engine, "nothing dur > 0"), 0);
}

#[test]
fn a_histogram_has_every_slice_once_and_agrees_with_the_statistics() {
    let mut engine = engine();
    assert_eq!(durations_of(&mut engine, all()), None, "nothing is looked for");
    search(&mut engine, "/^draw$/");
    for linear in [false, true] {
        engine.change(|place| place.linear_durations = linear);
        let shown = durations_of(&mut engine, all()).unwrap();
        assert_eq!(shown.counts.iter().sum::<u32>(), 1000);
        assert_eq!((shown.edges.len(), shown.places.len()), (shown.counts.len() + 1, shown.counts.len() + 1));
        assert!(shown.edges.is_sorted_by(|a, b| a < b) && shown.places.is_sorted());
        assert_eq!((shown.places[0], *shown.places.last().unwrap()), (0.0, 1.0));
        assert!(
            !shown.marks.is_empty() && shown.marks.iter().all(|(place, _)| (0.0..=1.0).contains(place)),
            "{:?}",
            shown.marks
        );

        let trace = engine.trace();
        let mut stats =
            Stats::new(trace, engine.layout(), trace.track_ids(), Tick::MIN..Tick::MAX).by(By::Name);
        while stats.step(1000).is_none() {}
        let draw = Function::named(trace.names().find(b"draw").unwrap());
        let (sums, histogram) = (stats.of(draw).unwrap(), stats.histogram(draw).unwrap());
        let text = |ticks| trace.clock().duration(ticks).to_string();
        assert_eq!(fact(&shown, "slices").replace('\u{202f}', ""), sums.count.to_string());
        for (name, ticks) in
            [("min", sums.min), ("max", sums.max), ("mean", sums.mean), ("total", sums.total)]
        {
            assert_eq!(fact(&shown, name), text(ticks), "{name}");
        }
        // Its buckets are counted by the slices at their edges, and a percentile is in the bucket that it says.
        for (part, name) in [(50, "50 %"), (90, "90 %"), (95, "95 %"), (99, "99 %")] {
            let near = histogram.quantile(part, 100).unwrap();
            let exact = (0..1000_i64)
                .map(|n| 1000 * (1 + n * n / 1000))
                .nth(usize::try_from(part).unwrap() * 10 - 1)
                .unwrap();
            assert_eq!(fact(&shown, name), text(Ticks(exact)), "{name}");
            assert!((near.0 - exact).abs() <= exact / 8, "{near:?} {exact}");
        }
    }
}

#[test]
fn a_bin_that_is_chosen_has_its_slices_as_hits_and_all_are_still_drawn() {
    let mut engine = engine();
    search(&mut engine, "/^draw$/");
    let before = durations_of(&mut engine, all()).unwrap();
    for linear in [false, true] {
        engine.change(|place| place.linear_durations = linear);
        let shown = durations_of(&mut engine, all()).unwrap();
        for (pair, &count) in shown.edges.windows(2).zip(shown.counts.iter()) {
            engine.act(Action::Durations(Some((pair[0], pair[1]))));
            assert_eq!(found(&mut engine), count as usize, "{}", engine.current_place().search);
            let now = durations_of(&mut engine, all()).unwrap();
            assert_eq!((&now.counts, &now.pattern), (&shown.counts, &"/^draw$/".to_owned()));
            let (from, to, _) = now.chosen.unwrap();
            assert!(shown.places.contains(&from) && shown.places.contains(&to));
        }
    }
    engine.act(Action::Durations(None));
    assert_eq!((found(&mut engine), engine.current_place().search.as_str()), (1000, "/^draw$/"));
    engine.act(Action::Command(Command::Back));
    assert_eq!(before.chosen, None);
    let text = serde_json::to_string(&engine.current_place()).unwrap();
    assert_eq!(serde_json::from_str::<Place>(&text).unwrap(), engine.current_place());
}

#[test]
fn an_area_has_the_durations_of_the_slices_that_touch_it() {
    let mut engine = engine();
    search(&mut engine, "load");
    assert_eq!(fact(&durations_of(&mut engine, all()).unwrap(), "slices"), "2");
    let late = Area { start: Since(Ticks(8_000_000_000)), ..all() };
    let shown = durations_of(&mut engine, late.clone()).unwrap();
    assert_eq!((fact(&shown, "slices"), fact(&shown, "50 %"), shown.counts.len()), ("1", "7 µs", 1));
    search(&mut engine, "draw");
    assert_eq!(durations_of(&mut engine, late.clone()).unwrap().edges, []);

    // Over a wire it is a question that takes long, and a later one takes its place.
    let ask = |engine: &mut Engine| match engine.ask(Question::Durations(WantedDurations {
        area: all(),
        bins: 9,
        axis: None,
    })) {
        Reply::Later(ticket) => ticket,
        Reply::Now(answer) => panic!("{answer:?}"),
    };
    let (first, second) = (ask(&mut engine), ask(&mut engine));
    assert_eq!(engine.go_on(first), Progress::Superseded);
    while matches!(engine.go_on(second), Progress::Of(..)) {}
    assert_eq!(engine.go_on(second), Progress::Superseded, "it was answered");
}
