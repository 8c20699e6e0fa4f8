//! Which derived tracks a place has. [layout 24](spall_trace::layout::rules::layout#24)

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};
use spall_trace::model::{SliceId, Tick, TraceView};

use crate::{Since, element::Selected};

/// How many rows of times and names a track has at most.
const MOST_ROWS: usize = 2000;

/// A track that is derived from the trace, and stands above all others. [layout 24](spall_trace::layout::rules::layout#24)
///
/// A place has at most one of each path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum DerivedTrack {
    /// What ran on each processor.
    Cpus,
    /// The critical path of a slice.
    Path(Selected),
    /// Times with names, which somebody has found out about the trace.
    Rows(NamedRows),
}

impl DerivedTrack {
    /// Returns what a place calls it. It begins with `=`, which tells it from tracks and processes.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Cpus => "=CPUs".into(),
            Self::Path(_) => "=Critical path".into(),
            Self::Rows(rows) => format!("={}", rows.title),
        }
    }

    pub(crate) fn title(&self) -> String {
        match self {
            Self::Cpus => "CPUs".into(),
            Self::Path(slice) => format!("Critical path of {}", slice.name),
            Self::Rows(rows) => rows.title.clone(),
        }
    }
}

/// Rows of times and names, such as those of a query.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NamedRows {
    /// What they are. Rows take the place of others with the same title.
    pub title: String,
    /// The rows. Of more than 2000 those count that begin first. A place without them, such as that of an address, means those that
    /// are shown under the title.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Vec<NamedTime>"))]
    pub rows: Arc<[NamedTime]>,
    /// How many rows there are besides.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub left_out: u64,
}

/// A time with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NamedTime {
    /// When it starts.
    pub start: Since,
    /// When it ends.
    pub end: Since,
    /// Its name.
    pub name: String,
    /// The slice that it is about, if that is there at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(as = "Option<u32>"))]
    pub slice: Option<SliceId>,
}

impl NamedRows {
    /// Puts the rows into the order of time, and leaves out what is too much.
    pub(crate) fn bounded(self) -> Self {
        let mut rows = self.rows.to_vec();
        rows.sort_by_key(|row| row.start);
        let left_out = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        for row in &mut rows {
            row.end = row.end.max(row.start);
        }
        Self { rows: rows.into(), left_out: self.left_out + left_out as u64, ..self }
    }

    /// Forgets slices that are not where their rows are. Returns how many.
    pub(crate) fn forget_others(&mut self, origin: Tick, trace: &impl TraceView) -> usize {
        let is_other = |row: &NamedTime| {
            let (start, end) = (origin + row.start.0, origin + row.end.0);
            let slice = row.slice.map(|slice| trace.slice(slice));
            slice.is_some_and(|slice| slice.is_none_or(|slice| slice.end < start || slice.start > end))
        };
        let n_others = self.rows.iter().filter(|row| is_other(row)).count();
        if n_others > 0 {
            self.change(|row| row.slice = row.slice.filter(|_| !is_other(row)));
        }
        n_others
    }

    /// Changes the rows.
    pub(crate) fn change(&mut self, change: impl FnMut(&mut NamedTime)) {
        let mut rows = self.rows.to_vec();
        rows.iter_mut().for_each(change);
        self.rows = rows.into();
    }
}
