//! One search for all viewers.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::{
    fmt::{self, Display, Formatter, Write},
    ops::Range,
};

use spall_layout::{Hits, LayoutView, LiveView, shown_tracks};
use spall_model::{Clock, Job, LiveSnapshot, NameId, SliceId, Ticks, TraceView, TrackId};

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
    /// The number of instants that are shown and whose name matches.
    pub instants: usize,
    /// The tracks that are shown and whose title matches.
    pub tracks: Vec<TrackId>,
    /// Whether each name of the trace matches, by its number.
    pub names: Arc<[bool]>,
    /// The number of instants that were looked at.
    n_looked_at: u32,
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
    let names: Arc<[bool]> = matching_names(trace, 0, &matches).collect();
    let durations = matches.durations(&trace.clock());
    let shown = trace.track_ids().filter(|&track| durations.is_none() && hidden.shows_track(track));
    let instants = shown.flat_map(|track| trace.instants_of(track));
    let instants = instants.filter(|instant| is_named(&names, instant.name));
    let instants = instants.filter(|instant| hidden.shows(instant.name, instant.category)).count();
    let tracks = matching_tracks(trace, layout, hidden, &matches);
    let (slices, n_looked_at) = (Hits::default(), trace.n_instants());
    let found = Found { slices, instants, tracks, names: Arc::clone(&names), n_looked_at };
    Search { slices: Hits::of_slices(layout, in_slice(trace, names, durations, matches)), found }
}

impl Found {
    /// Goes on with a search of a live trace over what the last commit has brought, and finds what [`find`] would find in the
    /// whole. Begin with nothing or with what [`find`] has found, and pass every commit since then. This takes as long as there are new names and items, and names of
    /// tracks. [layout 18.6](spall_layout::rules::layout#18.6)
    pub fn grow(
        &mut self,
        trace: &LiveSnapshot<'_>,
        layout: &LiveView<'_>,
        hidden: &Hidden,
        matches: impl Sought,
    ) {
        let durations = matches.durations(&trace.clock());
        if self.names.len() < trace.names().len() {
            let new = matching_names(trace, self.names.len(), &matches);
            self.names = self.names.iter().copied().chain(new).collect();
        }
        let new = (self.n_looked_at..trace.n_instants()).filter_map(|number| trace.instant(number));
        let new = new.filter(|(track, instant)| {
            let is_shown = durations.is_none()
                && hidden.shows_track(*track)
                && hidden.shows(instant.name, instant.category);
            is_shown && is_named(&self.names, instant.name)
        });
        self.instants += new.count();
        self.n_looked_at = trace.n_instants();
        self.tracks = matching_tracks(trace, layout, hidden, &matches);
        self.slices.grow(layout, in_slice(trace, Arc::clone(&self.names), durations, matches));
    }
}

fn is_named(names: &[bool], name: NameId) -> bool {
    names.get(name.index()) == Some(&true)
}

fn matching_names(trace: &impl TraceView, first: usize, matches: &impl Sought) -> impl Iterator<Item = bool> {
    (first..trace.names().len()).map(move |name| matches.matches(&trace.name(NameId::new(name))))
}

fn matching_tracks(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    hidden: &Hidden,
    matches: &impl Sought,
) -> Vec<TrackId> {
    if matches.durations(&trace.clock()).is_some() {
        return Vec::new();
    }
    let mut tracks = shown_tracks(trace, layout);
    tracks.retain(|&track| hidden.shows_track(track) && matches.matches(&trace.track_title(track)));
    tracks
}

/// Returns what tells whether a slice matches: it takes as long as is wanted, and its name matches, or its arguments do.
fn in_slice<T: TraceView, M: Sought>(
    trace: &T,
    names: Arc<[bool]>,
    durations: Option<Range<Ticks>>,
    matches: M,
) -> impl FnMut(SliceId) -> bool + use<'_, T, M> {
    let mut text = String::new();
    move |id| {
        let takes = |durations: &Range<Ticks>| {
            trace.slice(id).is_some_and(|slice| durations.contains(&slice.duration()))
        };
        if !durations.as_ref().is_none_or(takes) {
            return false;
        }
        let is_named = trace.slice_name_id(id).is_some_and(|name| is_named(&names, name));
        is_named || {
            let args = trace.slice_args(id);
            text.clear();
            !args.is_none() && write!(text, "{args}").is_ok() && matches.matches(&text)
        }
    }
}

/// Returns what [`find`] asks in order to find a text, whether in upper or in lower case.
pub fn ignoring_case(text: &str) -> impl Fn(&str) -> bool + use<> {
    let wanted = text.to_lowercase();
    move |text: &str| text.to_lowercase().contains(&wanted)
}

/// A search of which only the slices are not yet found.
struct Search<J> {
    slices: J,
    found: Found,
}

impl<J: Job<Output = Hits>> Job for Search<J> {
    type Output = Found;

    fn step(&mut self, work: usize) -> Option<Found> {
        let slices = self.slices.step(work)?;
        Some(Found { slices, ..core::mem::take(&mut self.found) })
    }
}

impl Display for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let n_slices = self.slices.len();
        write!(f, "{n_slices} slice{}", plural(n_slices as usize))?;
        for (n, what) in [(self.instants, "instant"), (self.tracks.len(), "track")] {
            if n > 0 {
                write!(f, ", {n} {what}{}", plural(n))?;
            }
        }
        Ok(())
    }
}
