//! What is known about a slice, as a table.

use eframe::egui::{Grid, Label, ScrollArea, Ui};
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{SliceId, ThreadMeasure, Ticks, Trace, TraceView};

/// Shows a slice. Returns another one if the user follows a flow to it.
pub fn ui(ui: &mut Ui, trace: &Trace, layout: &Layout, id: Option<SliceId>) -> Option<SliceId> {
    let Some((id, slice)) = id.and_then(|id| Some((id, trace.slice(id)?))) else {
        ui.weak("No slice is selected.");
        return None;
    };
    let clock = trace.clock();
    let since = trace.bounds().map_or(Ticks::ZERO, |bounds| slice.start - bounds.start);
    let mut rows = vec![
        ("name", trace.slice_name(id).into_owned()),
        ("start", clock.duration(since).to_string()),
        ("duration", clock.duration(slice.duration()).to_string()),
        ("self time", clock.duration(layout.self_time(id).unwrap_or_default()).to_string()),
    ];
    if let Some(cpu) = trace.slice_args(id).thread_measure(ThreadMeasure::Time).map(Ticks) {
        rows.push(("CPU", clock.duration(cpu).to_string()));
        rows.push(("waiting", clock.duration((slice.duration() - cpu).max(Ticks::ZERO)).to_string()));
    }
    if slice.flags.is_unfinished() {
        rows.push(("", "not finished".into()));
    }
    if !slice.category.is_empty() {
        rows.push(("category", trace.name(slice.category).into_owned()));
    }
    if let Some(function) = trace.function_of(id).filter(|function| function.source.is_some()) {
        rows.push(("function", function.describe(trace)));
    }
    if let Some(track) = trace.track_of(id) {
        rows.push(("track", trace.track_title(track).into_owned()));
    }
    let args: Vec<_> =
        trace.slice_args(id).iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let mut followed = None;
    ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        Grid::new("details").striped(true).show(ui, |ui| {
            let args = args.iter().map(|(key, value)| (key.as_str(), value));
            for (key, value) in rows.iter().map(|(key, value)| (*key, value)).chain(args) {
                ui.weak(key);
                ui.add(Label::new(value).extend());
                ui.end_row();
            }
            for flow in trace.flows() {
                let (what, other) = match id {
                    _ if flow.from == id => ("flow to", flow.to),
                    _ if flow.to == id => ("flow from", flow.from),
                    _ => continue,
                };
                ui.weak(what);
                let takes = clock.duration(flow.arrives - flow.leaves);
                if ui.link(format!("{}, {takes}", trace.slice_name(other))).clicked() {
                    followed = Some(other);
                }
                ui.end_row();
            }
        });
    });
    followed
}
