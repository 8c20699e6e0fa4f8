//! Which headers the user has folded. [layout 20](crate::rules::layout#20)

use alloc::collections::BTreeSet;

use spall_model::{SliceId, TraceView};

use crate::{AsyncGroup, LineKind, PackId, Packed};

/// The headers of a timeline that are folded: those of processes, tracks and packs.
///
/// Give it to the lines as [`VerticalStyle::folds`](crate::VerticalStyle::folds), and make these again after each change.
///
/// ```
/// use spall_layout::{Folds, Layout, Vertical, VerticalStyle};
/// # use spall_model::{Event, Limits, SliceId, Text, Thread, ThreadEvent, Tick, TraceBuilder};
/// # let mut builder = TraceBuilder::new(&Limits::default());
/// # let event = ThreadEvent::new(Thread::new(1_i64, 7_i64), Tick(0), Text::plain(b"draw"));
/// # builder.push(&Event::Begin(event));
/// # let trace = builder.finish(); // one slice
/// let layout = Layout::new(&trace);
/// let style = VerticalStyle { process: 24, track: 20, row: 16, ..VerticalStyle::FLAT };
/// let vertical = Vertical::new(&trace, &layout, &style);
/// assert_eq!(vertical.height(), 24 + 20 + 16);
///
/// // The user clicks on the header of the thread.
/// let mut folds = Folds::new();
/// folds.toggle(vertical.at(30).unwrap().kind);
/// let folded = Vertical::new(&trace, &layout, &VerticalStyle { folds: Some(&folds), ..style });
/// assert_eq!(folded.height(), 24 + 20);
///
/// // A search finds the slice.
/// folds.open(&trace, SliceId(0));
/// assert_eq!(folds, Folds::new());
/// ```
#[doc(alias("collapse", "expand"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Folds {
    folded: BTreeSet<LineKind>,
}

impl Folds {
    /// Returns folds of which none is folded.
    #[must_use]
    pub const fn new() -> Self {
        Self { folded: BTreeSet::new() }
    }

    /// Returns whether a header is folded. Rows and shared lines are not headers.
    #[must_use]
    pub fn is_folded(&self, line: LineKind) -> bool {
        self.folded.contains(&line)
    }

    /// Folds a header, or opens it if it is folded. Rows and shared lines stay as they are.
    pub fn toggle(&mut self, line: LineKind) {
        let is_header = !matches!(line, LineKind::Row(_) | LineKind::Packed(..) | LineKind::DerivedLine(..));
        if is_header && !self.folded.remove(&line) {
            self.folded.insert(line);
        }
    }

    /// Folds all processes, or opens everything if a process is folded.
    pub fn toggle_all(&mut self, trace: &impl TraceView) {
        if self.folded.iter().any(|line| matches!(line, LineKind::Process(_))) {
            self.folded.clear();
        } else {
            let process_of = |track| trace.track_info(track)?.process;
            self.folded.extend(trace.track_ids().filter_map(process_of).map(LineKind::Process));
        }
    }

    /// Opens the track of a slice, the tracks below which that lies, and its process, so that the slice is on a line of its
    /// own row.
    pub fn open(&mut self, trace: &impl TraceView, slice: SliceId) {
        let mut above = trace.track_of(slice);
        while let Some(track) = above {
            let Some(info) = trace.track_info(track) else { return };
            self.folded.remove(&LineKind::Track(track));
            if let Some(process) = info.process {
                self.folded.remove(&LineKind::Process(process));
            }
            above = info.parent;
        }
    }

    /// Folds the packs with more than [`AsyncGroup::OPEN_LINES`] lines, for a timeline that is shown for the first time.
    pub fn fold_tall(&mut self, packs: &[Packed]) {
        let tall =
            (0..).map(PackId).zip(packs).filter(|(_, pack)| pack.lines().len() > AsyncGroup::OPEN_LINES);
        self.folded.extend(tall.map(|(id, _)| LineKind::Pack(id)));
    }

    /// Opens the pack of a slice, if its track is in one. Each other header is opened by [`Folds::open`].
    pub fn open_pack(&mut self, trace: &impl TraceView, packs: &[Packed], slice: SliceId) {
        let Some(track) = trace.track_of(slice) else { return };
        let pack = (0..).map(PackId).zip(packs).find(|(_, pack)| pack.tracks().contains(&track));
        if let Some((pack, _)) = pack {
            self.folded.remove(&LineKind::Pack(pack));
        }
    }
}
