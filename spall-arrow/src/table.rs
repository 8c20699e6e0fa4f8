//! The tables, with their names and the numbers of their rows.

use spall_model::{Trace, TraceView};

macro_rules! tables {
    ($($(#[doc = $doc:literal])* $table:ident = $name:literal,)*) => {
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
            $($(#[doc = $doc])* $table,)*
        }

        impl Table {
            /// Every table, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$table,)*];

            /// Returns the name of the table in SQL, such as `slice`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$table => $name,)* }
            }
        }
    };
}

tables! {
    /// The trace itself: one row with its clock, bounds, row counts and labels.
    Trace = "trace",
    /// The processes, in the order in which they are displayed.
    Process = "process",
    /// The tracks in display order: threads, async tracks, counters.
    Track = "track",
    /// The slices, sorted by track and start.
    Slice = "slice",
    /// The instants, sorted by track and time.
    Instant = "instant",
    /// The counter values, sorted by track and time.
    Counter = "counter",
    /// The states of threads, sorted by track and start.
    State = "state",
    /// The flows, which link two slices.
    Flow = "flow",
    /// The sampling profiles, each of one thread.
    Profile = "profile",
    /// The call frames of the profiles: a tree, by the frame's parent.
    Frame = "frame",
    /// The samples of the profiles, each with its frame.
    Sample = "sample",
    /// The objects, each with its lifetime.
    Object = "object",
    /// The snapshots of objects, each with its time.
    Snapshot = "snapshot",
    /// The metadata of the file: facts that no other table has a column for.
    Metadata = "metadata",
    /// Events of kinds that the model does not interpret.
    OtherEvent = "other_event",
    /// The arguments of all other tables, one row for each value, with types.
    Args = "args",
    /// What the file has that is damaged or odd, counted by kind.
    Diagnostic = "diagnostic",
}

impl Table {
    /// Returns how many items of a trace are the rows of the table; 0 where rows are no items of the trace.
    pub(crate) fn n_items(self, trace: &Trace) -> usize {
        match self {
            Self::Trace => 1,
            Self::Process => trace.processes().len(),
            Self::Track => trace.tracks().len(),
            Self::Slice => trace.slices().len(),
            Self::Instant => trace.instants().len(),
            Self::Counter => trace.counters().len(),
            Self::State => trace.states().len(),
            Self::Flow => trace.flows().len(),
            Self::Profile => trace.profiles().len(),
            Self::Frame => trace.frames().len(),
            Self::Sample => trace.samples().len(),
            Self::Object => trace.objects().len(),
            Self::Snapshot => trace.snapshots().len(),
            Self::Metadata => trace.meta().len(),
            Self::OtherEvent => trace.others().len(),
            Self::Args | Self::Diagnostic => 0,
        }
    }
}
