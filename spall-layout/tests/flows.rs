//! Compares arrows with a brute force over all flows.

use alloc::collections::BTreeMap;

use spall_layout::{
    FlowEnd, Flows, Folds, Layout, LayoutView, LineId, LineKind, Vertical, VerticalStyle, Viewport,
    thin_arrows,
};
use spall_model::{
    Event, Flow, FlowBind, FlowEvent, FlowPhase, Id, Key, Limits, SliceId, Text, Thread, ThreadEvent, Tick,
    Ticks, Trace, TraceBuilder, TraceView, TrackId,
};
use spall_synth::Random;

fn flow(phase: FlowPhase, tid: i64, at: i64, id: i64) -> Event<'static> {
    let (thread, id) = (Thread::new(1_i64, tid), Id::Number(id));
    Event::Flow(FlowEvent::new(phase, FlowBind::Enclosing, thread, Tick(at), id, Text::plain(b"f")))
}

/// Returns a trace of three threads of adjacent slices with flows between random places, and the times of each flow.
fn random_trace(random: &mut Random) -> (Trace, BTreeMap<Key, (i64, i64)>) {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut times = BTreeMap::new();
    for tid in 0..3_i64 {
        for slice in 0..50 {
            let event = ThreadEvent::new(Thread::new(1_i64, tid), Tick(slice * 20), Text::plain(b"s"));
            builder.push(&Event::Complete(event, Ticks(20)));
        }
    }
    for id in 0..random.below(300) {
        let (from, to) = (random.below(1000), random.below(if id % 2 == 0 { 1000 } else { 30 }));
        let (a, b) = (random.below(3), random.below(3));
        let to = (from + to).min(999);
        builder.push(&flow(FlowPhase::Start, a, from, id));
        builder.push(&flow(FlowPhase::End, b, to, id));
        times.insert(Key::Number(id), (from, to));
    }
    (builder.finish(), times)
}

/// A style in which thread 1 is folded.
/// The line of an end, whether its row is folded, and its column.
type End = (LineId, bool, u32);

fn end(end: FlowEnd) -> End {
    (end.line, end.is_folded, end.column)
}

/// [layout 12.2, 12.3]
#[test]
fn layout_12_1_arrows_agree_with_brute_force() {
    let mut random = Random(5);
    let mut bundled = 0;
    for _ in 0..100 {
        let (trace, times) = random_trace(&mut random);
        let layout = Layout::new(&trace);
        let mut folds = Folds::new();
        folds.toggle(LineKind::Track(TrackId(1)));
        let style = VerticalStyle { track: 1, row: 3, folds: Some(&folds), ..VerticalStyle::FLAT };
        let vertical = Vertical::new(&trace, &layout, &style);
        let flows = Flows::new(&trace, &layout);
        assert_eq!(flows.len(), trace.flows().len());
        let mut rects = Vec::new();
        for _ in 0..20 {
            let (start, duration) = (random.below(1000) - 10, 1 + random.below(400));
            let viewport = Viewport::new(Tick(start)..Tick(start + duration), 30);
            let first = random.below(5) as u32;
            let lines = first..first + random.below(4) as u32;
            let asked = &vertical.lines()[lines.start.min(5) as usize..lines.end.min(5) as usize];
            flows.arrows(&viewport, &vertical, asked, &mut rects);

            let end_of = |slice: SliceId, at: i64| {
                let row = layout.row_of(slice).unwrap();
                let line = vertical.line_of(row).unwrap();
                let is_folded = line.kind != LineKind::Row(row);
                let last = viewport.columns() - 1;
                let column = (0..=last).find(|&c| at < viewport.ticks(c).end.0).unwrap_or(last);
                (line.id, is_folded, column)
            };
            // The number of flows of an arrow, and the first of them.
            let mut expected: BTreeMap<(End, End), (u32, usize)> = BTreeMap::new();
            for (index, flow) in trace.flows().iter().enumerate() {
                let (leaves, arrives) = times[&flow.id];
                if leaves >= start + duration || arrives < start || asked.is_empty() {
                    continue;
                }
                let ends = (end_of(flow.from, leaves), end_of(flow.to, arrives));
                if ends.0.0.0.min(ends.1.0.0) < lines.end && ends.0.0.0.max(ends.1.0.0) >= lines.start {
                    expected.entry(ends).or_insert((0, index)).0 += 1;
                }
            }
            let got: BTreeMap<_, _> =
                rects.iter().map(|rect| ((end(rect.from), end(rect.to)), rect.count)).collect();
            assert_eq!(got.len(), rects.len());
            for rect in &rects {
                assert_eq!((rect.count, rect.flow.index()), expected[&(end(rect.from), end(rect.to))]);
            }
            assert_eq!(got.len(), expected.len());
            bundled += rects.iter().filter(|rect| rect.count > 1).count();

            // Those of one slice are the arrows of its flows and of no others.
            let slice = SliceId(random.below(trace.n_slices() as u64) as u32);
            let is_own = |flow: &Flow| flow.from == slice || flow.to == slice;
            let own = flows.filtered(|flow| is_own(&trace.flows()[flow.index()]));
            assert_eq!(own.len(), trace.flows().iter().filter(|flow| is_own(flow)).count());
            own.arrows(&viewport, &vertical, asked, &mut rects);
            assert!(rects.iter().all(|rect| is_own(&trace.flows()[rect.flow.index()])));
            assert!(rects.iter().all(|rect| got[&(end(rect.from), end(rect.to))] >= rect.count));
        }
    }
    assert!(bundled > 100);
}

#[test]
fn layout_12_1_a_flow_leaves_inside_its_slice_as_drawn() {
    let slice = |tid: i64, at| ThreadEvent::new(Thread::new(1_i64, tid), Tick(at), Text::plain(b"s"));
    let events = [
        Event::Complete(slice(0, 0), Ticks(100)),
        Event::Unfinished(slice(0, 50)),
        Event::Complete(slice(0, 200), Ticks(100)),
        Event::Complete(slice(1, 0), Ticks(300)),
        flow(FlowPhase::Start, 0, 150, 1),
        flow(FlowPhase::End, 1, 250, 1),
    ];
    let mut builder = TraceBuilder::new(&Limits::default());
    events.iter().for_each(|event| builder.push(event));
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    // The second slice has no end. It could run until 300, and is drawn to 100, where the slice around it ends.
    let mut rects = Vec::new();
    let viewport = Viewport::new(Tick(0)..Tick(300), 300);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    Flows::new(&trace, &layout).arrows(&viewport, &vertical, vertical.lines(), &mut rects);
    assert_eq!(rects.iter().map(|rect| (rect.from.column, rect.to.column)).collect::<Vec<_>>(), [(100, 250)]);
}

#[test]
fn layout_12_4_arrows_that_stand_for_the_most_flows_are_kept_and_the_others_spread() {
    let mut builder = TraceBuilder::new(&Limits::default());
    for at in 0..1000 {
        let event = |tid, at| ThreadEvent::new(Thread::new(1_i64, tid), Tick(at), Text::EMPTY);
        builder.push(&Event::Complete(event(1, at * 10), Ticks(5)));
        builder.push(&flow(FlowPhase::Start, 1, at * 10, at));
        builder.push(&Event::Complete(event(2, at * 10), Ticks(5)));
        builder.push(&flow(FlowPhase::End, 2, at * 10 + 1, at));
    }
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let mut arrows = Vec::new();
    // The first 500 flows have a column each, and the others share one.
    let viewport = Viewport::new(Tick(0)..Tick(5000), 500);
    Flows::new(&trace, &layout).arrows(&viewport, &vertical, vertical.lines(), &mut arrows);
    let all = arrows.clone();
    assert_eq!(thin_arrows(&mut arrows, all.len()), 0);
    assert_eq!(arrows, all);
    assert_eq!(thin_arrows(&mut arrows, 50), all.len() - 50);
    assert_eq!(arrows.len(), 50);
    let most = all.iter().map(|arrow| arrow.count).max();
    assert_eq!(arrows.iter().map(|arrow| arrow.count).max(), most);
    let columns = arrows.iter().map(|arrow| arrow.from.column);
    for quarter in 0..4 {
        let here = quarter * 125..(quarter + 1) * 125;
        let found = columns.clone().filter(|column| here.contains(column)).count();
        assert!((6..20).contains(&found), "{found} arrows in {here:?}");
    }
}
