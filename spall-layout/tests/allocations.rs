//! Queries allocate nothing once their working memory has grown to the size of the picture.

use spall_layout::{
    Ellipsis, Flows, Hits, Layout, LayoutView, Rect, Row, RowId, RowView, Ruler, Series, Vertical,
    VerticalStyle, Viewport, fit_label, instant_marks,
};
use spall_model::{
    Event, FlowBind, FlowEvent, FlowPhase, Id, Job, Limits, NameId, Scope, SliceId, Text, Thread,
    ThreadEvent, Tick, Ticks, Trace, TraceBuilder, TraceView, Unit,
};
use spall_synth::Random;

/// Returns a row with bursts, and with gaps and durations over several orders of magnitude.
fn row(n_slices: u32) -> Row {
    let mut row = Row::new();
    let (mut random, mut at) = (Random(1), 0);
    for slice in 0..n_slices {
        let duration = random.below(1_i64 << 24) >> random.below(16);
        let start = at + random.below(256);
        at = start + duration;
        row.push(Tick(start), Tick(at), SliceId(slice));
    }
    row
}

fn query(row: &RowView<'_>, rects: &mut Vec<Rect>) -> usize {
    let (start, end) = (row.starts()[0].0, row.ends()[row.len() - 1].0);
    let mut sum = 0;
    for zoom in 0..12 {
        let duration = (end - start) >> zoom;
        for step in 0..4 {
            let at = start + (end - start - duration) / 4 * step;
            let viewport = Viewport::new(Tick(at)..Tick(at + duration), 640);
            rects.clear();
            row.rects(&viewport.with_box_width(3), rects);
            sum += rects.len();
            rects.clear();
            row.rects(&viewport, rects);
            sum += rects.len() + Ruler::since(Tick(0), &viewport, Unit::Nanoseconds(1.0), 80).count();
            sum += usize::from(Rect::hit(rects, row.id(), 320).is_some());
            sum += usize::from(row.find(viewport.tick_at(320.0)).is_some());
            let measure = |text: &str| f32::from(u16::try_from(text.len()).unwrap_or(u16::MAX));
            sum += usize::from(fit_label("a long name", 7.0, Ellipsis::Middle, measure).is_some());
        }
    }
    sum
}

#[test]
fn layout_2_9_steady_queries_allocate_nothing() {
    let row = row(100_000);
    let row = row.view(RowId(0));
    let mut rects = Vec::new();
    let first = query(&row, &mut rects);
    let mut second = 0;
    let counted = allocation_counter::measure(|| second = query(&row, &mut rects));
    assert_eq!(counted.count_total, 0);
    assert!(first == second && first > 10_000);
}

/// Returns a trace of four threads of slices, with flows from each to the next, and instants.
fn trace() -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut push = |event| builder.push(&event);
    for n in 0..4000 {
        let thread = Thread::new(1_i64, n % 4);
        let event = |at, name: &'static [u8]| ThreadEvent::new(thread, Tick(at), Text::plain(name));
        push(Event::Complete(event(n * 10, b"f"), Ticks(35)));
        push(Event::Complete(event(n * 10 + 5, b"g"), Ticks(n % 20)));
        push(Event::Instant(event(n * 10, b"i"), Scope::Thread));
        let phase = if n % 2 == 0 { FlowPhase::Start } else { FlowPhase::End };
        let (at, id) = (Tick(n * 10 + 1), Id::Number(n / 2));
        push(Event::Flow(FlowEvent::new(phase, FlowBind::Enclosing, thread, at, id, Text::plain(b"w"))));
    }
    builder.finish()
}

#[test]
fn layout_2_9_steady_queries_of_counters_flows_instants_and_groups_allocate_nothing() {
    let trace = trace();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let flows = Flows::new(&trace, &layout);
    let hits = Hits::of_names(&trace, &layout, |name| name == trace.names().find(b"g").unwrap()).run();
    let mut series = Series::new(NameId::EMPTY);
    (0..10_000).for_each(|n| series.push(Tick(n * 4), f64::from(u8::try_from(n * n % 251).unwrap())));

    let (mut rects, mut runs) = (Vec::new(), Vec::new());
    let (mut arrows, mut busy, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let mut look = || {
        let mut sum = 0;
        for zoom in 0..8 {
            for step in 0..4_i64 {
                let duration = 40_000 >> zoom;
                let start = (40_000 - duration) / 4 * step;
                let viewport = Viewport::new(Tick(start)..Tick(start + duration), 300);
                let lines = vertical.visible(0..vertical.height());
                rects.clear();
                layout.rects(&viewport, lines, &mut rects);
                sum += rects.iter().map(|rect| hits.in_rect(rect).unwrap_or(0) as usize).sum::<usize>();
                runs.clear();
                series.runs(&viewport, &mut runs);
                flows.arrows(&viewport, &vertical, lines, &mut arrows);
                layout.busy_rows(layout.rows().iter(), &viewport, &mut busy);
                marks.clear();
                for track in trace.tracks() {
                    instant_marks(trace.instants_of(track.id), &viewport, &mut marks);
                }
                sum += usize::from(layout.snap(lines, Tick(start), Ticks(9)).is_some());
                sum += usize::from(hits.next(&layout, rects[0].slice).is_some());
                sum += runs.len() + arrows.len() + busy.len() + marks.len();
            }
        }
        sum
    };
    let (first, mut second) = (look(), 0);
    let counted = allocation_counter::measure(|| second = look());
    assert_eq!(counted.count_total, 0);
    assert!(first == second && first > 50_000, "{first}");
}

#[test]
fn layout_4_8_a_slice_takes_24_bytes() {
    let mut builder = TraceBuilder::new(&Limits::default());
    // The track is 32 deep and every slice has a row, so a row number takes five bits.
    for n in 0..3000 {
        for depth in 0..32 {
            let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(n * 100 + depth), Text::EMPTY);
            builder.push(&Event::Complete(event, Ticks(99 - 2 * depth)));
        }
    }
    let trace = builder.finish();
    let mut layout = Layout::default();
    let counted = allocation_counter::measure(|| layout = Layout::new(&trace));
    assert_eq!(layout.rows().len(), 32);
    let limit = i64::try_from(24 * trace.slices().len()).unwrap() + 2048;
    assert!((limit * 5 / 6..=limit).contains(&counted.bytes_current), "{} of {limit}", counted.bytes_current);
}
