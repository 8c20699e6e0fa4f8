//! What is on lines of derived tracks.

use spall_trace::layout::{Line, RowId, Viewport};
use spall_trace::model::NameId;

use super::{ObjectLines, Part, ShadeNumber as _, Style};
use crate::{Engine, shown::Shown};

impl<S: Shown> Engine<S> {
    /// The spans on a line of a derived track, and its label. Names are sent of boxes that are at least so wide.
    pub(super) fn derived_line(
        &mut self,
        (track, number): (u32, u32),
        line: &Line,
        viewport: &Viewport,
        label_width: u32,
        names: &mut Vec<(NameId, String)>,
        part: &mut Part,
    ) {
        let Self { shown, view, pictures, .. } = self;
        let trace = &*shown.trace();
        let Some(found) = view.derived.lines(track).get(number as usize) else { return };
        let mut rects = core::mem::take(&mut pictures.line_rects);
        rects.clear();
        found.row.view(RowId(0)).rects(viewport, &mut rects);
        if !found.label.is_empty() {
            let label = found.label.clone();
            part.objects.push(ObjectLines { top: line.top, height: line.height, label });
        }
        for rect in &rects {
            let Some(look) = view.derived.look(rect.slice.0, trace) else { continue };
            if rect.x1 - rect.x0 >= label_width {
                match view.derived.own_name(look.name) {
                    Some((own, text)) => {
                        let is_sent = &mut pictures.is_own_sent;
                        is_sent.resize(is_sent.len().max(own + 1), false);
                        if let Some(is_sent) = is_sent.get_mut(own).filter(|is_sent| !**is_sent) {
                            *is_sent = true;
                            names.push((look.name, text.into()));
                        }
                    }
                    None => pictures.send(trace, look.name, names),
                }
            }
            let style = Style::of_derived(look.color.shade_number());
            part.boxes.push(rect, viewport, line.top, line.height, look.name, style);
        }
        pictures.line_rects = rects;
    }
}
