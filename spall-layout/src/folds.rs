//! Which processes and tracks the user has folded. [layout 20](crate::rules::layout#20)

use alloc::collections::BTreeSet;

use spall_model::{ProcessId, SliceId, TraceView, TrackId};

use crate::{Heights, LineKind, PackId, RowId, RowInfo, VerticalStyle};

/// The style of a timeline whose lines of one kind are equally high, and whose headers can be folded.
///
/// Make the [`Vertical`](crate::Vertical) again after each change.
///
/// ```
/// use spall_layout::{Folds, Heights, Layout, LayoutOptions, Vertical};
/// # use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(0), Text::plain(b"draw"));
/// # builder.push(&Event::Begin(event));
/// # let trace = builder.finish(); // one slice
/// let layout = Layout::new(&trace, &LayoutOptions::default());
/// let mut folds = Folds::new(Heights { process: 24, track: 20, row: 16 });
/// let vertical = Vertical::new(&trace, &layout, &folds);
/// assert_eq!(vertical.height(), 24 + 20 + 16);
///
/// // The user clicks on the header of the thread.
/// let header = vertical.at(30).unwrap();
/// folds.toggle(header.kind);
/// assert_eq!(Vertical::new(&trace, &layout, &folds).height(), 24 + 20);
///
/// // A search finds the slice.
/// folds.open(&trace, SliceId(0));
/// assert_eq!(Vertical::new(&trace, &layout, &folds), vertical);
/// ```
#[doc(alias("collapse", "expand"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Folds {
    heights: Heights,
    processes: BTreeSet<ProcessId>,
    tracks: BTreeSet<TrackId>,
    packs: BTreeSet<PackId>,
}

impl Folds {
    /// Creates a style in which nothing is folded.
    #[must_use]
    pub fn new(heights: Heights) -> Self {
        Self { heights, processes: BTreeSet::new(), tracks: BTreeSet::new(), packs: BTreeSet::new() }
    }

    /// Returns whether a header is folded. Rows and shared lines are not headers.
    #[must_use]
    pub fn is_folded(&self, line: LineKind) -> bool {
        match line {
            LineKind::Process(process) => self.processes.contains(&process),
            LineKind::Track(track) => self.tracks.contains(&track),
            LineKind::Pack(pack) => self.packs.contains(&pack),
            LineKind::Row(_) | LineKind::Packed(..) => false,
        }
    }

    /// Folds a header, or opens it if it is folded. Rows and shared lines stay as they are.
    pub fn toggle(&mut self, line: LineKind) {
        match line {
            LineKind::Process(process) => toggle(&mut self.processes, process),
            LineKind::Track(track) => toggle(&mut self.tracks, track),
            LineKind::Pack(pack) => toggle(&mut self.packs, pack),
            LineKind::Row(_) | LineKind::Packed(..) => {}
        }
    }

    /// Folds all processes, or opens all processes and tracks if a process is folded.
    pub fn toggle_all(&mut self, trace: &impl TraceView) {
        if self.processes.is_empty() {
            let process_of = |track| trace.track_info(track)?.process;
            self.processes.extend(trace.track_ids().filter_map(process_of));
        } else {
            self.processes.clear();
            self.tracks.clear();
            self.packs.clear();
        }
    }

    /// Opens the track of a slice and its process, so that the slice is on a line of its own row.
    pub fn open(&mut self, trace: &impl TraceView, slice: SliceId) {
        let Some(track) = trace.track_of(slice) else { return };
        self.tracks.remove(&track);
        if let Some(process) = trace.track_info(track).and_then(|info| info.process) {
            self.processes.remove(&process);
        }
    }
}

/// Adds an element to a set, or removes it if the set has it.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, element: T) {
    if !set.remove(&element) {
        set.insert(element);
    }
}

impl VerticalStyle for Folds {
    fn process_height(&self, process: ProcessId) -> u32 {
        self.heights.process_height(process)
    }

    fn track_height(&self, track: TrackId) -> u32 {
        self.heights.track_height(track)
    }

    fn row_height(&self, row: RowId, info: RowInfo) -> u32 {
        self.heights.row_height(row, info)
    }

    fn is_process_folded(&self, process: ProcessId) -> bool {
        self.processes.contains(&process)
    }

    fn is_track_folded(&self, track: TrackId) -> bool {
        self.tracks.contains(&track)
    }

    fn is_pack_folded(&self, pack: PackId) -> bool {
        self.packs.contains(&pack)
    }
}
