//! How high lines are.

/// How high lines are, in the unit of a frontend: pixels, or lines of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heights {
    /// The header of a process.
    pub process: u32,
    /// A row of slices.
    pub row: u32,
    /// The header of what is folded.
    pub folded: u32,
    /// The header of a track that has instants or states.
    pub marks: u32,
    /// The header of a counter.
    pub counter: u32,
    /// The header of a track that has slices alone.
    pub gap: u32,
    /// A line of objects.
    pub object: u32,
    /// The states of a thread, along the lower edge of a header.
    pub states: u32,
}

impl Heights {
    /// Those of a page, in pixels. The names of tracks stand beside their lines.
    pub const PAGE: Self =
        Self { process: 22, row: 18, folded: 20, marks: 20, counter: 44, gap: 5, object: 14, states: 7 };

    /// Those of a terminal, in its lines. The names of tracks stand on their headers, and so do the states of threads.
    pub const TERMINAL: Self =
        Self { process: 1, row: 1, folded: 1, marks: 1, counter: 1, gap: 1, object: 1, states: 1 };

    /// Those of a window, in points. The names of tracks stand above their lines.
    pub const DESKTOP: Self =
        Self { process: 24, row: 18, folded: 20, marks: 20, counter: 44, gap: 20, object: 14, states: 7 };
}
