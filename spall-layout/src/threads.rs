//! Pictures of many lines, drawn by several threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use crate::rect::Helper;
use crate::{Line, Rect, RowView, Scratch, Viewport};

/// The number of rectangles from which on threads are started: as many take about a millisecond. A fuzzer has only small
/// inputs.
const MANY: usize = if cfg!(fuzzing) { 0 } else { 10_000 };

/// Passes the rectangles of each line that shows slices to `append`, in the order of the lines.
pub(crate) fn rects_on<'l>(
    n_threads: NonZeroUsize,
    lines: &[Line],
    row: impl Fn(&Line) -> Option<RowView<'l>> + Sync,
    viewport: &Viewport,
    scratch: &mut Scratch,
    append: impl FnMut(&Line, &[Rect]),
) {
    let n_threads = if may_have_many(lines, &row, viewport) { n_threads.get().min(lines.len()) } else { 1 };
    share(n_threads, lines, row, viewport, scratch, append);
}

/// Returns whether there may be so many rectangles that threads are worth their start.
fn may_have_many<'l>(
    lines: &[Line],
    row: impl Fn(&Line) -> Option<RowView<'l>>,
    viewport: &Viewport,
) -> bool {
    let columns = viewport.columns() as usize;
    let rects = lines.iter().filter_map(row).map(|row| row.visible(viewport).len().min(columns));
    rects
        .scan(0, |sum, rects| {
            *sum += rects;
            Some(*sum)
        })
        .any(|sum| sum > MANY)
}

/// Does the same on a number of threads.
///
/// The caller's thread draws lines from the first one on, and its rectangles are where they belong at once. The others draw
/// lines from the last one on, and theirs are put behind when all lines are drawn.
fn share<'l>(
    n_threads: usize,
    lines: &[Line],
    row: impl Fn(&Line) -> Option<RowView<'l>> + Sync,
    viewport: &Viewport,
    scratch: &mut Scratch,
    mut append: impl FnMut(&Line, &[Rect]),
) {
    // Taken out, because the query of a row borrows the rest of the working memory.
    let (mut rects, mut helpers) =
        (core::mem::take(&mut scratch.rects), core::mem::take(&mut scratch.helpers));
    helpers.resize_with(helpers.len().max(n_threads.saturating_sub(1)), Helper::default);
    let queue = Mutex::new(lines.iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let last = || queue.lock().unwrap_or_else(PoisonError::into_inner).next_back();
    let row = &row;
    thread::scope(|scope| {
        for helper in helpers.iter_mut().take(n_threads.saturating_sub(1)) {
            let work = move || helper.draw(last, row, viewport);
            // If the operating system has no more threads, fewer do the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        while let Some((_, line)) = next() {
            if let Some(row) = row(line) {
                rects.clear();
                row.rects(viewport, scratch, &mut rects);
                append(line, &rects);
            }
        }
    });
    let drawn = helpers.iter().flat_map(|helper| helper.lines.iter().map(move |line| (line, &helper.rects)));
    let mut drawn: Vec<_> = drawn.collect();
    drawn.sort_unstable_by_key(|(line, _)| *line);
    for (&(line, from, to), rects) in drawn {
        if let (Some(line), Some(rects)) = (lines.get(line), rects.get(from..to)) {
            append(line, rects);
        }
    }
    helpers.iter_mut().for_each(|helper| helper.lines.clear());
    (scratch.rects, scratch.helpers) = (rects, helpers);
}

impl Helper {
    /// Draws lines as long as there are any.
    fn draw<'q, 'l>(
        &mut self,
        next: impl Fn() -> Option<(usize, &'q Line)>,
        row: impl Fn(&Line) -> Option<RowView<'l>>,
        viewport: &Viewport,
    ) {
        self.rects.clear();
        while let Some((at, line)) = next() {
            if let Some(row) = row(line) {
                let from = self.rects.len();
                row.rects(viewport, &mut self.scratch, &mut self.rects);
                self.lines.push((at, from, self.rects.len()));
            }
        }
    }
}
