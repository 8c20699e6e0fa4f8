//! Search: slices by name and by their arguments, instants and tracks.

use alloc::sync::Arc;
use core::{fmt, ops::Range};

use serde::Serialize;
use spall_trace::layout::{Hits, LayoutView, LiveView, Rect, Viewport};
use spall_trace::model::{Clock, Job, LiveSnapshot, NameId, SliceId, Ticks, TraceView};
use spall_trace::{Found, Hidden, Sought, find, ignoring_case};

use crate::{
    Engine, Numbers, Since,
    item::Item,
    shown::{Shown, Work},
    task::{self, Task},
};

/// What a pattern looks for: [`matcher`].
#[derive(Clone)]
pub struct Matcher {
    /// The pattern without the durations.
    text: String,
    matches: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    durations: Vec<Bound>,
}

/// A bound of durations, such as `< 20 ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    /// Whether durations below the bound are wanted, and those above, and whether the bound itself is.
    below: bool,
    above: bool,
    equal: bool,
    value: f64,
    /// The nanoseconds of the unit; `None` for ticks.
    unit: Option<f64>,
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("text", &self.text)
            .field("durations", &self.durations)
            .finish_non_exhaustive()
    }
}

impl Matcher {
    /// Returns the pattern without the durations.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it says anything of durations.
    pub(crate) fn has_durations(&self) -> bool {
        !self.durations.is_empty()
    }

    /// Returns what looks for the same, whatever it takes.
    #[must_use]
    pub(crate) fn without_durations(&self) -> Self {
        Self { durations: Vec::new(), ..self.clone() }
    }

    /// Returns the durations that are looked for, on a clock; `None` if all are.
    pub(crate) fn durations_of(&self, clock: &Clock) -> Option<Range<Ticks>> {
        let (mut least, mut end) = (0, i64::MAX);
        for &Bound { below, above, equal, value, unit } in &self.durations {
            let per_tick = clock.ns_per_tick();
            // What counts no time has no duration in milliseconds.
            let Some(at) = unit.map_or(Some(value), |unit| Some(value * unit / per_tick?)) else {
                return Some(Ticks::ZERO..Ticks::ZERO);
            };
            // What is written with decimals may be a little beside a tick.
            let whole = at.round();
            let at = if (at - whole).abs() <= 1e-6 * whole.max(1.0) { whole } else { at };
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            let (up, down) = (at.ceil() as i64, at.floor() as i64);
            if !below {
                least = least.max(if equal { up } else { down.saturating_add(1) });
            }
            if !above {
                end = end.min(if equal { down.saturating_add(1) } else { up });
            }
        }
        (!self.durations.is_empty()).then(|| Ticks(least)..Ticks(end.max(least)))
    }
}

impl Sought for Matcher {
    fn matches(&self, text: &str) -> bool {
        (self.matches)(text)
    }

    fn durations(&self, clock: &Clock) -> Option<Range<Ticks>> {
        self.durations_of(clock)
    }
}

/// The units of durations in a pattern, with their nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 6e10)];

/// Takes the durations off the end of a pattern.
fn split_durations(pattern: &str) -> (&str, Vec<Bound>) {
    let bound = regex_lite::Regex::new(
        r"(?:^|[\s,]+)(?i:dur|duration)\s*(<=|>=|<|>|=)\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s|min|ticks?)?\s*,?\s*$",
    );
    let (mut rest, mut bounds) = (pattern.trim(), Vec::new());
    while let Some(found) = bound.as_ref().ok().and_then(|bound| bound.captures(rest)) {
        let group = |number: usize| found.get(number).map_or("", |group| group.as_str());
        let (sign, unit) = (group(1), group(3));
        let Some((all, value)) = found.get(0).zip(group(2).parse().ok()) else { break };
        bounds.push(Bound {
            below: sign.starts_with('<'),
            above: sign.starts_with('>'),
            equal: sign.ends_with('='),
            value,
            unit: UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, ns)| ns),
        });
        rest = rest.get(..all.start()).unwrap_or_default().trim_end();
    }
    (rest, bounds)
}

/// Durations as a pattern says them, exact to the tick.
pub(crate) fn pattern_of(durations: &Range<Ticks>, clock: &Clock) -> String {
    let text = |Ticks(ticks): Ticks| {
        let ns = clock.ns_per_tick().filter(|ns| ns.fract() == 0.0).map(|ns| ticks as f64 * ns);
        let Some(ns) = ns.filter(|&ns| ns < (1_u64 << 53) as f64) else { return format!("{ticks} ticks") };
        let (unit, size) = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
            .into_iter()
            .find(|&(_, size)| ns >= size)
            .unwrap_or(("ns", 1.0));
        format!("{} {unit}", ns / size)
    };
    format!("dur >= {}, dur < {}", text(durations.start), text(durations.end))
}

/// What the last search found.
#[derive(Default)]
pub(crate) struct Search {
    found: Option<Found>,
    /// What is looked for: what matches, or a name.
    matches: Option<Matcher>,
    name: Option<NameId>,
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("found", &self.found).finish_non_exhaustive()
    }
}

impl Search {
    /// Whether something matches in a box. For the box of a shared line this is its owner.
    pub(crate) fn is_hit(&self, layout: &impl LayoutView, rect: &Rect) -> bool {
        let is_hit =
            |hits: &Hits| hits.in_rect(rect).map_or_else(|| hits.has(layout, rect.slice), |count| count > 0);
        self.hits().is_some_and(is_hit)
    }

    pub(crate) fn is_name(&self, name: NameId) -> bool {
        self.found.as_ref().is_some_and(|found| found.names.get(name.index()) == Some(&true))
    }

    /// Whether an instant of a name is found.
    pub(crate) fn is_instant(&self, name: NameId) -> bool {
        self.matches.as_ref().is_none_or(|matches| matches.durations.is_empty()) && self.is_name(name)
    }

    pub(crate) fn hits(&self) -> Option<&Hits> {
        Some(&self.found.as_ref()?.slices)
    }

    /// Goes on over what a commit of a live trace has brought.
    pub(crate) fn grow(&mut self, trace: &LiveSnapshot<'_>, layout: &LiveView<'_>, hidden: &Hidden) {
        let Some(found) = &mut self.found else { return };
        match (&self.matches, self.name) {
            (Some(matches), _) => found.grow(trace, layout, hidden, matches.clone()),
            (None, name) => found.slices.grow(layout, |slice| trace.slice_name_id(slice) == name),
        }
    }
}

/// A search that goes on step by step.
pub(crate) struct Searching {
    task: Task<Found>,
    matches: Matcher,
}

impl fmt::Debug for Searching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searching").finish_non_exhaustive()
    }
}

/// The work of a search.
struct Find {
    hidden: Hidden,
    matches: Matcher,
}

impl Work for Find {
    type Output = Found;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Found {
        let Self { hidden, matches } = self;
        task::run(find(trace, layout, &hidden, matches)).await
    }
}

/// How many of each kind were found, and the headers of the tracks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FoundCounts {
    /// The counts as a text: `14 slices, 1 instant`.
    pub text: String,
    /// How many slices were found.
    pub slices: u32,
    /// How many instants were found.
    pub instants: usize,
    /// How many tracks were found.
    pub n_tracks: usize,
    /// The tracks and packs that were found.
    pub tracks: Vec<Item>,
}

/// A slice that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hit {
    /// The slice.
    #[cfg_attr(test, ts(as = "u32"))]
    pub slice: SliceId,
    /// Its position among all hits.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// When it starts.
    pub start: Since,
    /// The argument that matches, if it is not the name.
    pub matched: Option<String>,
}

/// Returns what tells whether a text matches: it contains the pattern, whether in upper or in lower case, or what stands
/// between slashes is a regular expression that matches.
///
/// Durations may follow: `draw dur >= 10 ms, dur < 20 ms` are slices, and nothing else, that match and take so long. The units are
/// those of time from `ns` to `min`; a number without one counts ticks.
///
/// # Errors
///
/// Says what is wrong with a regular expression.
pub fn matcher(pattern: &str) -> Result<Matcher, String> {
    let (pattern, durations) = split_durations(pattern);
    let expression = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let expression = expression.filter(|expression| !expression.is_empty());
    let expression = expression.map(|expression| {
        let built = regex_lite::RegexBuilder::new(expression).case_insensitive(true).build();
        built.map_err(|error| error.to_string())
    });
    let (expression, contains) = (expression.transpose()?, ignoring_case(pattern));
    let matches = move |text: &str| match &expression {
        Some(expression) => expression.is_match(text),
        None => contains(text),
    };
    Ok(Matcher { text: pattern.into(), matches: Arc::new(matches), durations })
}

impl<S: Shown> Engine<S> {
    /// Begins to find what [`matcher`] says. Until it is found, what was found before stays.
    ///
    /// # Errors
    ///
    /// Says what is wrong with a regular expression.
    pub fn begin_find(&mut self, pattern: &str) -> Result<(), String> {
        self.asked.forget_find();
        let matches = matcher(pattern)?;
        let work = Find { hidden: self.filter.hidden.clone(), matches: matches.clone() };
        let task = self.shown.start(work);
        self.searching = Some(Searching { task, matches });
        Ok(())
    }

    /// Returns whether something is being looked for.
    #[must_use]
    pub fn is_finding(&self) -> bool {
        self.searching.is_some()
    }

    /// Looks for what the place says.
    pub(crate) fn find_again(&mut self) {
        let pattern = self.view.place().search.clone();
        if pattern.is_empty() || self.begin_find(&pattern).is_err() {
            self.find_nothing();
        }
    }

    /// Looks at some slices, or at all of a trace that grows. Returns what was found once all were looked at.
    pub fn step_find(&mut self) -> Option<FoundCounts> {
        if let Some(Searching { task, .. }) = &mut self.searching {
            let found = Some(task.step()?);
            let matches = self.searching.take().map(|searching| searching.matches);
            self.search = Search { found, matches, name: None };
        }
        self.found()
    }

    /// Finds all slices of the name of a slice; `None` if there is no such slice.
    pub fn find_name(&mut self, slice: SliceId) -> Option<FoundCounts> {
        let wanted = self.trace().slice_name_id(slice)?;
        let mut found = Found::default();
        found.slices = Hits::of_names(&*self.trace(), &*self.layout(), |name| name == wanted).run();
        self.search = Search { found: Some(found), matches: None, name: Some(wanted) };
        self.found()
    }

    /// Forgets the search.
    pub fn find_nothing(&mut self) {
        self.asked.forget_find();
        (self.search, self.searching) = (Search::default(), None);
    }

    /// Returns what the last search has found, with all slices; `None` if there was none.
    #[must_use]
    pub fn found_all(&self) -> Option<&Found> {
        self.search.found.as_ref()
    }

    /// Returns the counts of what the last search has found, and the tracks; `None` if there was none.
    #[must_use]
    pub fn found(&self) -> Option<FoundCounts> {
        let found = self.search.found.as_ref()?;
        let mut tracks: Vec<_> = found.tracks.iter().map(|&track| self.view.items.item_of(track)).collect();
        tracks.dedup();
        let (slices, instants, n_tracks) = (found.slices.len(), found.instants, found.tracks.len());
        Some(FoundCounts { text: found.to_string(), slices, instants, n_tracks, tracks })
    }

    /// Returns up to `count` hits that follow upon a slice or a time, or precede it. Without a search there are none.
    #[must_use]
    pub fn hits(&self, slice: Option<SliceId>, at: Since, is_backwards: bool, count: usize) -> Vec<Hit> {
        let Some(hits) = self.search.hits() else { return Vec::new() };
        let layout = &*self.layout();
        let beyond = |slice: SliceId| match is_backwards {
            true => hits.previous(layout, slice),
            false => hits.next(layout, slice),
        };
        let first = match (slice, is_backwards) {
            (Some(slice), _) => beyond(slice),
            (None, false) => hits.first_from(layout, self.tick(at)),
            (None, true) => hits.last_before(layout, self.tick(at)),
        };
        let found = core::iter::successors(first, |&slice| beyond(slice)).take(count);
        found.filter_map(|slice| self.hit(hits, slice)).collect()
    }

    /// Returns how many hits there are in each column of a range.
    #[must_use]
    pub fn hits_overview(&self, start: Since, end: Since, columns: u16) -> Numbers<u32> {
        let viewport = Viewport::new(self.range(start, end), columns);
        let mut found = vec![0_u32; viewport.columns() as usize];
        let mut rects = Vec::new();
        if let Some(hits) = self.search.hits() {
            let (trace, layout) = (self.shown.trace(), self.shown.layout());
            let rows = trace.track_ids().flat_map(|track| layout.track_rows(track));
            for row in rows.filter(|&row| hits.in_row(row) > 0) {
                rects.clear();
                layout.row(row).into_iter().for_each(|row| row.rects(&viewport, &mut rects));
                for rect in &rects {
                    let count = hits.in_rect(rect).unwrap_or(0);
                    let columns = found.get_mut(rect.x0 as usize..rect.x1 as usize);
                    columns.into_iter().flatten().for_each(|column| *column += count);
                }
            }
        }
        Numbers(found)
    }

    /// Returns the selected slice as a hit, if it is one.
    #[must_use]
    pub fn selected_hit(&self) -> Option<Hit> {
        let (hits, slice) = (self.search.hits()?, self.view.selected_slice()?);
        hits.has(&*self.layout(), slice).then(|| self.hit(hits, slice)).flatten()
    }

    fn hit(&self, hits: &Hits, slice: SliceId) -> Option<Hit> {
        let placed = self.layout().place(slice)?;
        Some(Hit {
            slice,
            rank: hits.rank(&*self.layout(), slice),
            name: self.trace().slice_name(slice).into(),
            start: self.since(placed.start),
            matched: self.matched(slice),
        })
    }

    /// The first argument of a slice that matches, unless its name does.
    fn matched(&self, slice: SliceId) -> Option<String> {
        let matches = self.search.matches.as_ref()?;
        let is_named = self.trace().slice_name_id(slice).is_some_and(|name| self.search.is_name(name));
        let trace = self.shown.trace();
        let args = trace.slice_args(slice);
        let mut args = args.iter().map(|(key, value)| format!("{key}: {value}"));
        if is_named { None } else { args.find(|arg| matches.matches(arg)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durations(pattern: &str) -> (String, Option<Range<i64>>) {
        let matches = matcher(pattern).unwrap_or_else(|error| panic!("{error}"));
        let range = matches.durations_of(&Clock::NANOSECONDS);
        (matches.text, range.map(|range| range.start.0..range.end.0))
    }

    #[test]
    fn durations_follow_a_pattern() {
        let max = i64::MAX;
        for (pattern, text, range) in [
            ("draw", "draw", None),
            ("draw dur > 10ms", "draw", Some(10_000_001..max)),
            ("draw dur>=10 ms, dur<20ms", "draw", Some(10_000_000..20_000_000)),
            ("dur <= 1.5 us", "", Some(0..1501)),
            ("/^a b$/ duration = 0.3ms", "/^a b$/", Some(300_000..300_001)),
            ("a, dur > 7, dur < 9 ticks,", "a", Some(8..9)),
            ("dur > 9 dur < 5", "", Some(10..10)),
            ("introdur > 5", "introdur > 5", None),
            ("dur > 5 apples", "dur > 5 apples", None),
            ("dur > 5 ms draw", "dur > 5 ms draw", None),
        ] {
            assert_eq!(durations(pattern), (text.to_owned(), range), "{pattern}");
        }
    }

    #[test]
    fn durations_are_written_exactly() {
        for (start, end) in [(0, 1), (1, 999), (1000, 1_234_567), (1_000_000_001, 9_007_199_254_740_991)] {
            let pattern = pattern_of(&(Ticks(start)..Ticks(end)), &Clock::NANOSECONDS);
            assert_eq!(durations(&pattern), (String::new(), Some(start..end)), "{pattern}");
        }
        let pattern = pattern_of(&(Ticks(10_000_000)..Ticks(20_500_000)), &Clock::NANOSECONDS);
        assert_eq!(pattern, "dur >= 10 ms, dur < 20.5 ms");
    }

    #[test]
    fn what_counts_no_time_has_durations_in_ticks() {
        let clock = Clock::new(spall_trace::model::Unit::Bytes);
        let of = |pattern: &str| matcher(pattern).ok().and_then(|matches| matches.durations_of(&clock));
        assert_eq!(of("dur > 5"), Some(Ticks(6)..Ticks(i64::MAX)));
        assert!(of("dur > 5 ms").is_some_and(|range| range.is_empty()));
    }
}
