//! The objects of a process, below its header.

use serde::Serialize;
use spall_trace::layout::{Line, Row, RowId, Viewport};
use spall_trace::model::{NameId, ProcessId, TraceView};

use super::{Part, Style};
#[cfg(doc)]
use crate::Element;
use crate::{Engine, objects::Type, shown::Shown};

/// The objects of one type in one process, or a line of a derived track.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ObjectLines {
    /// The upper edge of their lines.
    pub top: u64,
    /// The height of all their lines.
    pub height: u32,
    /// The name of the type, and how many objects are left out, or what is on the line.
    pub label: String,
}

impl<S: Shown> Engine<S> {
    /// Returns the types of the objects of a process, and their lines. What is on a line is [`Element::Object`] of its numbers.
    pub fn objects_of(&self, process: ProcessId) -> impl Iterator<Item = (NameId, &[Row])> {
        self.objects.of(process).map(|found| (found.name, found.lines.as_slice()))
    }

    /// The objects of a process below its header, and the names of their types.
    pub(super) fn objects(
        &mut self,
        process: ProcessId,
        header: &Line,
        viewport: &Viewport,
        names: &mut Vec<(NameId, String)>,
        part: &mut Part,
    ) {
        let Self { shown, objects, pictures, search, view, .. } = self;
        let trace = &*shown.trace();
        let height = view.heights.object;
        let mut top = header.top + u64::from(view.heights.process);
        for Type { name, lines, n_left_out, .. } in objects.of(process) {
            pictures.send(trace, *name, names);
            let more = if *n_left_out > 0 { format!(" ({n_left_out} more)") } else { String::new() };
            let label = String::from(trace.name(*name)) + &more;
            let all = u32::try_from(lines.len()).unwrap_or(u32::MAX).saturating_mul(height);
            part.objects.push(ObjectLines { top, height: all, label });
            let mut style = Style::of_state(pictures.shade(*name), true);
            style.set(Style::HIT, search.is_name(*name));
            for line in lines {
                pictures.line_rects.clear();
                line.view(RowId(0)).rects(viewport, &mut pictures.line_rects);
                for rect in &pictures.line_rects {
                    part.boxes.push(rect, viewport, top, height, *name, style);
                }
                top += u64::from(height);
            }
        }
    }
}
