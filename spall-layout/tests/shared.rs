//! Values can be sent to other threads, and can be serialised and read again.

use spall_layout::{
    Flows, Folds, Histogram, Hits, Layout, LiveLayout, LiveView, Packed, Row, RowView, Ruler, Series, Stats,
    Vertical, Viewport, Window,
};

#[test]
fn everything_can_be_sent_to_and_shared_with_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Layout>();
    check::<LiveLayout>();
    check::<LiveView<'_>>();
    check::<Vertical>();
    check::<Folds>();
    check::<Window>();
    check::<Viewport>();
    check::<Row>();
    check::<RowView<'_>>();
    check::<Hits>();
    check::<Flows>();
    check::<Packed>();
    check::<Series>();
    check::<Stats<'_>>();
    check::<Histogram>();
    check::<Ruler>();
}

#[cfg(feature = "serde")]
mod serialised {
    use super::*;
    use spall_layout::{LineKind, Rect, RowId, SliceStats, Stats, Theme};
    use spall_model::{
        Event, Function, Job, Limits, SliceId, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder,
        TraceView, Unit,
    };

    /// Serialises a value and reads it again.
    fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    #[test]
    fn serialised_viewports_are_read_back() {
        let mut random = spall_synth::Random(1);
        let mut below = |end: i64| random.below(end);
        for _ in 0..2000 {
            let start = Tick(below(2000) - 1000);
            let end = Tick(start.0 + 1 + below(1000));
            let columns = u16::try_from(below(300)).unwrap();
            let box_width = u16::try_from(below(4)).unwrap();
            let viewport = Viewport::new(start..end, columns).with_box_width(box_width);
            assert_eq!(round_trip(&viewport), viewport);
        }
        let all = Viewport::new(Tick::MIN..Tick::MAX, u16::MAX);
        assert_eq!(round_trip(&all), all);
        // Reading does not panic, whatever the file holds.
        for at in [i64::MIN, 0, i64::MAX] {
            let text = format!(r#"{{"range":{{"start":{at},"end":{}}},"columns":9}}"#, at.saturating_add(3));
            let read: Viewport = serde_json::from_str(&text).unwrap();
            _ = (read.columns(), read.ticks(0), read.column(Tick(at)));
        }
    }

    #[test]
    fn serialised_results_are_read_back() {
        assert_eq!(round_trip(&Theme::Dark), Theme::Dark);
        assert_eq!(round_trip(&LineKind::Row(RowId(3))), LineKind::Row(RowId(3)));

        let mut row = Row::new();
        row.push(Tick(0), Tick(5), SliceId(1));
        row.push(Tick(40), Tick(50), SliceId(2));
        let viewport = Viewport::new(Tick(0)..Tick(100), 10);
        let mut rects = Vec::new();
        row.view(RowId(7)).rects(&viewport, &mut rects);
        assert_eq!(round_trip::<Vec<Rect>>(&rects), rects);
        assert!(serde_json::to_string(&rects).unwrap().starts_with(r#"[{"row":7,"slice":1,"x0":0,"x1":1,"#));

        let marks: Vec<_> = Ruler::since(Tick(0), &viewport, Unit::Nanoseconds(1.0), 4).collect();
        let text = serde_json::to_string(&marks).unwrap();
        assert!(text.contains(r#""label":"50 ns""#), "{text}");

        let mut builder = TraceBuilder::new(&Limits::default());
        for (start, duration) in [(0, 3), (10, 3), (20, 5)] {
            let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::EMPTY);
            builder.push(&Event::Complete(event, Ticks(duration)));
        }
        let trace = builder.finish();
        let layout = Layout::new(&trace);
        let mut stats = Stats::new(&trace, &layout, trace.track_ids(), Tick(0)..Tick(99));
        assert!(stats.step(usize::MAX).is_some());
        let histogram: &Histogram = stats.histogram(Function::default()).unwrap();
        assert_eq!(serde_json::to_string(histogram).unwrap(), "[[3,4,2],[5,6,1]]");
        _ = |stats: &SliceStats| round_trip(stats);
    }
}
