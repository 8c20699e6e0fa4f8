//! The flame graph of what the timeline shows: callers above what they call, each as wide as its time.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Modifier};
use spall_trace::layout::{LayoutView, Rect, Row, RowId, Viewport, flame_rows, slice_tree};
use spall_trace::model::{CallTree, Function, Job, Measure, Tick, TraceView, TreeNodeId};

use crate::{boxes, colors::Colors};

/// Adds up a measure of a range of time.
pub fn tree(
    trace: &impl TraceView,
    layout: &impl LayoutView,
    range: Range<Tick>,
    measure: Measure,
) -> CallTree {
    let function = |slice| trace.slice_name_id(slice).map(Function::named);
    slice_tree(trace, layout, trace.track_ids(), range, measure, function).run()
}

/// A flame graph and the function that is selected in it.
#[derive(Default)]
pub struct Flame {
    measure: Measure,
    tree: CallTree,
    rows: Vec<Row>,
    rects: Vec<Rect>,
    selected: Option<TreeNodeId>,
    /// The function that is as wide as the window; `None` for all functions.
    zoomed: Option<TreeNodeId>,
}

impl Flame {
    /// Adds up a measure of a range of time.
    pub fn build(
        &mut self,
        trace: &impl TraceView,
        layout: &impl LayoutView,
        range: Range<Tick>,
        measure: Measure,
    ) {
        self.measure = measure;
        self.tree = tree(trace, layout, range, measure);
        self.rows = flame_rows(self.tree.nodes()).run();
        (self.selected, self.zoomed) = (None, None);
    }

    /// Makes the selected function as wide as the window, or shows all functions if none is selected.
    pub fn zoom(&mut self) {
        self.zoomed = self.selected;
    }

    /// Selects a box beside the selected one, or the first box if none is selected.
    pub fn go(&mut self, rows: i32, boxes: isize) {
        let at = self.rects.iter().position(|rect| Some(TreeNodeId(rect.slice.0)) == self.selected);
        let found = match at.map(|at| (at, self.rects[at])) {
            None => self.rects.first(),
            Some((at, from)) if rows == 0 => {
                self.rects.get(at.wrapping_add_signed(boxes)).filter(|rect| rect.row == from.row)
            }
            Some((_, from)) => {
                let row = RowId(from.row.0.wrapping_add_signed(rows));
                self.rects.iter().find(|rect| rect.row == row && rect.x1 > from.x0)
            }
        };
        self.selected = found.map(|rect| TreeNodeId(rect.slice.0)).or(self.selected);
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Area, trace: &impl TraceView, colors: Colors) {
        let all = Tick(0)..Tick(self.tree.total().0.max(1));
        let zoomed = self.zoomed.and_then(|node| self.extent(node)).unwrap_or(all);
        let viewport = Viewport::new(zoomed, area.width);
        self.rects.clear();
        for (row, number) in self.rows.iter().zip(0..) {
            row.view(RowId(number)).rects(&viewport, &mut self.rects);
        }
        // The selected function is always on the screen.
        let depth = self.selected.and_then(|node| self.tree.node(node)).map_or(0, |node| node.depth);
        let top = (depth + 1).saturating_sub(area.height.into());
        for rect in self.rects.iter().filter(|rect| (top..top + u32::from(area.height)).contains(&rect.row.0))
        {
            let id = TreeNodeId(rect.slice.0);
            let name = self.tree.node(id).map(|node| trace.name(node.function.name)).unwrap_or_default();
            let mut style = colors.of_name(&name, false);
            if self.selected == Some(id) {
                style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
            }
            let line = Area { y: area.y + (rect.row.0 - top) as u16, height: 1, ..area };
            boxes::draw(buffer, line, rect, &name, style);
        }
    }

    /// Returns what there is to say about the selected function.
    pub fn describe(&self, trace: &impl TraceView) -> String {
        let clock = self.measure.clock(trace.clock());
        let without = |count| if count == 0 { String::new() } else { format!(", {count} without it") };
        let Some(node) = self.selected.and_then(|node| self.tree.node(node)) else {
            let unmeasured = without(self.tree.nodes().iter().map(|node| node.unmeasured).sum::<u64>());
            let total = clock.duration(self.tree.total());
            let what = match self.measure {
                Measure::WallTime => String::new(),
                measure => format!("{}: ", measure.name()),
            };
            return format!("{what}{total} in all functions{unmeasured}");
        };
        let (name, total) = (trace.name(node.function.name), clock.duration(node.total));
        let (self_time, unmeasured) = (clock.duration(node.self_time), without(node.unmeasured));
        format!("{name}: {total}, self {self_time}, {} calls{unmeasured}", node.count)
    }

    /// Returns the place of a function on the axis of the graph.
    fn extent(&self, node: TreeNodeId) -> Option<Range<Tick>> {
        let row = self.rows.get(self.tree.node(node)?.depth as usize)?.view(RowId(0));
        let at = row.slices().iter().position(|slice| slice.0 == node.0)?;
        Some(row.starts()[at]..row.ends()[at])
    }
}
