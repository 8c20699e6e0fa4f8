//! The names of the tables.

/// The tables of a trace. The page [`schema`](crate::schema) lists their columns.
///
/// ```
/// use spall_arrow::Table;
/// assert_eq!(Table::Slice.name(), "slice");
/// assert!(Table::Slice.schema().field_with_name("self_dur").is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Table {
    /// The trace itself: one row with its clock, bounds, row counts and labels.
    Trace,
    /// The processes.
    Process,
    /// The tracks: threads, async tracks, counters.
    Track,
    /// The slices, sorted by track and start.
    Slice,
    /// The instants, sorted by track and time.
    Instant,
    /// The counter values, sorted by track and time.
    Counter,
    /// The states of threads, sorted by track and start.
    State,
    /// The flows, which link two slices.
    Flow,
    /// The sampling profiles.
    Profile,
    /// The call frames of the profiles: a tree, by the frame's parent.
    Frame,
    /// The samples of the profiles.
    Sample,
    /// The objects.
    Object,
    /// The snapshots of objects.
    Snapshot,
    /// The metadata of the file.
    Metadata,
    /// Events of kinds that the model does not interpret.
    OtherEvent,
    /// The arguments of all other tables, one row for each value, with types.
    Args,
    /// What the file has that is damaged or odd, counted by kind.
    Diagnostic,
}

impl Table {
    /// All tables.
    pub const ALL: &'static [Self] = &[
        Self::Trace,
        Self::Process,
        Self::Track,
        Self::Slice,
        Self::Instant,
        Self::Counter,
        Self::State,
        Self::Flow,
        Self::Profile,
        Self::Frame,
        Self::Sample,
        Self::Object,
        Self::Snapshot,
        Self::Metadata,
        Self::OtherEvent,
        Self::Args,
        Self::Diagnostic,
    ];

    /// Returns the name of the table in SQL, such as `slice`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Process => "process",
            Self::Track => "track",
            Self::Slice => "slice",
            Self::Instant => "instant",
            Self::Counter => "counter",
            Self::State => "state",
            Self::Flow => "flow",
            Self::Profile => "profile",
            Self::Frame => "frame",
            Self::Sample => "sample",
            Self::Object => "object",
            Self::Snapshot => "snapshot",
            Self::Metadata => "metadata",
            Self::OtherEvent => "other_event",
            Self::Args => "args",
            Self::Diagnostic => "diagnostic",
        }
    }
}
