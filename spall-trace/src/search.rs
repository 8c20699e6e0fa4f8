//! One search for all viewers.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::{
    fmt::{self, Display, Formatter, Write},
    mem,
    ops::Range,
};

use spall_layout::{AsyncGroup, Hits, LayoutView, LiveView, shown_tracks};
use spall_model::{
    Clock, Flow, FlowId, Instant, Job, LiveSnapshot, NameId, ProcessId, SliceId, Tick, Ticks, TraceView,
    TrackId, TrackKind,
};

use crate::Hidden;

/// What a search looks for. A closure that is called with texts looks for these alone.
pub trait Sought {
    /// Returns whether a text matches.
    fn matches(&self, text: &str) -> bool;

    /// Returns the durations of the slices that are looked for, or `None` if all are. Then nothing else is found, as only slices
    /// have a duration.
    fn durations(&self, clock: &Clock) -> Option<Range<Ticks>> {
        _ = clock;
        None
    }

    /// Returns what tells whether a category is looked for, or `None` if all are. Then only slices, instants and flows are found,
    /// as nothing else has categories.
    fn category(&self) -> Option<&dyn Fn(&str) -> bool> {
        None
    }

    /// Returns what tells of a path whether what is there is looked for, or `None` if everything is. The path of a process is its
    /// title, and that of a track has a slash and its own title behind that.
    fn path(&self) -> Option<&dyn Fn(&str) -> bool> {
        None
    }
}

impl<F: Fn(&str) -> bool> Sought for F {
    fn matches(&self, text: &str) -> bool {
        self(text)
    }
}

/// What a search finds in a trace. It is written as its counts: `14 slices, 1 instant, 2 tracks`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Found {
    /// The slices of the layout whose name matches, or whose arguments do.
    pub slices: Hits,
    /// The instants that are shown and whose name matches, or whose arguments do, in the order of time.
    pub instants: Vec<Timed>,
    /// The flows between slices that are shown and whose name matches, or whose arguments do, in the order in which they leave. The
    /// name of the slice that a flow leaves is none of its own.
    pub flows: Vec<Timed>,
    /// The processes of the tracks that are shown whose title matches, in the order of the trace.
    pub processes: Vec<ProcessId>,
    /// The tracks that are shown and whose title matches, in the order of the trace. Of async tracks that share lines, this is
    /// the first one.
    pub tracks: Vec<TrackId>,
    /// Those of such tracks that are counters.
    pub counters: Vec<TrackId>,
    tables: Tables,
    /// The positions of tracks in the order of the trace, by their numbers, which that of a live trace are not.
    order: Vec<u32>,
    /// The number of instants that were looked at.
    n_looked_at: u32,
}

/// Something that was found and has a time: an instant, or a flow. Those at one time have the order of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timed {
    /// The time of the instant, or when the flow leaves.
    pub at: Tick,
    /// The position of the track of an instant in the order of the trace.
    order: u32,
    /// The number of the instant or of the flow in the trace.
    pub number: u32,
}

impl Timed {
    /// Returns something with a time and a number.
    #[must_use]
    pub fn new(at: Tick, number: u32) -> Self {
        Self { at, order: 0, number }
    }
}

/// Finds everything of a trace that `matches`, such as a closure that is called with texts. Each viewer asks this, so that all of them count the
/// same. [layout 13.3](spall_layout::rules::layout#13.3)
///
/// ```
/// use spall_trace::{Hidden, find, ignoring_case, layout::Layout, model::Job};
/// let data = br#"[{"ph":"X","name":"Draw","pid":1,"tid":1,"ts":0,"dur":4},
///                 {"ph":"X","name":"load","pid":1,"tid":1,"ts":5,"dur":4,"args":{"what":"drawing"}},
///                 {"ph":"i","name":"redraw","pid":1,"tid":1,"ts":5,"s":"t"}]"#;
/// let trace = spall_trace::load(data)?;
/// let layout = Layout::new(&trace);
/// let found = find(&trace, &layout, &Hidden::default(), ignoring_case("draw")).run();
/// assert_eq!(found.to_string(), "2 slices, 1 instant");
/// # Ok::<(), spall_trace::Error>(())
/// ```
pub fn find<'t, T: TraceView, L: LayoutView, M: Sought>(
    trace: &'t T,
    layout: &'t L,
    hidden: &Hidden,
    matches: M,
) -> impl Job<Output = Found> + use<'t, T, L, M> {
    let wanted = Wanted::new(trace, &Tables::default(), matches);
    search(trace, layout, hidden, wanted)
}

impl Found {
    /// Returns whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts().iter().all(|&(count, _)| count == 0)
    }

    /// Returns whether a name matches, whatever has it.
    #[must_use]
    pub fn is_name(&self, name: NameId) -> bool {
        is_in(&self.tables.names, name.index())
    }

    /// Returns the position among [`Found::instants`] of the instant with a number; `None` if it was not found.
    #[must_use]
    pub fn position_of_instant(&self, trace: &impl TraceView, number: u32) -> Option<usize> {
        let (track, instant) = trace.instant(number)?;
        self.instants.binary_search(&self.timed(track, instant.at, number)).ok()
    }

    /// Goes on with a search of a live trace over what the last commit has brought, and finds what [`find`] would find in the
    /// whole. Begin with nothing or with what [`find`] has found, and pass every commit since then. This takes as long as there are new names and items, and names of
    /// tracks; if a title has changed so that other tracks are looked at, it is a new search.
    /// [layout 18.6](spall_layout::rules::layout#18.6)
    pub fn grow(
        &mut self,
        trace: &LiveSnapshot<'_>,
        layout: &LiveView<'_>,
        hidden: &Hidden,
        matches: impl Sought,
    ) {
        let wanted = Wanted::new(trace, &self.tables, matches);
        let [before, now] = [&self.tables, &wanted.tables].map(|tables| tables.tracks.as_deref());
        if before.zip(now).is_some_and(|(before, now)| !now.starts_with(before)) {
            *self = search(trace, layout, hidden, wanted).run();
            return;
        }
        self.tables = wanted.tables.clone();
        let order = mem::take(&mut self.order);
        self.look_at_tracks(trace, layout, hidden, &wanted);
        if self.order != order {
            self.order_again(trace);
        }
        let n_sorted = self.instants.len();
        self.look_at_instants(trace, hidden, &wanted, usize::MAX, &mut String::new());
        self.sort_instants(n_sorted);
        self.slices.grow(layout, wanted.in_slice(trace));
    }

    /// How many there are of each kind.
    fn counts(&self) -> [(usize, &'static str); 6] {
        [
            (self.slices.len() as usize, "slice"),
            (self.instants.len(), "instant"),
            (self.flows.len(), "flow"),
            (self.tracks.len(), "track"),
            (self.counters.len(), "counter"),
            (self.processes.len(), "process"),
        ]
    }

    fn timed(&self, track: TrackId, at: Tick, number: u32) -> Timed {
        Timed { at, order: self.order.get(track.index()).copied().unwrap_or(u32::MAX), number }
    }

    /// Finds processes and tracks.
    fn look_at_tracks(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        hidden: &Hidden,
        wanted: &Wanted<impl Sought>,
    ) {
        self.order = alloc::vec![0; trace.n_tracks()];
        for (position, track) in (0..).zip(trace.track_ids()) {
            self.order.get_mut(track.index()).into_iter().for_each(|of_track| *of_track = position);
        }
        if wanted.durations.is_some() || wanted.tables.categories.is_some() {
            return;
        }
        let mut shown = shown_tracks(trace, layout);
        shown.retain(|&track| hidden.shows_track(track));
        let kind = |track: TrackId| trace.track_info(track).map(|track| track.kind);
        let is_counter = |track: TrackId| matches!(kind(track), Some(TrackKind::Counter { .. }));
        let mut processes: Vec<ProcessId> =
            shown.iter().filter_map(|&track| trace.track_info(track)?.process).collect();
        processes.dedup();
        processes.retain(|&process| {
            let title = trace.process_title(process);
            wanted.matches.path().is_none_or(|is_wanted| is_wanted(&title)) && wanted.matches.matches(&title)
        });
        shown.retain(|&track| {
            wanted.is_on(|| Some(track)) && wanted.matches.matches(&trace.track_title(track))
        });
        let groups = AsyncGroup::all(trace, shown.iter().copied());
        let mut others: Vec<TrackId> =
            groups.iter().flat_map(|group| group.tracks.get(1..).unwrap_or_default()).copied().collect();
        others.sort_unstable();
        shown.retain(|track| others.binary_search(track).is_err());
        self.processes = processes;
        (self.counters, self.tracks) = shown.into_iter().partition(|&track| is_counter(track));
    }

    /// Looks at some instants. Returns whether all were looked at.
    fn look_at_instants(
        &mut self,
        trace: &impl TraceView,
        hidden: &Hidden,
        wanted: &Wanted<impl Sought>,
        work: usize,
        text: &mut String,
    ) -> bool {
        let end = match wanted.durations {
            Some(_) => self.n_looked_at,
            None => trace
                .n_instants()
                .min(self.n_looked_at.saturating_add(u32::try_from(work).unwrap_or(u32::MAX))),
        };
        for number in self.n_looked_at..end {
            let Some((track, instant)) = trace.instant(number) else { continue };
            let Instant { at, name, category, .. } = instant;
            let is_shown = hidden.shows_track(track) && hidden.shows(name, category);
            if is_shown
                && wanted.is_in_scope(category, || Some(track))
                && (self.is_name(name) || wanted.is_in_args(trace.args_of(&instant), text))
            {
                self.instants.push(self.timed(track, at, number));
            }
        }
        self.n_looked_at = end;
        end == trace.n_instants() || wanted.durations.is_some()
    }

    /// Puts those that were found behind the first ones, which are in order, into their places.
    fn sort_instants(&mut self, n_sorted: usize) {
        let (sorted, new) = self.instants.split_at(n_sorted);
        let first = new.iter().min();
        let from = sorted.partition_point(|known| first.is_none_or(|first| known < first));
        self.instants.get_mut(from..).unwrap_or_default().sort();
    }

    /// The first tracks of a process stand before those of the next one, however late they come.
    fn order_again(&mut self, trace: &impl TraceView) {
        let mut instants = mem::take(&mut self.instants);
        for instant in &mut instants {
            if let Some((track, _)) = trace.instant(instant.number) {
                *instant = self.timed(track, instant.at, instant.number);
            }
        }
        instants.sort();
        self.instants = instants;
    }

    /// Finds a flow, unless it has nothing but the name of the slice that it leaves.
    fn look_at_flow(
        &mut self,
        trace: &impl TraceView,
        hidden: &Hidden,
        wanted: &Wanted<impl Sought>,
        (id, flow): (FlowId, &Flow),
        text: &mut String,
    ) {
        let ends = [flow.from, flow.to];
        let is_own = || trace.slice_name_id(flow.from) != Some(flow.name);
        let has_name = || self.is_name(flow.name) && (is_own() || wanted.matches.matches(""));
        let (leaving, arriving) = trace.flow_args(flow);
        if ends.iter().all(|&slice| hidden.shows_slice(trace, slice))
            && ends.iter().any(|&slice| wanted.is_in_scope(flow.category, || trace.track_of(slice)))
            && (has_name() || wanted.is_in_args(leaving, text) || wanted.is_in_args(arriving, text))
        {
            self.flows.push(Timed::new(flow.leaves, id.0));
        }
    }
}

fn is_in(list: &[bool], position: usize) -> bool {
    list.get(position) == Some(&true)
}

/// Which names, categories and tracks of a trace are looked for, by their numbers; `None` if all categories or tracks are.
#[derive(Debug, Clone, Default)]
struct Tables {
    names: Arc<[bool]>,
    categories: Option<Arc<[bool]>>,
    tracks: Option<Arc<[bool]>>,
}

/// What is looked for in a trace.
struct Wanted<M> {
    matches: Arc<M>,
    durations: Option<Range<Ticks>>,
    tables: Tables,
    /// Whether not all durations, categories and tracks are looked for.
    is_limited: bool,
}

impl<M> Clone for Wanted<M> {
    fn clone(&self) -> Self {
        let Self { matches, durations, tables, is_limited } = self;
        Self {
            matches: Arc::clone(matches),
            durations: durations.clone(),
            tables: tables.clone(),
            is_limited: *is_limited,
        }
    }
}

impl<M: Sought> Wanted<M> {
    /// Asks for the names that are new, and for the paths of all tracks, which may have another title.
    fn new(trace: &impl TraceView, known: &Tables, matches: M) -> Self {
        let more = |known: &Arc<[bool]>, is_wanted: &dyn Fn(&str) -> bool| -> Arc<[bool]> {
            if known.len() == trace.names().len() {
                return Arc::clone(known);
            }
            let new =
                (known.len()..trace.names().len()).map(|name| is_wanted(&trace.name(NameId::new(name))));
            known.iter().copied().chain(new).collect()
        };
        let path = |track: TrackId| {
            let process = trace.track_info(track).and_then(|track| track.process);
            let process =
                process.map_or_else(String::new, |process| String::from(trace.process_title(process)) + "/");
            process + &trace.track_title(track)
        };
        let is_category = |is_wanted: &dyn Fn(&str) -> bool, text: &str| {
            text.split(',').any(|category| is_wanted(category.trim()))
        };
        let tables = Tables {
            names: more(&known.names, &|text| matches.matches(text)),
            categories: matches.category().map(|is_wanted| {
                more(known.categories.as_ref().unwrap_or(&Arc::default()), &|text| {
                    is_category(is_wanted, text)
                })
            }),
            tracks: matches.path().map(|is_wanted| {
                (0..trace.n_tracks()).map(|track| is_wanted(&path(TrackId::new(track)))).collect()
            }),
        };
        let durations = matches.durations(&trace.clock());
        let is_limited = durations.is_some() || tables.categories.is_some() || tables.tracks.is_some();
        Self { matches: Arc::new(matches), durations, tables, is_limited }
    }

    /// Returns whether a track is one of those that are looked at.
    fn is_on(&self, track: impl Fn() -> Option<TrackId>) -> bool {
        let is_wanted = |tracks: &Arc<[bool]>| track().is_some_and(|track| is_in(tracks, track.index()));
        self.tables.tracks.as_ref().is_none_or(is_wanted)
    }

    /// Returns whether something of a category on a track may be found.
    fn is_in_scope(&self, category: NameId, track: impl Fn() -> Option<TrackId>) -> bool {
        self.tables.categories.as_ref().is_none_or(|list| is_in(list, category.index())) && self.is_on(track)
    }

    /// Returns whether a slice may be found, as it takes as long as is wanted and is in scope.
    fn may_be(&self, trace: &impl TraceView, id: SliceId) -> bool {
        !self.is_limited
            || trace.slice(id).is_some_and(|slice| {
                self.durations.as_ref().is_none_or(|durations| durations.contains(&slice.duration()))
                    && self.is_in_scope(slice.category, || trace.track_of(id))
            })
    }

    fn is_in_args(&self, args: impl Display, text: &mut String) -> bool {
        text.clear();
        write!(text, "{args}").is_ok() && !text.is_empty() && self.matches.matches(text)
    }

    /// Returns what tells whether a slice matches: it may be found, and its name matches, or its arguments do.
    fn in_slice<T: TraceView>(self, trace: &T) -> impl FnMut(SliceId) -> bool + use<'_, T, M> {
        let mut text = String::new();
        move |id| {
            let is_named = || {
                let name = trace.slice_name_id(id);
                name.is_some_and(|name| is_in(&self.tables.names, name.index()))
            };
            let mut has_args = || {
                let args = trace.slice_args(id);
                !args.is_none() && self.is_in_args(args, &mut text)
            };
            self.may_be(trace, id) && (is_named() || has_args())
        }
    }
}

/// Returns what [`find`] asks in order to find a text, whether in upper or in lower case.
pub fn ignoring_case(text: &str) -> impl Fn(&str) -> bool + use<> {
    let wanted = text.to_lowercase();
    move |text: &str| text.to_lowercase().contains(&wanted)
}

/// Begins a search.
fn search<'t, T: TraceView, L: LayoutView, M: Sought>(
    trace: &'t T,
    layout: &'t L,
    hidden: &Hidden,
    wanted: Wanted<M>,
) -> impl Job<Output = Found> + use<'t, T, L, M> {
    let mut found = Found { tables: wanted.tables.clone(), ..Found::default() };
    found.look_at_tracks(trace, layout, hidden, &wanted);
    let slices = Some(Hits::of_slices(layout, wanted.clone().in_slice(trace)));
    Search { trace, hidden: hidden.clone(), wanted, slices, n_flows: 0, found, text: String::new() }
}

/// A search of slices, then of instants, then of flows.
struct Search<'t, T, J, M> {
    trace: &'t T,
    hidden: Hidden,
    wanted: Wanted<M>,
    /// `None` once all slices were looked at.
    slices: Option<J>,
    /// The number of flows that were looked at.
    n_flows: usize,
    found: Found,
    text: String,
}

impl<T: TraceView, J: Job<Output = Hits>, M: Sought> Job for Search<'_, T, J, M> {
    type Output = Found;

    /// Looks at no more than `work` elements of each kind.
    fn step(&mut self, work: usize) -> Option<Found> {
        let Self { trace, hidden, wanted, found, text, .. } = self;
        if let Some(slices) = &mut self.slices {
            found.slices = slices.step(work)?;
            self.slices = None;
        }
        if !found.look_at_instants(*trace, hidden, wanted, work, text) {
            return None;
        }
        let flows = if wanted.durations.is_some() { &[] } else { trace.flows() };
        let end = flows.len().min(self.n_flows.saturating_add(work));
        for (number, flow) in (self.n_flows..end).zip(flows.get(self.n_flows..).unwrap_or_default()) {
            found.look_at_flow(*trace, hidden, wanted, (FlowId::new(number), flow), text);
        }
        self.n_flows = end;
        if end < flows.len() {
            return None;
        }
        found.sort_instants(0);
        found.flows.sort();
        Some(mem::take(found))
    }
}

impl Display for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, (count, what)) in self.counts().into_iter().enumerate() {
            let plural = match what {
                _ if count == 1 => "",
                "process" => "es",
                _ => "s",
            };
            match position {
                0 => write!(f, "{count} {what}{plural}")?,
                _ if count > 0 => write!(f, ", {count} {what}{plural}")?,
                _ => {}
            }
        }
        Ok(())
    }
}
