//! What is drawn at a point.

use super::{Marks, Part};
use crate::Element;

/// A mark reaches so far down if it is on a header.
const MARK: u64 = 14;

/// What is drawn at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointed {
    /// The element, or the first one of several.
    pub element: Element,
    /// How many elements there are.
    pub count: u32,
}

impl Part {
    /// Returns what is drawn at a column and a height: a box, or else an instant that is at most `reach` columns away, or a
    /// counter.
    #[must_use]
    pub fn at(&self, x: f32, y: u64, reach: f32) -> Option<Pointed> {
        let found = self.boxes.at(x, y, 0.0);
        let found = found.map(|found| Pointed { element: found.element(), count: found.count });
        found.or_else(|| self.instant_at(x, y, reach)).or_else(|| {
            let chart = self.charts.iter().find(|chart| is_on(y, chart.top, chart.height))?;
            Some(Pointed { element: Element::Counter(chart.track), count: 1 })
        })
    }

    fn instant_at(&self, x: f32, y: u64, reach: f32) -> Option<Pointed> {
        let is_here = |marks: &&Marks| (marks.top..marks.bottom.unwrap_or(marks.top + MARK)).contains(&y);
        let lines = self.marks.iter().chain(&self.wide).filter(is_here);
        let marks = lines.flat_map(|line| {
            let away = move |column: u32| (column as f32 + 0.5 - line.offset - x).abs();
            let marks = line.numbers.as_chunks().0.iter();
            marks.map(move |&[column, id, count, _]| (away(column), id, count))
        });
        let (away, id, count) = marks.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (away <= reach).then_some(Pointed { element: Element::Instant(id), count })
    }
}

fn is_on(y: u64, top: u64, height: u32) -> bool {
    (top..top + u64::from(height)).contains(&y)
}
