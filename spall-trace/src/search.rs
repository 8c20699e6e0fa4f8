//! One search for all viewers.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt::{self, Display, Formatter, Write};

use spall_layout::{Hits, LayoutView, shown_tracks};
use spall_model::{Job, NameId, SliceId, TraceView, TrackId};

use crate::Hidden;

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
}

/// Finds everything of a trace that `matches`, which is called with texts. Each viewer asks this, so that all of them count the
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
pub fn find<'t, T: TraceView, L: LayoutView, M: Fn(&str) -> bool>(
    trace: &'t T,
    layout: &'t L,
    hidden: &Hidden,
    matches: M,
) -> impl Job<Output = Found> + use<'t, T, L, M> {
    let names = (0..trace.names().len()).map(|name| matches(&trace.name(NameId::new(name))));
    let names: Arc<[bool]> = names.collect();
    let is_named = move |names: &[bool], name: NameId| names.get(name.index()) == Some(&true);
    let shown = trace.track_ids().filter(|&track| hidden.shows_track(track));
    let instants = shown.flat_map(|track| trace.instants_of(track));
    let instants = instants.filter(|instant| is_named(&names, instant.name));
    let instants = instants.filter(|instant| hidden.shows(instant.name, instant.category)).count();
    let mut tracks = shown_tracks(trace, layout);
    tracks.retain(|&track| hidden.shows_track(track) && matches(&trace.track_title(track)));
    let found = Found { slices: Hits::default(), instants, tracks, names: Arc::clone(&names) };
    let mut text = String::new();
    let in_slice = move |id: SliceId| {
        let is_named = trace.slice_name_id(id).is_some_and(|name| is_named(&names, name));
        is_named || {
            let args = trace.slice_args(id);
            text.clear();
            !args.is_none() && write!(text, "{args}").is_ok() && matches(&text)
        }
    };
    Search { slices: Hits::of_slices(layout, in_slice), found }
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
