//! What is said about a trace as a whole.

use serde::Serialize;
use spall_trace::layout::{Theme, active_range};
use spall_trace::model::{Clock, Ticks, Trace, TraceView, TrackId};

use crate::{
    Engine, Since,
    command::{COMMANDS, CommandInfo},
    derived::Derived,
    frame::shade_of_duration,
    item::{Group, Item},
    open::{Note, Placed, damage_of, notes_of},
    shown::{Growth, Shown},
};

/// What is said about a trace as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The formats of the files.
    pub format: String,
    /// How many there are of each kind of element, such as slices.
    pub counts: Vec<(&'static str, usize)>,
    /// Where the trace starts.
    pub start: Since,
    /// Where it ends.
    pub end: Since,
    /// Its duration.
    pub span: Since,
    /// The shortest and the longest time that a window shows after a zoom. The middle of a window that moves stays in the trace.
    pub durations: (Since, Since),
    /// What a tick is.
    pub unit: TickUnit,
    /// The range to open on. It is not the whole trace if a few events lie far away from all others.
    pub active: (Since, Since),
    /// What there is to say about the files and the timeline.
    pub notes: Vec<Note>,
    /// Where the files were put, if there are several.
    pub placed: Vec<Placed>,
    /// The name of the set of tracks that are added up if nobody chooses another one, and how many slices are on others.
    pub tracks: &'static str,
    /// How many slices that set leaves out.
    pub left_out: usize,
    /// The names of the values that the samples have.
    pub values: Vec<String>,
    /// The one of them that was chosen.
    pub value: Option<String>,
    /// Whether it is known what ran on processors, so that [`DerivedTrack::Cpus`](crate::DerivedTrack::Cpus) has something to show.
    pub has_cpus: bool,
    /// The processes and their tracks.
    pub groups: Vec<Group>,
    /// What is folded at first, because it is very high.
    pub folded: Vec<Item>,
    /// The colours of boxes.
    pub colours: Colours,
    /// The numbers of the colours of durations, each with the shortest duration that has it.
    pub duration_shades: Vec<(u8, String)>,
    /// How far the trace has grown; `None` if it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// What a user can do with a key.
    pub commands: &'static [CommandInfo],
}

/// What a tick is: a number of nanoseconds, or one of the things with a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum TickUnit {
    /// Nanoseconds.
    Nanoseconds(f64),
    /// What is counted.
    Counted(String),
}

/// The colours of boxes, as in CSS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Colours {
    /// On a light page.
    pub light: Shades,
    /// On a dark page.
    pub dark: Shades,
    /// Those that anybody can tell apart.
    pub okabe_ito: Shades,
    /// Those that slices have by themselves.
    pub own: Vec<String>,
}

/// The colours of one theme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shades {
    /// Those of boxes, by number.
    pub shades: Vec<String>,
    /// That of the text in boxes.
    pub text: String,
}

impl From<Theme> for Shades {
    fn from(theme: Theme) -> Self {
        Self { shades: theme.shades().map(css).into(), text: css(theme.text()) }
    }
}

/// The colours of durations up to the longest one.
fn duration_shades(longest: u64, clock: &Clock) -> Vec<(u8, String)> {
    let shortest = (0..64).step_by(3).map(|power| 1_u64 << power);
    let text = |ticks: u64| clock.duration(since_of(ticks).0).to_string();
    shortest
        .take_while(|&ticks| ticks <= longest)
        .map(|ticks| (shade_of_duration(ticks), text(ticks)))
        .collect()
}

fn since_of(ticks: u64) -> Since {
    Since(Ticks(i64::try_from(ticks).unwrap_or(i64::MAX)))
}

fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl<S: Shown> Engine<S> {
    /// Describes the trace, and lists its processes and tracks.
    #[must_use]
    pub fn about(&self) -> About {
        let (trace, layout) = (&*self.trace(), &*self.layout());
        let clock = trace.clock();
        let bounds = trace.bounds().unwrap_or_default();
        let active = active_range(trace, layout).unwrap_or_default();
        About {
            format: self.said.format.clone(),
            counts: self.counts(),
            start: self.since(bounds.start),
            end: self.since(bounds.end),
            span: since_of(bounds.end.0.abs_diff(bounds.start.0)),
            durations: self.durations(),
            unit: match clock.unit.counted() {
                Some(name) => TickUnit::Counted(name.into()),
                None => TickUnit::Nanoseconds(clock.ns_per_tick().unwrap_or(1.0)),
            },
            active: (self.since(active.start), self.since(active.end)),
            notes: self.notes(),
            placed: self.said.placed.clone(),
            tracks: trace.shown_tracks().name(),
            left_out: trace.n_left_out(trace.shown_tracks()),
            values: self.said.values.clone(),
            value: self.said.value.clone(),
            has_cpus: Derived::has_cpus(trace),
            groups: self.groups(),
            folded: self.view.folded_items(),
            growth: self.shown.growth(),
            commands: COMMANDS,
            duration_shades: duration_shades(bounds.end.0.abs_diff(bounds.start.0), &clock),
            colours: Colours {
                light: Theme::Light.into(),
                dark: Theme::Dark.into(),
                okabe_ito: Theme::OkabeIto.into(),
                own: self.pictures.own_colours.iter().copied().map(css).collect(),
            },
        }
    }

    /// How many there are of each kind of element.
    pub(crate) fn counts(&self) -> Vec<(&'static str, usize)> {
        let trace = &*self.trace();
        let of_tracks = |count: &dyn Fn(TrackId) -> usize| trace.track_ids().map(count).sum();
        let finished = |count: fn(&Trace) -> usize| self.shown.finished().map_or(0, count);
        let n_processes = self.view.items.n_processes();
        let counts: [(_, usize); 9] = [
            ("process", self.shown.finished().map_or(n_processes, |trace| trace.processes().len())),
            ("track", trace.track_ids().len()),
            ("slice", trace.n_slices()),
            ("instant", trace.n_instants() as usize),
            ("counter value", of_tracks(&|track| trace.counters_of(track).len())),
            ("thread state", of_tracks(&|track| trace.states_of(track).len())),
            ("flow", trace.flows().len()),
            ("object", finished(|trace| trace.objects().len())),
            ("sample", finished(|trace| trace.samples().len())),
        ];
        counts.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// The shortest and the longest time that a window shows after a zoom.
    pub(crate) fn durations(&self) -> (Since, Since) {
        let durations = self.view.window().durations();
        (since_of(*durations.start()), since_of(*durations.end()))
    }

    /// Returns the places of what is damaged, as far as they are kept: a sentence, a byte and a time for each. There is no time
    /// before the first event of a file.
    #[must_use]
    pub fn damage(&self) -> Vec<(String, u64, Option<Since>)> {
        let mut found = self.said.damage.clone();
        if let Some(faults) = self.shown.pairing_faults() {
            for diagnostics in [self.trace().diagnostics(), faults] {
                found.extend(damage_of(diagnostics, "", |at| at));
            }
        }
        let found = found.into_iter();
        found.map(|found| (found.text, found.byte, found.at.map(|at| self.since(at)))).collect()
    }

    /// Returns what there is to say about the files and the timeline.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = self.said.notes.clone();
        // The notes about a file say what its diagnostics do.
        if let Some(faults) = self.shown.pairing_faults() {
            notes.extend(notes_of("", [self.trace().diagnostics(), faults]));
        }
        for (count, text) in [
            (
                self.shown.n_overlapping(),
                "A slice overlaps others without lying inside them. It is drawn on extra rows.",
            ),
            (self.view.n_empty(), "A track has nothing on it. It is not shown, unless the settings say so."),
        ] {
            if count > 0 {
                notes.push(Note { count: Some(count), ..Note::new(text) });
            }
        }
        notes
    }
}
