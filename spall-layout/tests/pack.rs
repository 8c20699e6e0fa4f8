//! Packs random tracks and compares the result with the rules, and with a search through all lines. \[layout 17\]

use alloc::collections::BTreeMap;

use spall_layout::{
    AsyncGroup, Folds, Hits, Layout, LayoutView, LineKind, LineRect, PackId, Packed, RowId, Vertical,
    VerticalStyle, Viewport, shown_tracks,
};
use spall_model::{
    AsyncPhase, Event, Job, KeyedEvent, Limits, ProcessId, SliceId, Text, Thread, ThreadEvent, Tick, Ticks,
    Trace, TraceBuilder, TraceView, TrackId,
};

use crate::common::{Random, tracks};

/// Makes threads with few slices each, which are up to `depth` deep and begin at any time before `end`.
fn many_tracks(random: &mut Random, end: i64, depth: i64) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for tid in 0..random.below(40) {
        let mut push = |start, duration| {
            let event = ThreadEvent::new(Thread::new(1_i64, tid), Tick(start), Text::EMPTY);
            builder.push(&Event::Complete(event, Ticks(duration)));
        };
        for _ in 0..1 + random.below(3) {
            let (start, duration) = (random.below(end), random.below(30));
            let inner = random.below(depth).min(duration / 2);
            (0..=inner).for_each(|inner| push(start + inner, duration - 2 * inner));
        }
    }
    builder.finish()
}

/// Returns the first and the last time, the height and the first line of each group of slices, in order of time.
type Groups = Vec<(i64, i64, u32, u32)>;

fn groups(trace: &Trace, layout: &Layout, packed: &Packed) -> Groups {
    let mut groups = Vec::new();
    for (track, id) in trace.tracks().iter().zip(tracks(trace)) {
        let first_row = layout.track_rows(id).start().0;
        let mut open: Option<(i64, i64, u32, u32)> = None;
        for slice in track.slices().iter() {
            let place = layout.place(slice).unwrap();
            let level = place.row.0 - first_row;
            let line = packed.line_of(layout, slice).unwrap() - level;
            let end = place.end.0.max(place.start.0 + 1);
            match &mut open {
                Some(group) if place.start.0 < group.1 => {
                    assert_eq!(group.3, line, "what hangs together stays together");
                    *group = (group.0, group.1.max(end), group.2.max(level + 1), line);
                }
                _ => groups.extend(open.replace((place.start.0, end, level + 1, line))),
            }
        }
        groups.extend(open);
    }
    // The sort is stable, so groups that begin together stay in the order of their tracks.
    groups.sort_by_key(|group| group.0);
    groups
}

#[test]
fn layout_17_1_packed_slices_keep_their_times_and_do_not_overlap() {
    let mut random = Random(1);
    for round in 0..400 {
        let trace = many_tracks(&mut random, if round % 2 == 0 { 60 } else { 600 }, 1 + round % 5);
        let layout = Layout::new(&trace);
        {
            let packed = Packed::new(&layout, tracks(&trace));
            let mut places = BTreeMap::new();
            for (line, at) in packed.lines().iter().zip(0..) {
                let line = line.view(RowId(at));
                for ((&slice, &start), &end) in line.slices().iter().zip(line.starts()).zip(line.ends()) {
                    assert!(places.insert(slice, (at, start, end)).is_none());
                }
            }
            assert_eq!(places.len(), trace.slices().len());
            for (slice, (line, start, end)) in places {
                let place = layout.place(slice).unwrap();
                assert_eq!((place.start, place.end), (start, end));
                assert_eq!(packed.line_of(&layout, slice), Some(line));
            }
            let groups = groups(&trace, &layout, &packed);
            for (at, a) in groups.iter().enumerate() {
                for b in &groups[at + 1..] {
                    assert!(a.1 <= b.0 || a.3 + a.2 <= b.3 || b.3 + b.2 <= a.3, "{a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn layout_17_2_each_group_has_the_lowest_lines_that_are_free() {
    let mut random = Random(2);
    for round in 0..400 {
        let trace = many_tracks(&mut random, 100, 1 + round % 5);
        let layout = Layout::new(&trace);
        let packed = Packed::new(&layout, tracks(&trace));
        let groups = groups(&trace, &layout, &packed);
        for (at, &(start, _, height, line)) in groups.iter().enumerate() {
            let running = || groups[..at].iter().filter(|before| before.1 > start);
            let is_free =
                |line: u32| running().all(|before| line + height <= before.3 || before.3 + before.2 <= line);
            assert_eq!((0..).find(|&line| is_free(line)), Some(line));
        }
        if groups.iter().all(|group| group.2 == 1) {
            // There are not more lines than groups need at one time.
            let most = groups
                .iter()
                .map(|group| groups.iter().filter(|other| other.0 <= group.0 && group.0 < other.1).count());
            assert_eq!(most.max().unwrap_or(0), packed.lines().len());
        }
    }
}

#[test]
fn layout_17_2_groups_that_begin_later_move_nothing() {
    let mut random = Random(4);
    // Each group is a thread: its start, its duration, and its height in slices.
    let mut groups: Vec<_> =
        (0..200).map(|_| (random.below(500), 10 + random.below(60), random.below(5))).collect();
    groups.sort_unstable();
    let lines = |n_groups: usize| {
        let mut builder = TraceBuilder::new(&Limits::default());
        for (&(start, duration, depth), tid) in groups[..n_groups].iter().zip(0_i64..) {
            for inner in 0..=depth {
                let event = ThreadEvent::new(Thread::new(1_i64, tid), Tick(start + inner), Text::EMPTY);
                builder.push(&Event::Complete(event, Ticks(duration - 2 * inner)));
            }
        }
        let trace = builder.finish();
        let layout = Layout::new(&trace);
        let packed = Packed::new(&layout, tracks(&trace));
        let slices = (0..trace.slices().len() as u32).map(SliceId);
        slices.map(|slice| packed.line_of(&layout, slice).unwrap()).collect::<Vec<_>>()
    };
    let all = lines(200);
    for n_groups in (0..200).step_by(20) {
        let first = lines(n_groups);
        assert_eq!(first, all[..first.len()]);
    }
}

#[test]
fn layout_17_3_a_group_that_fits_into_none_of_64_gaps_goes_above_all() {
    let mut builder = TraceBuilder::new(&Limits::default());
    let mut push = |thread, start, end| {
        let event = ThreadEvent::new(Thread::new(1_i64, thread), Tick(start), Text::EMPTY);
        builder.push(&Event::Complete(event, Ticks(end - start)));
    };
    // At 20, every other one of the lines up to 137 is free, and then two beside each other.
    for thread in 0..141_i64 {
        push(thread, 0, if thread % 2 == 0 && thread < 140 || thread == 139 { 10 } else { 100 });
    }
    push(141, 20, 40);
    push(141, 22, 30);
    let trace = builder.finish();
    let layout = Layout::new(&trace);
    let packed = Packed::new(&layout, tracks(&trace));
    assert_eq!(groups(&trace, &layout, &packed).last(), Some(&(20, 40, 2, 141)));
}

#[test]
fn layout_5_4_tracks_can_share_lines() {
    let mut random = Random(9);
    let mut n_shared = 0;
    for _ in 0..100 {
        let trace = many_tracks(&mut random, 200, 4);
        let layout = Layout::new(&trace);
        let shared: Vec<TrackId> = tracks(&trace).filter(|_| random.below(3) > 0).collect();
        let packed = Packed::new(&layout, shared.iter().copied());
        assert_eq!(packed.tracks(), shared);
        // The third of the shared lines has no height.
        let height = |line: LineKind| match line {
            LineKind::Process(_) | LineKind::Pack(_) | LineKind::Packed(_, 2) => 0,
            LineKind::Track(_) => 20,
            LineKind::Packed(..) => 7,
            _ => 10,
        };
        let packs = [packed];
        let style = VerticalStyle { height: Some(&height), packs: &packs, ..VerticalStyle::FLAT };
        let vertical = Vertical::new(&trace, &layout, &style);
        let packed = &packs[0];

        // The shared lines stand together where the first of their tracks would stand. No other line is missing.
        let mut expected = Vec::new();
        for track in tracks(&trace) {
            if !shared.contains(&track) {
                expected.push(LineKind::Track(track));
                expected.extend(layout.track_rows(track).iter().map(LineKind::Row));
            } else if shared.first() == Some(&track) {
                let lines = (0..packed.lines().len() as u32).filter(|&line| line != 2);
                expected.extend(lines.map(|line| LineKind::Packed(PackId(0), line)));
            }
        }
        let kinds: Vec<LineKind> = vertical.lines().iter().map(|line| line.kind).collect();
        assert_eq!(kinds, expected);
        for row in layout.rows().iter() {
            let is_shared = shared.contains(&layout.row_info(row).unwrap().track);
            let kind = if is_shared { LineKind::Packed(PackId(0), 0) } else { LineKind::Row(row) };
            assert_eq!(vertical.line_of(row).unwrap().kind, kind);
            n_shared += u32::from(is_shared);
        }

        // Only the rectangles of rows know how many of their slices match.
        let hits = Hits::of_slices(&layout, |_| true).run();
        let viewport = Viewport::new(trace.bounds().unwrap_or(Tick(0)..Tick(1)), 50);
        let (y, mut rects) = (0..vertical.height(), Vec::new());
        vertical.rects(y, &layout, &viewport, &mut rects);
        for LineRect { rect, line, .. } in &rects {
            let is_row = matches!(vertical.line(*line).unwrap().kind, LineKind::Row(_));
            assert_eq!(hits.in_rect(rect), is_row.then_some(rect.count));
        }
    }
    assert!(n_shared > 500);
}

/// \[layout 5.4, 5.5\]
#[test]
fn layout_5_4_packs_have_headers_and_can_be_folded_and_5_5_hidden_tracks_have_no_lines() {
    let mut random = Random(11);
    let has_five = |trace: &Trace| tracks(trace).count() == 5;
    let trace = core::iter::from_fn(|| Some(many_tracks(&mut random, 200, 5))).find(has_five).unwrap();
    let layout = Layout::new(&trace);
    let all: Vec<TrackId> = tracks(&trace).collect();
    let [first, second, third, fourth, hidden] = all[..] else { panic!("five tracks") };
    let odd = Packed::new(&layout, [first, third]);
    let even = Packed::new(&layout, [second, fourth]);
    let (packs, shown) = ([odd, even], [first, second, third, fourth]);
    let mut folds = Folds::new();
    folds.toggle(LineKind::Pack(PackId(1)));
    let style = VerticalStyle {
        process: 5,
        pack: 3,
        folds: Some(&folds),
        tracks: Some(&shown),
        packs: &packs,
        ..VerticalStyle::FLAT
    };
    let vertical = Vertical::new(&trace, &layout, &style);

    let mut expected = vec![LineKind::Process(ProcessId(0)), LineKind::Pack(PackId(0))];
    expected.extend((0..packs[0].lines().len() as u32).map(|line| LineKind::Packed(PackId(0), line)));
    expected.push(LineKind::Pack(PackId(1)));
    assert_eq!(vertical.lines().iter().map(|line| line.kind).collect::<Vec<_>>(), expected);
    for row in layout.rows().iter() {
        let kind = match layout.row_info(row).unwrap().track {
            track if track == hidden => None,
            track if packs[0].tracks().contains(&track) => Some(LineKind::Packed(PackId(0), 0)),
            _ => Some(LineKind::Pack(PackId(1))),
        };
        assert_eq!(vertical.line_of(row).map(|line| line.kind), kind);
    }

    assert!(Vertical::new(&trace, &layout, &VerticalStyle { tracks: Some(&[]), ..style }).lines().is_empty());
}

/// Makes spans with an id of their own each. They are given by their process, category, name, start and end.
fn spans(spans: impl IntoIterator<Item = (i64, &'static str, &'static str, i64, i64)>) -> Trace {
    let mut builder = TraceBuilder::new(&Limits::default());
    for ((process, category, name, start, end), id) in spans.into_iter().zip(0_i64..) {
        for (phase, at) in [(AsyncPhase::Begin, start), (AsyncPhase::End, end)] {
            let event = KeyedEvent::new(process, Tick(at), id, Text::from(name));
            builder.push(&Event::Async(phase, event.with_category(Text::from(category))));
        }
    }
    builder.finish()
}

#[test]
fn layout_17_4_async_tracks_of_one_kind_are_one_pack() {
    let trace = spans([
        (1, "net", "get", 0, 9),
        (1, "net", "put", 1, 9),
        (1, "net", "get", 2, 9),
        (1, "disk", "get", 3, 9),
        (2, "net", "get", 4, 9),
        (2, "net", "get", 5, 9),
    ]);
    let layout = Layout::new(&trace);
    let groups = AsyncGroup::all(&trace, shown_tracks(&trace, &layout));
    let described: Vec<_> = groups
        .iter()
        .map(|group| {
            let starts = group.tracks.iter().map(|&track| trace.slices_of(track).next().unwrap().1.start.0);
            (
                group.process.unwrap().0,
                trace.name(group.category),
                group.title(&trace),
                starts.collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        described,
        [(0, "net".into(), "get".into(), vec![0, 2]), (1, "net".into(), "get".into(), vec![4, 5])]
    );
    assert!(AsyncGroup::all(&trace, []).is_empty());
}

#[test]
fn layout_17_5_a_pack_of_many_lines_is_folded_until_it_is_opened() {
    const STYLE: VerticalStyle<'_> = VerticalStyle { pack: 2, track: 2, ..VerticalStyle::FLAT };
    for (n_spans, is_folded) in [(AsyncGroup::OPEN_LINES, false), (3000, true)] {
        let trace = spans((0..n_spans as i64).map(|at| (1, "net", "request", at, 10_000)));
        let layout = Layout::new(&trace);
        let groups = AsyncGroup::all(&trace, shown_tracks(&trace, &layout));
        let packs: Vec<_> = groups.iter().map(|group| group.pack(&layout)).collect();
        assert_eq!((packs.len(), packs[0].n_slices(), packs[0].lines().len()), (1, n_spans, n_spans));

        let mut folds = Folds::new();
        folds.fold_tall(&packs);
        assert_eq!(folds.is_folded(LineKind::Pack(PackId(0))), is_folded);
        let last = SliceId(n_spans as u32 - 1);
        let vertical = |folds: &Folds| {
            Vertical::new(&trace, &layout, &VerticalStyle { folds: Some(folds), packs: &packs, ..STYLE })
        };
        if is_folded {
            let vertical = vertical(&folds);
            assert_eq!(vertical.height(), 2);
            assert_eq!(vertical.line_of_slice(&layout, last).unwrap().kind, LineKind::Pack(PackId(0)));
        }
        folds.open_pack(&trace, &packs, last);
        let vertical = vertical(&folds);
        assert_eq!(vertical.height(), 2 + n_spans as u64);
        let line = LineKind::Packed(PackId(0), last.0);
        assert_eq!(vertical.line_of_slice(&layout, last).unwrap().kind, line);
    }
}
