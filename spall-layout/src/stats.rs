//! How much time goes where, by name. \[layout 14\]
#![allow(clippy::indexing_slicing, reason = "positions are of tables built here, bounded by their lengths")]

use alloc::vec::Vec;
use core::ops::Range;

use spall_model::{NameId, Tick, Ticks, Trace, TrackId};

use crate::nested::{Visit, visit_track};
use crate::{EdgeRule, Layout};

/// The slices of one name. Sums saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameStats {
    /// The name.
    pub name: NameId,
    /// How many slices.
    pub count: u64,
    /// Time inside slices of the name. Where one lies inside another of the same name, only the outer one counts.
    pub total: Ticks,
    /// Time inside slices of the name and in no child of theirs.
    pub self_time: Ticks,
    /// The shortest slice.
    pub min: Ticks,
    /// The longest slice.
    pub max: Ticks,
}

/// An open slice.
struct Open {
    visit: Visit,
    /// `None` if it does not count.
    name: Option<NameId>,
    /// Time not in children.
    rest: u64,
}

/// Sums up the slices of `tracks` that touch `range`, by name: the most time first, then by name.
///
/// A slice without length touches the range if it lies in it. O(n log depth) for the n slices in the range.
///
/// ```
/// use spall_layout::{EdgeRule, Layout, Options, stats};
/// # use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for (name, start, length) in [("frame", 0, 100), ("draw", 40, 50)] {
/// #     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
/// #     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
/// # }
/// # let trace = builder.finish(); // frame 0..100, draw 40..90 inside it
/// let layout = Layout::new(&trace, &Options::default());
/// let names = stats(&trace, &layout, [TrackId(0)], Tick(0)..Tick(60), EdgeRule::Clamp);
/// let times: Vec<_> = names.iter().map(|s| (trace.name(s.name), s.total.0, s.self_time.0)).collect();
/// assert_eq!(times, [("frame".into(), 60, 40), ("draw".into(), 20, 20)]);
/// ```
#[must_use]
pub fn stats(
    trace: &Trace<'_>,
    layout: &Layout,
    tracks: impl IntoIterator<Item = TrackId>,
    range: Range<Tick>,
    edges: EdgeRule,
) -> Vec<NameStats> {
    let mut sums = Sums {
        layout,
        edges,
        by_name: alloc::vec![None; trace.names().len()],
        n_open: alloc::vec![0; trace.names().len()],
        open: Vec::new(),
    };
    let names = trace.slices().names();
    for track in tracks {
        visit_track(layout, track, &range, edges, |visit| {
            if let Some(&name) = names.get(visit.slice.index()) {
                sums.add(visit, name);
            }
        });
        sums.close(|_| false);
    }
    let mut found: Vec<NameStats> = sums.by_name.into_iter().flatten().collect();
    found.sort_by_key(|stats| (core::cmp::Reverse(stats.total), stats.name));
    found
}

struct Sums<'l> {
    layout: &'l Layout,
    edges: EdgeRule,
    by_name: Vec<Option<NameStats>>,
    /// How many slices of each name are open.
    n_open: Vec<u32>,
    open: Vec<Open>,
}

impl Sums<'_> {
    fn add(&mut self, visit: Visit, name: NameId) {
        self.close(|open| open.may_hold(&visit));
        let length = visit.length();
        if let Some(parent) = self.open.last_mut() {
            // An async span may outlive its parent.
            let inside = visit.end.min(parent.visit.end).0.saturating_sub(visit.start.0).max(0);
            parent.rest = parent.rest.saturating_sub(inside.unsigned_abs());
        }
        if visit.is_cut && self.edges == EdgeRule::InsideOnly {
            self.open.push(Open { visit, name: None, rest: 0 });
            return;
        }
        let ticks = Ticks(i64::try_from(length).unwrap_or(i64::MAX));
        let stats = self.by_name[name.index()].get_or_insert(NameStats {
            name,
            count: 0,
            total: Ticks::ZERO,
            self_time: Ticks::ZERO,
            min: ticks,
            max: ticks,
        });
        stats.count += 1;
        stats.min = stats.min.min(ticks);
        stats.max = stats.max.max(ticks);
        if self.n_open[name.index()] == 0 {
            stats.total = plus(stats.total, length);
        }
        self.n_open[name.index()] += 1;
        self.open.push(Open { visit, name: Some(name), rest: length });
    }

    /// Closes the innermost slices that are not to be kept.
    fn close(&mut self, keep: impl Fn(&Visit) -> bool) {
        while let Some(Open { visit, name, rest }) = self.open.pop_if(|open| !keep(&open.visit)) {
            let Some(name) = name else { continue };
            self.n_open[name.index()] -= 1;
            // Of a slice that counts whole, children outside of the range were not seen.
            let whole = (visit.is_cut && self.edges == EdgeRule::Whole)
                .then(|| self.layout.self_time(visit.slice))
                .flatten()
                .map_or(rest, |time| time.0.unsigned_abs());
            if let Some(stats) = &mut self.by_name[name.index()] {
                stats.self_time = plus(stats.self_time, whole);
            }
        }
    }
}

fn plus(sum: Ticks, length: u64) -> Ticks {
    Ticks(sum.0.saturating_add_unsigned(length))
}
