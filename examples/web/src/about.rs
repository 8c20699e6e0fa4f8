//! What is said about a trace as a whole.

use serde::Serialize;
use spall_trace::layout::{Theme, active_range};
use spall_trace::model::{Tick, TraceView};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, answer,
    load::{Note, Placed},
    tracks::Group,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct About<'v> {
    format: &'v str,
    /// How many there are of each kind of element, such as slices.
    counts: Vec<(&'static str, usize)>,
    /// Where the trace starts and ends, and its duration. All times are ticks since the start of `active`.
    start: f64,
    end: f64,
    span: f64,
    unit: PageUnit<'v>,
    /// The range to open on. It is not the whole trace if a few events lie far away from all others.
    active: (f64, f64),
    notes: Vec<Note>,
    /// Where the files were put, if there are several.
    placed: &'v [Placed],
    /// The names of the values that the samples have, and the one that was chosen.
    values: &'v [String],
    value: Option<&'v str>,
    groups: Vec<Group>,
    colours: Colours,
}

/// What a tick is: a number of nanoseconds, or one of the things with a name.
#[derive(Serialize)]
#[serde(untagged)]
enum PageUnit<'v> {
    Nanoseconds(f64),
    Counted(&'v str),
}

/// The colours of boxes: on a light and a dark page, those that anybody can tell apart, and those that slices have by
/// themselves.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Colours {
    light: Shades,
    dark: Shades,
    okabe_ito: Shades,
    own: Vec<String>,
}

#[derive(Serialize)]
struct Shades {
    shades: Vec<String>,
    text: String,
}

impl From<Theme> for Shades {
    fn from(theme: Theme) -> Self {
        Self { shades: theme.shades().map(css).into(), text: css(theme.text()) }
    }
}

fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[wasm_bindgen]
impl Viewer {
    /// Describes the trace, and lists its processes and tracks.
    pub fn about(&self) -> JsValue {
        let trace = self.trace;
        let counts = [
            ("process", trace.processes().len()),
            ("track", trace.tracks().len()),
            ("slice", trace.slices().len()),
            ("instant", trace.instants().len()),
            ("counter value", trace.counters().len()),
            ("thread state", trace.states().len()),
            ("flow", trace.flows().len()),
            ("object", trace.objects().len()),
            ("sample", trace.samples().len()),
        ];
        let unit = trace.clock().unit;
        let bounds = trace.bounds().unwrap_or_default();
        let active = active_range(trace, &*self.layout).unwrap_or_default();
        answer(&About {
            format: &self.format,
            counts: counts.into_iter().filter(|&(_, count)| count > 0).collect(),
            start: self.since(bounds.start),
            end: self.since(bounds.end),
            span: bounds.end.0.abs_diff(bounds.start.0) as f64,
            unit: match unit.counted() {
                Some(name) => PageUnit::Counted(name),
                None => PageUnit::Nanoseconds(trace.clock().ns_per_tick().unwrap_or(1.0)),
            },
            active: (self.since(active.start), self.since(active.end)),
            notes: self.notes(),
            placed: &self.placed,
            values: &self.values,
            value: self.value.as_deref(),
            groups: self.arrangement.groups(trace, &self.layout),
            colours: Colours {
                light: Theme::Light.into(),
                dark: Theme::Dark.into(),
                okabe_ito: Theme::OkabeIto.into(),
                own: self.pictures.own_colours.iter().copied().map(css).collect(),
            },
        })
    }

    /// Returns the places of what is damaged, as far as they are kept: a sentence and a byte for each.
    pub fn damage(&self) -> JsValue {
        let kept = self.trace.diagnostics().kept().iter();
        answer(&kept.map(|found| (found.kind.description(), found.bytes.start as f64)).collect::<Vec<_>>())
    }

    /// Returns the time of the page at a tick.
    pub fn at(&self, tick: i64) -> f64 {
        self.since(Tick(tick))
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        for (count, text) in [
            (
                self.layout.n_overlapping(),
                "A slice overlaps others without lying inside them. It is drawn on extra rows.",
            ),
            (
                self.arrangement.n_empty(),
                "A track has nothing on it. It is not shown, unless the settings say so.",
            ),
        ] {
            if count > 0 {
                notes.push(Note { text: text.into(), count: Some(count as f64), byte: None });
            }
        }
        notes
    }
}
