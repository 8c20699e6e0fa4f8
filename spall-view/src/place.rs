//! Everything that a user can set, as one value.

use core::ops::Range;

use crate::{
    Since,
    colours::{Arrows, ColorBy},
    derived_track::DerivedTrack,
    element::Selected,
    listed::{ChosenList, ChosenTable, Order, TreeOrder},
};
use serde::{Deserialize, Serialize};
use spall_trace::{layout::By, model::Ticks};

/// Everything that a user can set: what is in view, selected, marked, found, hidden, pinned and so on.
///
/// It is the state of a viewer, of a link to it, of a saved page and of a session. Tracks are told by their paths, which are the
/// same in the next trace of a program. [`Engine::apply`](crate::Engine::apply) shows a trace as a place says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The files of the trace, in the order in which they were opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PlaceFile>,
    /// The value of the samples, if it is not the one that the files say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The range of time in view; what is active in the trace for `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Range<Since>>,
    /// Whether the range of time in view ends where a trace that grows does. It keeps its duration.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub follows: bool,
    /// How far the timeline is scrolled down, in the unit of the heights.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub top: f64,
    /// What is selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<Selected>,
    /// The range of time that statistics and call trees are about; the whole trace for `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<ChosenRange>,
    /// Times that the user has marked, in the order in which that was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The paths of the processes and tracks that are folded; what is very high for `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folded: Option<Vec<String>>,
    /// The paths of what is not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// The paths of what stays in sight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<String>,
    /// The paths of the counters of which the change per second is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<String>,
    /// The paths of the counters that have one scale together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// The categories that are hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// The names of slices and instants that are hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Whether the busiest processes and tracks come first.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub by_activity: bool,
    /// The paths of what the user has moved, in the order in which that was done: each before another one of its list, or to the
    /// end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<(String, Option<String>)>,
    /// The tracks that are derived from the trace, from top to bottom. They stand above all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedTrack>,
    /// Whether tracks are shown with nothing on them.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub shows_empty: bool,
    /// What is looked for: [`matcher`](crate::matcher).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub search: String,
    /// What slices have their colours by.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub color_by: ColorBy,
    /// Which arrows of flows are drawn.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub arrows: Arrows,
    /// The name of what is added up; time if it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measure: String,
    /// The name of the [set of tracks](spall_trace::model::TrackSet) that are added up; the set that
    /// [`Trace::shown_tracks`](spall_trace::model::Trace::shown_tracks) says if it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tracks: String,
    /// Whether the durations of what was found are on a linear axis instead of a logarithmic one.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub linear_durations: bool,
    /// Whether sums are those of names or of functions.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    #[cfg_attr(test, ts(as = "crate::types::By"))]
    pub sums_by: By,
    /// How sums are listed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub sums: ChosenTable<Order>,
    /// Functions with this in their name or source are left out of call trees; none if it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub without: String,
    /// How the rows of a call tree are listed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub tree: ChosenTable<TreeOrder>,
    /// How slices are listed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub slices: ChosenList,
    /// How instants are listed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub instants: ChosenList,
    /// The panel that is open, as the frontend calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub panel: String,
}

impl Place {
    /// Whether it says any time.
    pub(crate) fn has_times(&self) -> bool {
        let Self { view, selected, range, marks, derived, .. } = self;
        let has_own = derived.iter().any(|track| !matches!(track, DerivedTrack::Cpus));
        view.is_some() || selected.is_some() || range.is_some() || !marks.is_empty() || has_own
    }

    /// Moves all times to later ones.
    pub(crate) fn move_by(&mut self, by: Ticks) {
        let Self { view, selected, range, marks, derived, .. } = self;
        for track in derived {
            match track {
                DerivedTrack::Cpus => {}
                DerivedTrack::Path(slice) => slice.at.0 += by,
                DerivedTrack::Rows(rows) => rows.change(|row| {
                    row.start.0 += by;
                    row.end.0 += by;
                }),
            }
        }
        let ends = view.iter_mut().flat_map(|view| [&mut view.start, &mut view.end]);
        let chosen = range.iter_mut().flat_map(|range| [&mut range.start, &mut range.end]);
        let points = marks.iter_mut().flat_map(|Mark { at, end, of, .. }| {
            core::iter::once(at).chain(end).chain(of.as_mut().map(|of| &mut of.at))
        });
        for Since(at) in ends.chain(chosen).chain(points).chain(selected.iter_mut().map(|it| &mut it.at)) {
            *at += by;
        }
    }
}

/// A file of a place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlaceFile {
    /// Its name.
    pub name: String,
    /// The nanoseconds that the user has added to its times. They are serialised as text, as they may be too large for a number
    /// of JavaScript.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub offset: Option<i64>,
}

/// A range of time, and the tracks that count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChosenRange {
    /// Where it starts.
    pub start: Since,
    /// Where it ends.
    pub end: Since,
    /// The paths of the processes and tracks that count; all for `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<String>>,
}

/// What the user has marked: a time, a range of time, or an element. With a text it is a note.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mark {
    /// The time, or where it starts.
    pub at: Since,
    /// Where it ends, if it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Since>,
    /// The element that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Selected>,
    /// What the user says about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl Mark {
    /// Returns the time that it is about, which is empty for a point in time.
    #[must_use]
    pub fn range(&self) -> Range<Since> {
        self.at..self.end.unwrap_or(self.at).max(self.at)
    }

    /// Whether it says nothing but a time.
    pub(crate) fn is_plain(&self) -> bool {
        self.text.is_empty() && self.end.is_none() && self.of.is_none()
    }
}

/// A number as its text.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => serializer.collect_str(number),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

/// Adds a text to a list, or removes it. Returns whether it is in it now.
pub(crate) fn toggle(list: &mut Vec<String>, text: &str) -> bool {
    let before = list.len();
    list.retain(|other| other != text);
    let is_new = list.len() == before;
    if is_new {
        list.push(text.to_owned());
    }
    is_new
}
