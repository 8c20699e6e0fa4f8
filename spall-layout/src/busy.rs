//! How busy very many rows are. [layout 10](crate::rules::layout#10)

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use spall_model::{SliceId, Tick};

use crate::{LayoutView, Row, RowId, Viewport};

/// Rows of which it is only asked how many are busy, put together into as few as were busy at one time.
///
/// A frame of a folded group of a million tracks then looks at the few hundred rows that are left. It takes O(n log n) to make
/// this of n slices, which are copied.
///
/// ```
/// use spall_layout::{BusyRows, Layout, LayoutView, Viewport};
/// use spall_model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
/// let mut builder = TraceBuilder::new(&Limits::default());
/// for (thread, start) in [(1, 0), (2, 5), (3, 20), (4, 30)] {
///     let event = ThreadEvent::new(Thread::new(1, thread), Tick(start), Text::plain(b"work"));
///     builder.push(&Event::Complete(event, Ticks(10)));
/// }
/// let trace = builder.finish();
/// let layout = Layout::new(&trace);
/// let rows = BusyRows::new(&layout, layout.rows());
/// assert_eq!(rows.len(), 2);
/// let mut busy = Vec::new();
/// rows.busy(&Viewport::new(Tick(0)..Tick(40), 4), &mut busy);
/// assert_eq!(busy, [1.5, 0.5, 1.0, 1.0]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BusyRows {
    rows: Vec<Row>,
}

impl BusyRows {
    /// Puts rows of a layout together.
    #[must_use]
    pub fn new(layout: &impl LayoutView, rows: impl IntoIterator<Item = RowId>) -> Self {
        let mut slices: Vec<(Tick, Tick)> = Vec::new();
        for row in rows.into_iter().filter_map(|row| layout.row(row)) {
            slices.extend(row.starts().iter().copied().zip(row.ends().iter().copied()));
        }
        slices.sort_unstable();
        let (mut rows, mut free) = (Vec::<Row>::new(), BinaryHeap::<Reverse<(Tick, usize)>>::new());
        for (start, end) in slices {
            let first_free = free.peek().is_some_and(|Reverse((until, _))| *until <= start);
            let number = match first_free.then(|| free.pop()).flatten() {
                Some(Reverse((_, number))) => number,
                None => {
                    rows.push(Row::new());
                    rows.len() - 1
                }
            };
            if let Some(row) = rows.get_mut(number) {
                row.push(start, end, SliceId(0));
            }
            free.push(Reverse((end, number)));
        }
        Self { rows }
    }

    /// Returns the number of rows that are left: as many as were busy at one time.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether no row has a slice.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes to `out`, for each column of `viewport`, how many of the rows are inside a slice, as
    /// [`LayoutView::busy_rows`] does.
    pub fn busy(&self, viewport: &Viewport, out: &mut Vec<f32>) {
        out.clear();
        out.resize(viewport.columns() as usize, 0.0);
        for row in &self.rows {
            row.view(RowId(0)).add_busy(viewport, out);
        }
    }
}
