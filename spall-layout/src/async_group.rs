//! Which async tracks share lines. [layout 17.4](crate::rules::layout#17.4)

use alloc::{borrow::Cow, collections::BTreeMap, vec::Vec};

use spall_model::{NameId, ProcessId, TraceView, TrackId, TrackKind};

use crate::{LayoutView, Packed};

/// Async tracks of one process that show the same kind of thing, such as the requests of a server, each of which has a track
/// of its own.
///
/// ```
/// use spall_layout::{AsyncGroup, Layout, LineKind, Vertical, VerticalStyle, shown_tracks};
/// # use spall_model::{AsyncPhase, Event, KeyedEvent, Limits, Text, Tick, TraceBuilder, TrackId};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # for id in 0..100 {
/// #     for (phase, at) in [(AsyncPhase::Begin, id * 10), (AsyncPhase::End, id * 10 + 25)] {
/// #         let event = KeyedEvent::new(1_i64, Tick(at), id, Text::plain(b"load"));
/// #         builder.push(&Event::Async(phase, event));
/// #     }
/// # }
/// # let trace = builder.finish();
/// let layout = Layout::new(&trace); // a hundred spans with ids of their own, of which three overlap at any time
/// let groups = AsyncGroup::all(&trace, shown_tracks(&trace, &layout));
/// let packs: Vec<_> = groups.iter().map(|group| group.pack(&layout)).collect();
/// let style = VerticalStyle { pack: 20, row: 16, packs: &packs, ..VerticalStyle::FLAT };
/// let vertical = Vertical::new(&trace, &layout, &style);
/// assert_eq!(vertical.height(), 20 + 3 * 16);
/// assert_eq!(groups[0].title(&trace), "load");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsyncGroup {
    /// The process of the tracks.
    pub process: Option<ProcessId>,
    /// The categories of the tracks.
    pub category: NameId,
    /// The name of the first slice of each track, or of its first instant if it has no slice.
    pub name: NameId,
    /// The tracks, of which there are at least two, in the order in which they were given.
    pub tracks: Vec<TrackId>,
}

impl AsyncGroup {
    /// The number of lines up to which a pack is shown open at first. One with more lines is folded by viewers until the user
    /// opens it, and a still picture shows as many of its lines.
    pub const OPEN_LINES: usize = 50;

    /// Returns the groups among `tracks`, in the order of their first tracks. A track that is alone of its kind is in none.
    /// This takes O(n log n) for n tracks.
    #[must_use]
    pub fn all(trace: &impl TraceView, tracks: impl IntoIterator<Item = TrackId>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut known = BTreeMap::new();
        for track in tracks {
            let Some(info) = trace.track_info(track) else { continue };
            let TrackKind::Async { category, .. } = info.kind else { continue };
            let (process, name) = (info.process, first_name(trace, track));
            let group = *known.entry((process, category, name)).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.tracks.push(track),
                None => groups.push(Self { process, category, name, tracks: alloc::vec![track] }),
            }
        }
        groups.retain(|group| group.tracks.len() > 1);
        groups
    }

    /// Packs the slices of the tracks into few lines.
    #[must_use]
    pub fn pack(&self, layout: &impl LayoutView) -> Packed {
        Packed::new(layout, self.tracks.iter().copied())
    }

    /// Returns the title of the group for people: the name of what its tracks show, or `Async` if that has none.
    #[must_use]
    pub fn title<'t>(&self, trace: &'t impl TraceView) -> Cow<'t, str> {
        if self.name.is_empty() { Cow::Borrowed("Async") } else { trace.name(self.name) }
    }
}

/// Returns the name of what an async track shows.
fn first_name(trace: &impl TraceView, track: TrackId) -> NameId {
    let slice = trace.slices_of(track).next().map(|(_, slice)| slice.name);
    let instant = || trace.instants_of(track).first().map(|instant| instant.name);
    slice.or_else(instant).unwrap_or_default()
}
