//! What a viewer leaves out.

use alloc::{borrow::Cow, vec::Vec};

use spall_layout::Layout;
use spall_model::{Instant, NameId, SliceId, Trace, TraceView, TrackId};

/// The slices and instants that the user of a viewer has hidden: by category, by name, and by track.
///
/// ```
/// use spall_trace::{Hidden, layout::LayoutView, model::SliceId};
/// let data = br#"[{"ph":"X","cat":"gc,idle","name":"mark","pid":1,"tid":1,"ts":0,"dur":4},
///                 {"ph":"X","cat":"gc","name":"sweep","pid":1,"tid":1,"ts":1,"dur":2}]"#;
/// let trace = spall_trace::load(data)?;
/// let hidden = Hidden::new(&trace, &["gc"], &[], &[]);
/// let layout = hidden.layout(&trace);
/// assert!(layout.place(SliceId(0)).is_some()); // it is also of the category "idle"
/// assert!(layout.place(SliceId(1)).is_none());
/// # Ok::<(), spall_trace::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Which names are hidden, which texts of categories, and which tracks, by their numbers. Empty if none is.
    names: Vec<bool>,
    categories: Vec<bool>,
    tracks: Vec<bool>,
}

impl Hidden {
    /// Hides what has one of these names, what has none but these categories, and what is on one of these tracks. An event
    /// without a category has the empty one.
    #[must_use]
    pub fn new<S: AsRef<str>>(
        trace: &impl TraceView,
        categories: &[S],
        names: &[S],
        tracks: &[TrackId],
    ) -> Self {
        let is_among = |texts: &[S], text: &str| texts.iter().any(|other| other.as_ref() == text);
        let marked = |texts: &[S], is_hidden: &dyn Fn(&str) -> bool| match texts {
            [] => Vec::new(),
            _ => (0..trace.names().len()).map(|name| is_hidden(&trace.name(NameId::new(name)))).collect(),
        };
        let is_category = |text: &str| text.split(',').all(|category| is_among(categories, category.trim()));
        Self {
            names: marked(names, &|name| is_among(names, name)),
            categories: marked(categories, &is_category),
            tracks: match tracks {
                [] => Vec::new(),
                _ => (0..trace.n_tracks()).map(|track| tracks.contains(&TrackId::new(track))).collect(),
            },
        }
    }

    /// Returns whether nothing is hidden.
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.categories.is_empty() && self.tracks.is_empty()
    }

    /// Returns whether events of a name and a category are shown, on a track that is.
    #[must_use]
    pub fn shows(&self, name: NameId, category: NameId) -> bool {
        let is_hidden = |list: &[bool], id: NameId| list.get(id.index()).copied().unwrap_or(false);
        !is_hidden(&self.names, name) && !is_hidden(&self.categories, category)
    }

    pub(crate) fn shows_track(&self, track: TrackId) -> bool {
        self.tracks.get(track.index()) != Some(&true)
    }

    /// Lays out the slices that are shown. [layout 4.9](spall_layout::rules::layout#4.9)
    #[must_use]
    pub fn layout(&self, trace: &Trace) -> Layout {
        if self.is_empty() {
            return Layout::new(trace);
        }
        Layout::of_slices(trace, |id| self.shows_slice(trace, id))
    }

    /// Returns whether a slice is shown.
    #[must_use]
    pub fn shows_slice(&self, trace: &impl TraceView, id: SliceId) -> bool {
        self.is_empty() || {
            let is_on_shown = trace.track_of(id).is_some_and(|track| self.shows_track(track));
            is_on_shown && trace.slice(id).is_some_and(|slice| self.shows(slice.name, slice.category))
        }
    }

    /// Returns those of the instants of a track that is shown that are shown themselves.
    #[must_use]
    pub fn instants<'i>(&self, instants: &'i [Instant]) -> Cow<'i, [Instant]> {
        if self.is_empty() {
            return instants.into();
        }
        instants.iter().filter(|instant| self.shows(instant.name, instant.category)).copied().collect()
    }
}
