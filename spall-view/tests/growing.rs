//! What a user has set stays while a trace grows, and a frontend learns what is new.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::PathBuf,
};

use spall_trace::model::{ByteRange, Event, Receiver, SliceId, Text, Thread, ThreadEvent, Tick, Ticks};
use spall_view::{Action, Command, Element, Heights, LiveEngine, News, Place, Question, Seen, Since, Tail};

/// A live trace of a thread with a slice of each of these names every ten microseconds.
fn feed_slices(live: &mut LiveEngine, from: i64, names: &[&str]) {
    for (name, at) in names.iter().zip(from..) {
        let event = ThreadEvent::new(Thread::new(1, 1), Tick(at * 10), Text::from(*name));
        live.receive(&Event::Complete(event, Ticks(5)), ByteRange::default());
    }
    live.grow();
}

fn n_slices(news: &News) -> usize {
    news.counts.iter().find(|(what, _)| *what == "slice").map_or(0, |(_, count)| *count)
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
fn times_count_from_the_first_event_whatever_was_set_before_it_came() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    live.grow();
    live.apply(Place { categories: vec!["io".into()], panel: "tracks".into(), ..Place::default() });
    feed_slices(&mut live, 7, &["a"]);
    assert_eq!((live.tick(Since(Ticks(0))), live.about().start), (Tick(70), Since(Ticks(0))));
}

/// A frontend that has not moved by itself does not know yet what has come, so it is not its word that counts.
#[test]
fn a_command_between_growths_does_not_keep_the_window() {
    let mut live = LiveEngine::live("a", Heights::PAGE);
    let seen = Seen {
        view: None,
        top: 0.0,
        columns: 100,
        height: 100,
        pointer: None,
        item: None,
        panel: String::new(),
    };
    for at in 0..3 {
        feed_slices(&mut live, at, &["a"]);
        live.ask(Question::Act(Action::Command(Command::Mark), Some(seen.clone())));
        let news = live.news(0).unwrap();
        assert!(news.view.start <= news.start && news.view.end >= news.end, "all is in view: {news:?}");
    }
    live.act(Action::Command(Command::Follow));
    for at in 3..6 {
        feed_slices(&mut live, at, &["a"]);
        live.ask(Question::Act(Action::Command(Command::Mark), Some(seen.clone())));
        let news = live.news(0).unwrap();
        assert_eq!(news.view.end, news.end, "it follows the end");
    }
    let view = Since(Ticks(1))..Since(Ticks(2));
    live.see(&Seen { view: Some(view.clone()), ..seen });
    feed_slices(&mut live, 6, &["a"]);
    let news = live.news(0).unwrap();
    assert_eq!((news.view, news.durations), (view, (Since(Ticks(1)), Since(Ticks(2 * news.end.0.0)))));
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
    assert_eq!((n_slices(&news), news.end, &news.changed), (3, Since(Ticks(25)), &None));
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

/// A file of a test, with this content.
fn file_of(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

/// Reads what a file has by now. Returns the number of slices, and why nothing comes any more.
fn follow(live: &mut LiveEngine, file: &mut Tail) -> (usize, bool, Option<String>) {
    assert!(!live.feed_from(file, || true));
    live.grow();
    let news = live.news(0).unwrap();
    (n_slices(&news), news.growth.ended, news.fault)
}

const A: &str = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}"#;

#[test]
fn a_file_is_read_while_it_is_written() {
    let path = file_of("written.json", &format!("[{A},{}", &A[..10]));
    let (mut file, mut live) = (Tail::open(&path).unwrap(), LiveEngine::live("a", Heights::PAGE));
    assert_eq!(follow(&mut live, &mut file), (1, false, None));
    let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
    write!(writer, "{}", &A[10..]).unwrap();
    assert_eq!(follow(&mut live, &mut file), (2, false, None));
    fs::remove_file(&path).unwrap();
    writeln!(writer, ",{A}]").unwrap();
    assert_eq!(
        follow(&mut live, &mut file),
        (3, false, None),
        "more may be written to a file without a name"
    );
    write!(writer, ",{A}]").unwrap();
    assert_eq!(
        follow(&mut live, &mut file),
        (4, false, None),
        "a list that goes on behind its end is read on"
    );
}

#[test]
fn a_file_that_is_cut_or_replaced_is_said_and_what_was_read_stays() {
    for is_cut in [true, false] {
        let path = file_of(if is_cut { "cut.json" } else { "replaced.json" }, &format!("[{A},{A}"));
        let (mut file, mut live) = (Tail::open(&path).unwrap(), LiveEngine::live("a", Heights::PAGE));
        assert_eq!(follow(&mut live, &mut file), (2, false, None));
        let expected = if is_cut {
            fs::write(&path, "[").unwrap();
            format!("{} was cut: 106 bytes were read, and 1 are left", path.display())
        } else {
            fs::rename(file_of("other.json", "[]"), &path).unwrap();
            format!("another file has taken the place of {}, of which 106 bytes were read", path.display())
        };
        assert_eq!(follow(&mut live, &mut file), (2, true, Some(expected.clone())));
        let finished = live.finish();
        assert_eq!(finished.about().counts[2], ("slice", 2));
        assert_eq!(finished.notes()[0].text, expected);
    }
}

#[test]
fn a_source_is_read_in_pieces_and_what_fails_is_a_note() {
    /// Two pieces, and then nothing that can be read.
    struct Pieces(u8);

    impl io::Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => (&b"a;b 1\n"[..]).read(buffer),
                2 => Err(io::ErrorKind::Interrupted.into()),
                3 => (&b"a;c 1\n"[..]).read(buffer),
                4 => Err(io::ErrorKind::WouldBlock.into()),
                _ => Err(io::Error::other("the line is dead")),
            }
        }
    }

    let (mut source, mut live) = (Pieces(0), LiveEngine::live("a", Heights::PAGE));
    assert!(live.feed_from(&mut source, || false), "there may be more");
    assert!(live.feed_from(&mut source, || false));
    assert!(!live.feed_from(&mut source, || false), "nothing has come");
    assert!(!live.feed_from(&mut source, || false));
    live.grow();
    let news = live.news(0).unwrap();
    assert_eq!((news.growth.ended, news.fault.as_deref()), (true, Some("the line is dead")));
    assert!(live.finish().about().counts.contains(&("sample", 2)));
}
