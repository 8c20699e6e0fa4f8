//! The flame graph of a range: what all threads did, by call path.

use std::ops::Range;

use eframe::egui::{Align2, Color32, ComboBox, FontId, Rect as Shape, ScrollArea, Sense, Ui, pos2, vec2};
use spall_trace::layout::{
    ColorKey, Ellipsis, Layout, Rect, Row, RowId, Theme, Viewport, fit_chars, flame_rows, slice_tree,
};
use spall_trace::model::{InvertedTree, Job, Measure, Tick, Ticks, Trace, TraceView, TreeNode};

const ROW: f32 = 18.0;
const LETTER: f32 = 7.0;
/// Functions of a smaller part of all time are left out of an inverted graph.
const SMALLEST: i64 = 2000;

/// The flame graph of a range, and the function that it is zoomed to.
#[derive(Default)]
pub struct Flame {
    range: Option<Range<Tick>>,
    pub measure: Measure,
    is_inverted: bool,
    nodes: Vec<TreeNode>,
    rows: Vec<Row>,
    /// The part of the axis that is visible, from 0 to the total time.
    shown: Range<Tick>,
    all: Range<Tick>,
    rects: Vec<Rect>,
}

impl Flame {
    /// Shows the flame graph of a range. A click zooms to a function, and beside all functions to everything.
    pub fn ui(&mut self, ui: &mut Ui, trace: &Trace, layout: &Layout, range: Range<Tick>) {
        let before = (self.is_inverted, self.measure);
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.is_inverted, "callers below");
            ComboBox::from_id_salt("measure").selected_text(self.measure.name()).show_ui(ui, |ui| {
                for measure in Measure::ALL {
                    ui.selectable_value(&mut self.measure, measure, measure.name());
                }
            });
        });
        let has_turned = before != (self.is_inverted, self.measure);
        let is_new = self.range.as_ref() != Some(&range) && !ui.input(|input| input.pointer.any_down());
        if has_turned || is_new {
            self.build(trace, layout, range);
        }
        let theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
        let [red, green, blue] = theme.text();
        let label_color = Color32::from_rgb(red, green, blue);
        let width = ui.available_width() - 12.0;
        let viewport = Viewport::new(self.shown.clone(), width as u16);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let size = vec2(width, ROW * self.rows.len() as f32);
            let (response, painter) = ui.allocate_painter(size, Sense::click());
            let corner = response.rect.min;
            self.rects.clear();
            for (row, number) in self.rows.iter().zip(0..) {
                row.view(RowId(number)).rects(&viewport, &mut self.rects);
            }
            for rect in &self.rects {
                let node = &self.nodes[rect.slice.index()];
                let name = trace.name(node.function.name);
                let at = corner + vec2(rect.x0 as f32 - viewport.offset(), rect.row.0 as f32 * ROW);
                let shape = Shape::from_min_size(at, vec2((rect.x1 - rect.x0) as f32 - 0.5, ROW - 1.0));
                let [red, green, blue] = ColorKey::without_digits(name.as_bytes()).rgb(theme);
                painter.rect_filled(shape, 0.0, Color32::from_rgb(red, green, blue));
                let letters = (shape.width() / LETTER - 1.0) as usize;
                if let Some(label) = fit_chars(&name, letters, Ellipsis::End).filter(|_| letters >= 3) {
                    let at = shape.left_center() + vec2(3.0, 0.0);
                    painter.text(at, Align2::LEFT_CENTER, label, FontId::monospace(11.0), label_color);
                }
            }
            let hit = response.hover_pos().and_then(|at| {
                let at = pos2(at.x - corner.x + viewport.offset(), at.y - corner.y);
                Rect::hit(&self.rects, RowId((at.y / ROW) as u32), at.x as u32)
            });
            if response.clicked() {
                self.shown = match hit.map(|rect| (rect, self.rows[rect.row.index()].view(rect.row))) {
                    Some((rect, row)) => {
                        let at = rect.first as usize;
                        row.starts()[at]..row.ends()[at]
                    }
                    None => self.all.clone(),
                };
            }
            if let Some(rect) = hit {
                let node = &self.nodes[rect.slice.index()];
                let clock = self.measure.clock(trace.clock());
                let [total, self_time] = [node.total, node.self_time].map(|time| clock.duration(time));
                let (name, count) = (node.function.describe(trace), node.count);
                let without = match node.unmeasured {
                    0 => String::new(),
                    count => format!(", {count} without it"),
                };
                let sums = format!("{name}\n{total}, self {self_time}, {count} calls{without}");
                response.on_hover_text_at_pointer(sums);
            }
        });
    }

    /// Adds up the slices of a range, by function.
    fn build(&mut self, trace: &Trace, layout: &Layout, range: Range<Tick>) {
        let function = |slice| trace.function_of(slice);
        let tracks = trace.track_ids();
        let tree = slice_tree(trace, layout, tracks, range.clone(), self.measure, function).run();
        self.nodes = if self.is_inverted {
            let least = Ticks((tree.total().0 / SMALLEST).max(1));
            InvertedTree::bottom_up(&tree).run().expand_all(least, 100).run().nodes().to_vec()
        } else {
            tree.nodes().to_vec()
        };
        self.rows = flame_rows(&self.nodes).run();
        self.all = Tick(0)..Tick(tree.total().0.max(1));
        (self.shown, self.range) = (self.all.clone(), Some(range));
    }
}
