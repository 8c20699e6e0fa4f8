//! What a user has set stays while a trace grows, and a frontend learns what is new.

use spall_trace::model::{ByteRange, Event, Receiver, SliceId, Text, Thread, ThreadEvent, Tick, Ticks};
use spall_view::{Action, Command, Element, Heights, LiveEngine, Since};

/// A live trace of a thread with a slice of each of these names every ten microseconds.
fn feed_slices(live: &mut LiveEngine, from: i64, names: &[&str]) {
    for (name, at) in names.iter().zip(from..) {
        let event = ThreadEvent::new(Thread::new(1, 1), Tick(at * 10), Text::from(*name));
        live.receive(&Event::Complete(event, Ticks(5)), ByteRange::default());
    }
    live.grow();
}

#[test]
fn the_window_stays_where_the_user_looks_or_follows_the_end() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    live.change_view(|view| view.resize(100, 100));
    feed_slices(&mut live, 0, &["a"; 10]);
    let range = |live: &LiveEngine| live.view().window().viewport().range();
    assert!(range(&live).end >= Tick(95), "all is in view");
    live.act(Action::Command(Command::ZoomIn));
    let chosen = range(&live);
    feed_slices(&mut live, 10, &["a"; 10]);
    assert_eq!(range(&live), chosen);

    live.act(Action::Command(Command::Follow));
    assert_eq!(
        (range(&live).end, range(&live).end - range(&live).start),
        (Tick(195), chosen.end - chosen.start)
    );
    feed_slices(&mut live, 20, &["a"; 10]);
    assert_eq!(
        (range(&live).end, range(&live).end - range(&live).start),
        (Tick(295), chosen.end - chosen.start)
    );
    assert!(live.view().place().follows);
    live.act(Action::Command(Command::Earlier));
    let left = range(&live);
    assert!(!live.view().place().follows);
    feed_slices(&mut live, 30, &["a"; 10]);
    assert_eq!(range(&live), left);
}

#[test]
fn a_frontend_learns_what_is_new_since_a_state() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    feed_slices(&mut live, 0, &["a"]);
    let state = live.about().growth.unwrap().state;
    live.grow();
    assert_eq!(live.news(state), None, "nothing has come");
    live.begin_find("b").unwrap();
    feed_slices(&mut live, 1, &["b", "b"]);
    let news = live.news(state).unwrap();
    assert_eq!((news.slices, news.end, news.changed), (3, Since(Ticks(25)), None));
    assert_eq!(news.found.unwrap().slices, 2);
    live.receive(&Event::ThreadName(Thread::new(1, 1), Text::from("main")), ByteRange::default());
    live.grow();
    let named = live.news(news.growth.state).unwrap();
    assert_eq!(named.changed.unwrap().groups[0].members[0].label, "main");
    assert!(live.news(state).unwrap().changed.is_some() && !named.growth.ended);
    live.end().unwrap();
    live.grow();
    assert!(live.news(named.growth.state).unwrap().growth.ended);
}

#[test]
fn what_a_user_has_set_stays_when_the_trace_is_finished() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    live.change_view(|view| view.resize(100, 100));
    feed_slices(&mut live, 7, &["a", "b", "c"]);
    feed_slices(&mut live, 2, &["before", "all"]);
    for command in [Command::First, Command::Next, Command::Mark, Command::Pin, Command::RangeOfSelection] {
        live.act(Action::Command(command));
    }
    live.act(Action::Search("c".into()));
    let place = live.current_place();
    let at = live.tick(place.marks[0].at);
    let finished = live.finish();
    let kept = finished.current_place();
    assert_eq!((&kept.pinned, &kept.search, &kept.files), (&place.pinned, &place.search, &place.files));
    assert_eq!((kept.selected.as_ref().unwrap().name.as_str(), finished.tick(kept.marks[0].at)), ("all", at));
    assert_eq!(kept.selected.unwrap().element, Element::Slice(SliceId(1)));
    assert_eq!(finished.tick(kept.range.unwrap().start), at);
}

#[test]
fn engines_can_be_sent_to_another_thread() {
    fn check<T: Send>() {}
    check::<LiveEngine>();
    check::<spall_view::Engine>();
}

#[test]
fn the_events_of_a_stream_are_those_of_the_format_that_more_of_it_tells() {
    // Three bytes look like the beginning of a list of events.
    let data = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}}],
        "startTime":0,"endTime":9,"samples":[1],"timeDeltas":[0]}"#;
    let mut live = LiveEngine::live("a.cpuprofile", Heights::PAGE);
    for byte in data {
        live.feed(&[*byte]).unwrap();
        live.grow();
    }
    live.end().unwrap();
    live.grow();
    assert_eq!(live.about().format, "cpuprofile");
    let finished = live.finish();
    assert_eq!(finished.about().counts.iter().find(|(what, _)| *what == "sample"), Some(&("sample", 1)));
}

#[test]
fn what_cannot_be_read_is_a_note_and_what_was_read_stays() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    assert!(live.feed(b"no trace at all").is_ok());
    let error = live.end().unwrap_err().to_string();
    live.grow();
    let about = live.about();
    assert!(about.growth.unwrap().ended && about.notes.iter().any(|note| note.text == error), "{error}");
}
