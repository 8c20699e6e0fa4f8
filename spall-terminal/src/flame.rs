//! Graphs of call trees, each box as wide as its time: callers above callees, or functions above their callers.

use core::ops::Range;
use std::collections::HashMap;

use ratatui::{buffer::Buffer, layout::Rect as Area, style::Modifier};
use spall_trace::model::{Measure, Ticks, TraceView};
use spall_view::{BoxFacts, Boxes, Command, GraphFrame, GraphKind, Shape, Shown, Since};

use crate::{
    boxes::{self, Cells},
    colors::Colors,
    shown::Showing,
};

/// A graph, and the function that is selected in it.
#[derive(Default)]
pub(crate) struct Flame {
    shape: Shape,
    /// The boxes that were drawn: the cells, the row and the node of each.
    drawn: Vec<(Cells, u32, usize)>,
    selected: Option<usize>,
    /// The part of the axis that is as wide as the window; `None` for all.
    zoomed: Option<Range<Since>>,
}

impl Flame {
    /// Adds up what is chosen.
    pub(crate) fn build(&mut self, kind: GraphKind, shown: &mut Showing<impl Shown>) {
        *self = Self { shape: shown.graph(kind), ..Self::default() };
    }

    /// Does what a command means in a graph. Returns whether it means anything.
    pub(crate) fn run(&mut self, command: Command, shown: &Showing<impl Shown>) -> bool {
        match command {
            Command::First => self.selected = self.drawn.first().map(|&(_, _, node)| node),
            Command::Left | Command::Previous => self.go(0, -1),
            Command::Right | Command::Next => self.go(0, 1),
            Command::Up => self.go(-1, 0),
            Command::Down => self.go(1, 0),
            Command::Fit => self.zoomed = self.facts(shown).map(|facts| facts.start..facts.end),
            Command::FitAll => self.zoomed = None,
            _ => return false,
        }
        true
    }

    /// Selects a box beside the selected one, or the first box if none is selected.
    fn go(&mut self, rows: i32, boxes: isize) {
        let at = self.drawn.iter().position(|&(_, _, node)| Some(node) == self.selected);
        let found = match at.and_then(|at| Some((at, *self.drawn.get(at)?))) {
            None => self.drawn.first(),
            Some((at, (_, depth, _))) if rows == 0 => {
                self.drawn.get(at.wrapping_add_signed(boxes)).filter(|(_, other, _)| *other == depth)
            }
            Some((_, (from, depth, _))) => {
                let depth = depth.wrapping_add_signed(rows);
                self.drawn.iter().find(|(cells, other, _)| *other == depth && cells.end > from.start)
            }
        };
        self.selected = found.map(|&(_, _, node)| node).or(self.selected);
    }

    /// Selects what is drawn at a cell.
    pub(crate) fn click(&mut self, column: u16, row: u16) {
        let top = self.drawn.first().map_or(0, |&(_, depth, _)| depth);
        let is_there = |(cells, depth, _): &&(Cells, u32, usize)| {
            *depth == top + u32::from(row) && (cells.start..cells.end).contains(&column)
        };
        self.selected = self.drawn.iter().find(is_there).map(|&(_, _, node)| node);
    }

    fn facts(&self, shown: &Showing<impl Shown>) -> Option<BoxFacts> {
        shown.graph_box(0, self.selected?)
    }

    pub(crate) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Area,
        shown: &Showing<impl Shown>,
        colors: Colors,
    ) {
        let all = Since::default()..Since(Ticks(self.shape.total.0.0.max(1)));
        let Range { start, end } = self.zoomed.clone().unwrap_or(all);
        // The selected function is always on the screen.
        let depth = self.facts(shown).map_or(0, |facts| facts.depth);
        let top = (depth + 1).saturating_sub(area.height.into());
        let rows = top as usize + usize::from(area.height);
        let GraphFrame { part: Boxes { edges, numbers }, names } =
            shown.graph_frame(0, start, end, area.width, rows, 0);
        let names: HashMap<u32, String> = names.into_iter().map(|(id, name)| (id.0, name)).collect();
        let boxes = edges.as_chunks().0.iter().zip(numbers.as_chunks().0);
        self.drawn.clear();
        for (&edges, &[depth, _height, node, name, count, style]) in boxes.filter(|(_, box_)| box_[0] >= top)
        {
            let [start, end] = edges.map(|x: f32| x.max(0.0).round() as u16);
            let quarters = (style >> 5 & 3) + 1;
            let cells = Cells { start, end, busy: (count > 1).then(|| quarters as f32 / 4.0) };
            let name = names.get(&name).map_or("", String::as_str);
            let mut style = colors.of_name(name, false);
            if self.selected == Some(node as usize) {
                style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
            }
            let line = Area { y: area.y + (depth - top) as u16, height: 1, ..area };
            boxes::draw(buffer, line, cells, name, style);
            self.drawn.push((cells, depth, node as usize));
        }
    }

    /// Returns what there is to say about the selected function, or about all.
    pub(crate) fn describe(&self, shown: &Showing<impl Shown>) -> String {
        if let Some(BoxFacts { name, facts, .. }) = self.facts(shown) {
            let facts = facts.iter().map(|(what, text)| format!("{what} {text}"));
            return format!("{name}: {}", facts.collect::<Vec<_>>().join(", "));
        }
        let measure = shown.view().measure();
        let total = measure.clock(shown.trace().clock()).duration(self.shape.total.0);
        let what = match measure {
            Measure::WallTime => String::new(),
            measure => format!("{}: ", measure.name()),
        };
        let without = match self.shape.unmeasured {
            0 => String::new(),
            count => format!(", {count} without it"),
        };
        format!("{what}{total} in all functions{without}")
    }
}
