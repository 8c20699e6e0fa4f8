//! How long what was found takes: a histogram.

use alloc::sync::Arc;
use core::{fmt, ops::Range};

use serde::{Deserialize, Serialize};
use spall_trace::layout::{LayoutView, Ruler, Viewport};
use spall_trace::model::{Clock, Tick, Ticks, TraceView, TrackId};
use spall_trace::{Hidden, find};

use crate::{
    Area, Engine, Numbers, Since,
    matcher::{Matcher, matcher},
    number::count,
    shown::{Shown, Work},
    task::{self, Task},
};

/// A wish for a histogram.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct WantedDurations {
    /// The range of time that slices touch, and their tracks.
    pub area: Area,
    /// How many bins there are at most.
    pub bins: u16,
    /// The shortest and the longest duration that the axis has; those of the slices for `None`.
    pub axis: Option<Range<Since>>,
}

/// How long what was found takes, whatever durations are looked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Durations {
    /// What is looked for, without the durations.
    pub pattern: String,
    /// The edges of the bins, one more than there are bins. A duration at an edge is in the bin behind it.
    pub edges: Vec<Since>,
    /// Where each edge is on the axis, from 0 to 1.
    pub places: Numbers<f32>,
    /// How many slices are in each bin.
    pub counts: Numbers<u32>,
    /// What the durations are as a whole: what each fact is, and the fact.
    pub facts: Vec<(&'static str, String)>,
    /// The durations that so many of a hundred slices do not exceed: what to call each, where it is on the axis, and the text.
    pub percentiles: Vec<(&'static str, f32, String)>,
    /// The marks of the axis: the place of each, and its text.
    pub marks: Vec<(f32, String)>,
    /// The stretch of the axis that is looked for, and what is in it.
    pub chosen: Option<(f32, f32, String)>,
}

/// The percentiles that are said.
const PERCENTILES: [(usize, &str); 4] = [(50, "50 %"), (90, "90 %"), (95, "95 %"), (99, "99 %")];

/// What durations are of.
#[derive(Debug, Clone, PartialEq)]
struct Subject {
    pattern: String,
    hidden: Hidden,
    tracks: Vec<TrackId>,
    range: (Tick, Tick),
}

/// The durations that were gathered last, sorted, of two areas that are compared; and those that are being gathered.
#[derive(Default)]
pub(crate) struct Gathered {
    known: Vec<(Subject, Arc<[Ticks]>)>,
    gathering: Option<(Subject, Task<Vec<Ticks>>)>,
}

impl fmt::Debug for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Gathered {
    /// The trace has grown.
    pub(crate) fn grow(&mut self) {
        *self = Self::default();
    }
}

/// The work of gathering durations.
struct Gather {
    subject: Subject,
    matches: Matcher,
}

impl Work for Gather {
    type Output = Vec<Ticks>;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Vec<Ticks> {
        let Self { subject: Subject { hidden, tracks, range: (start, end), .. }, matches } = self;
        let mut is_wanted = vec![false; trace.n_tracks()];
        for track in tracks {
            is_wanted.get_mut(track.index()).into_iter().for_each(|is_wanted| *is_wanted = true);
        }
        let found = task::run(find(trace, layout, &hidden, matches)).await;
        let mut durations = Vec::new();
        for id in found.slices.slices(layout) {
            let is_on_wanted =
                trace.track_of(id).is_some_and(|track| is_wanted.get(track.index()) == Some(&true));
            let slice = trace.slice(id).filter(|slice| is_on_wanted && slice.overlaps(&(start..end)));
            durations.extend(slice.map(|slice| slice.duration()));
        }
        durations.sort_unstable();
        durations
    }
}

impl<S: Shown> Engine<S> {
    /// Begins to gather how long the slices are that are looked for, whatever durations are, and that touch an area. Returns whether
    /// there is something to wait for: nothing is looked for without a pattern.
    pub fn begin_durations(&mut self, area: &Area) -> bool {
        let Some((subject, matches)) = self.subject(area) else { return false };
        if self.gathered.known.iter().any(|(known, _)| *known == subject) {
            self.gathered.gathering = None;
            return true;
        }
        let task = self.shown.start(Gather { subject: subject.clone(), matches });
        self.gathered.gathering = Some((subject, task));
        true
    }

    /// Looks at some slices. Returns whether all are done.
    pub fn step_durations(&mut self) -> bool {
        let Some((_, task)) = &mut self.gathered.gathering else { return true };
        let Some(durations) = task.step() else { return false };
        if let Some((subject, _)) = self.gathered.gathering.take() {
            let known = &mut self.gathered.known;
            known.truncate(1);
            known.insert(0, (subject, durations.into()));
        }
        true
    }

    /// Returns the histogram of the durations that were gathered of an area; `None` if there are none.
    #[must_use]
    pub fn found_durations(&self, wanted: &WantedDurations) -> Option<Durations> {
        let (subject, _) = self.subject(&wanted.area)?;
        let sorted = &self.gathered.known.iter().find(|(known, _)| *known == subject)?.1;
        let clock = self.trace().clock();
        let own = || Some(*sorted.first()?..*sorted.last()? + Ticks(1));
        let axis = wanted.axis.clone().map(|Range { start, end }| start.0..end.0);
        let axis = axis.or_else(own).filter(|axis| axis.start < axis.end).map(|axis| Axis {
            start: axis.start.max(Ticks::ZERO),
            end: axis.end,
            is_linear: self.view.place().linear_durations,
        });
        let Some(axis) = axis else {
            return Some(Durations { pattern: subject.pattern, ..Durations::default() });
        };
        let edges = axis.edges(wanted.bins);
        let n_below = |edge: Ticks| sorted.partition_point(|&duration| duration < edge);
        let in_bin = |pair: &[Ticks]| match pair {
            &[from, to] => u32::try_from(n_below(to) - n_below(from)).unwrap_or(u32::MAX),
            _ => 0,
        };
        let text = |duration: Ticks| clock.duration(duration).to_string();
        let percentile =
            |part: usize| sorted.get((sorted.len() * part).div_ceil(100).saturating_sub(1)).copied();
        let percentiles = PERCENTILES.into_iter().filter_map(|(part, name)| {
            let duration = percentile(part)?;
            Some((name, axis.place(duration), text(duration)))
        });
        let percentiles: Vec<_> = percentiles.collect();
        let total: i128 = sorted.iter().map(|duration| i128::from(duration.0)).sum();
        let ticks = |sum: i128| Ticks(i64::try_from(sum).unwrap_or(i64::MAX));
        let mut facts = vec![("slices", count(sorted.len() as u64))];
        facts.extend(sorted.first().map(|&least| ("min", text(least))));
        facts.extend(percentiles.iter().map(|(name, _, duration)| (*name, duration.clone())));
        facts.extend(sorted.last().map(|&most| ("max", text(most))));
        facts.extend(total.checked_div(sorted.len() as i128).map(|mean| ("mean", text(ticks(mean)))));
        facts.push(("total", text(ticks(total))));
        Some(Durations {
            pattern: subject.pattern,
            places: Numbers(edges.iter().map(|&edge| axis.place(edge)).collect()),
            counts: Numbers(edges.windows(2).map(in_bin).collect()),
            facts,
            percentiles,
            marks: axis.marks(&clock),
            chosen: self.sought_durations().map(|sought| {
                let n_inside = n_below(sought.end) - n_below(sought.start);
                let slices = if n_inside == 1 { "slice" } else { "slices" };
                let what = format!("{} {slices} chosen", count(n_inside as u64));
                (axis.place(sought.start), axis.place(sought.end), what)
            }),
            edges: edges.into_iter().map(Since).collect(),
        })
    }

    /// The durations that the place looks for, if not all.
    fn sought_durations(&self) -> Option<Range<Ticks>> {
        matcher(&self.view.place().search).ok()?.durations_of(&self.trace().clock())
    }

    /// What durations of an area are of, and what matches.
    fn subject(&self, area: &Area) -> Option<(Subject, Matcher)> {
        let matches = matcher(&self.view.place().search).ok()?;
        let (pattern, matches) = (matches.text().to_owned(), matches.without_durations());
        if self.view.place().search.is_empty() {
            return None;
        }
        let Range { start, end } = self.range(area.start, area.end);
        let tracks = self.view.summed_tracks(area, &*self.trace());
        Some((Subject { pattern, hidden: self.filter.hidden.clone(), tracks, range: (start, end) }, matches))
    }
}

/// An axis of durations.
struct Axis {
    start: Ticks,
    end: Ticks,
    is_linear: bool,
}

impl Axis {
    /// A logarithmic axis begins at a tick at least, and what is shorter has the first place.
    fn scale(&self, duration: Ticks) -> f64 {
        match self.is_linear {
            true => duration.0 as f64,
            false => (duration.0.max(0) as f64 + 0.5).ln(),
        }
    }

    /// Where a duration is, from 0 to 1.
    #[expect(clippy::cast_possible_truncation, reason = "a picture is no finer")]
    fn place(&self, duration: Ticks) -> f32 {
        let [start, end, at] = [self.start, self.end, duration].map(|at| self.scale(at));
        ((at - start) / (end - start)).clamp(0.0, 1.0) as f32
    }

    /// The edges of bins of equal widths, as far as whole ticks allow.
    fn edges(&self, bins: u16) -> Vec<Ticks> {
        let [start, end] = [self.start, self.end].map(|at| self.scale(at));
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let edge = |number: u16| {
            let at = start + (end - start) * f64::from(number) / f64::from(bins.max(1));
            Ticks(if self.is_linear { at.round() } else { (at.exp() - 0.5).round() } as i64)
        };
        let inner = (1..bins).map(edge).filter(|&edge| edge > self.start && edge < self.end);
        let mut edges: Vec<Ticks> = core::iter::once(self.start).chain(inner).chain([self.end]).collect();
        edges.dedup();
        edges
    }

    /// Marks with texts, whose places are far enough from each other.
    fn marks(&self, clock: &Clock) -> Vec<(f32, String)> {
        if self.is_linear {
            let viewport = Viewport::new(Tick(self.start.0)..Tick(self.end.0), 1000);
            let ruler = Ruler::since(Tick(0), &viewport, clock.unit, 120);
            return ruler
                .map(|mark| ((mark.x - viewport.offset()) / 1000.0, mark.label.to_string()))
                .collect();
        }
        let per_tick = clock.ns_per_tick().unwrap_or(1.0);
        let decades = (-3..19).flat_map(|power| [1.0, 2.0, 5.0].map(|first| first * 10_f64.powi(power)));
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let mut ticks: Vec<Ticks> = decades.map(|ns| Ticks((ns / per_tick).round() as i64)).collect();
        ticks.retain(|&at| at >= self.start && at < self.end && at > Ticks::ZERO);
        ticks.dedup();
        let mut marks: Vec<(f32, String)> = Vec::new();
        for at in ticks {
            let place = self.place(at);
            if marks.last().is_none_or(|&(last, _)| place - last >= 0.09) {
                marks.push((place, clock.duration(at).to_string()));
            }
        }
        marks
    }
}
