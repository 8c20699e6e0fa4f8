//! The rows that show how busy a line is, when what it shows is folded.

use alloc::{collections::BTreeSet, vec::Vec};

use spall_model::{TraceView, TrackId};

use crate::{LayoutView, Line, LineKind, RowId};

impl Line {
    /// Returns the rows at depth 0 of what the line shows: of all tracks of a process, of a track and those below it, or the
    /// row itself.
    ///
    /// With [`LayoutView::busy_rows`] they show how busy a folded group is. The header and the lines of a pack have none.
    /// This takes O(tracks + rows) for a process or a track.
    #[must_use]
    pub fn outermost_rows(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<RowId> {
        match self.kind {
            LineKind::Process(process) => {
                let is_inside = |track: &TrackId| {
                    trace.track_info(*track).is_some_and(|info| info.process == Some(process))
                };
                layout.outermost_rows(trace.track_ids().filter(is_inside))
            }
            LineKind::Track(track) => {
                let mut inside = BTreeSet::from([track]);
                // Tracks below come right behind it.
                let below =
                    trace.track_ids().skip_while(|&other| other != track).skip(1).take_while(|&below| {
                        let parent = trace.track_info(below).and_then(|info| info.parent);
                        parent.is_some_and(|parent| inside.contains(&parent)) && inside.insert(below)
                    });
                let below: Vec<TrackId> = below.collect();
                layout.outermost_rows([track].into_iter().chain(below))
            }
            LineKind::Row(row) => alloc::vec![row],
            LineKind::Pack(_) | LineKind::Packed(..) | LineKind::Derived(_) | LineKind::DerivedLine(..) => {
                Vec::new()
            }
        }
    }
}
