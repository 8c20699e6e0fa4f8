//! The list of what was found.

use eframe::egui::{ScrollArea, Ui};
use spall_trace::model::{Tick, TraceView};
use spall_view::{Action, Engine, Hit, Since};

const ROW: f32 = 20.0;

/// Lists what was found. A click goes there.
pub fn list(ui: &mut Ui, engine: &mut Engine) {
    let Some(found) = engine.found() else {
        ui.weak("Find something first.");
        return;
    };
    let current = engine.current_hit().map(|hit| hit.rank);
    let mut wanted = None;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, found.total, |ui, shown| {
        for hit in engine.hits(shown.start, shown.len()) {
            if ui.selectable_label(current == Some(hit.rank), text(&hit, engine)).clicked() {
                wanted = Some(hit.target);
            }
        }
    });
    if let Some(target) = wanted {
        engine.act(Action::Visit(target));
    }
}

fn text(hit: &Hit, engine: &Engine) -> String {
    let Hit { what, name, track, start, duration, matched, .. } = hit;
    let clock = engine.trace().clock();
    let start = start.map(|Since(at)| clock.time(Tick(at.0)).to_string());
    let duration = duration.map(|Since(ticks)| clock.duration(ticks).to_string());
    let parts =
        [Some((*what).to_owned()), Some(name.clone()), matched.clone(), start, duration, Some(track.clone())];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}
