//! The numbers of argument sets. Each row of a trace that can have arguments has one, whether it has arguments or not.

use spall_model::{Args, SliceArgs, SliceId, Trace, TraceView};

use crate::Table;

/// The argument sets of a trace, numbered table by table in the order of [`ArgOwner`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgSets<'t> {
    trace: &'t Trace,
    /// The number of the first set of each owner, and behind the last one the number of sets.
    starts: [usize; ArgOwner::ALL.len() + 1],
}

/// What has arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgOwner {
    Slice,
    Instant,
    State,
    /// The event at the start of a flow.
    FlowOut,
    /// The event at the end of a flow.
    FlowIn,
    Sample,
    Snapshot,
    OtherEvent,
}

impl ArgOwner {
    const ALL: [Self; 8] = [
        Self::Slice,
        Self::Instant,
        Self::State,
        Self::FlowOut,
        Self::FlowIn,
        Self::Sample,
        Self::Snapshot,
        Self::OtherEvent,
    ];

    fn table(self) -> Table {
        match self {
            Self::Slice => Table::Slice,
            Self::Instant => Table::Instant,
            Self::State => Table::State,
            Self::FlowOut | Self::FlowIn => Table::Flow,
            Self::Sample => Table::Sample,
            Self::Snapshot => Table::Snapshot,
            Self::OtherEvent => Table::OtherEvent,
        }
    }
}

impl<'t> ArgSets<'t> {
    pub(crate) fn new(trace: &'t Trace) -> Self {
        let mut starts = [0; ArgOwner::ALL.len() + 1];
        let mut next = 0;
        for (start, owner) in starts.iter_mut().zip(ArgOwner::ALL) {
            *start = next;
            next += owner.table().n_items(trace);
        }
        if let Some(end) = starts.last_mut() {
            *end = next;
        }
        Self { trace, starts }
    }

    /// Returns the number of sets, empty ones included.
    pub(crate) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// Returns the number of the set that row `row` of `owner` has, or `None` if it has no arguments.
    pub(crate) fn id(&self, owner: ArgOwner, row: usize) -> Option<i64> {
        let SliceArgs { begin, end } = self.of(owner, row);
        // A whole event of a file is kept for its fields, so they are found sooner than the arguments.
        let is_empty = |args: Args<'_>| args.fields().next().is_none() && args.iter().next().is_none();
        let start = self.starts.get(owner as usize)?;
        (!is_empty(begin) || !is_empty(end)).then_some(i64::try_from(start + row).ok()?)
    }

    /// Returns the set with a number, and the table that it belongs to.
    pub(crate) fn get(&self, set: usize) -> Option<(Table, SliceArgs<'t>)> {
        let at = self.starts.partition_point(|&start| start <= set).checked_sub(1)?;
        let owner = *ArgOwner::ALL.get(at)?;
        Some((owner.table(), self.of(owner, set - self.starts.get(at)?)))
    }

    /// Returns the arguments of a row.
    pub(crate) fn of(&self, owner: ArgOwner, row: usize) -> SliceArgs<'t> {
        let trace = self.trace;
        let flow = |row| trace.flows().get(row).map(|flow| trace.flow_args(flow));
        let begin = match owner {
            ArgOwner::Slice => return trace.slice_args(SliceId::new(row)),
            ArgOwner::Instant => trace.instants().get(row).map(|instant| trace.args_of(instant)),
            ArgOwner::State => trace.states().get(row).map(|state| trace.args_of(state)),
            ArgOwner::FlowOut => flow(row).map(|(out, _)| out),
            ArgOwner::FlowIn => flow(row).map(|(_, into)| into),
            ArgOwner::Sample => trace.samples().get(row).map(|sample| trace.args_of(sample)),
            ArgOwner::Snapshot => trace.snapshots().get(row).map(|snapshot| trace.args_of(snapshot)),
            ArgOwner::OtherEvent => trace.others().get(row).map(|event| trace.args_of(event)),
        };
        SliceArgs { begin: begin.unwrap_or(Args::NONE), end: Args::NONE }
    }

    /// Returns how many bytes of arguments a row of a table has.
    pub(crate) fn n_bytes(&self, table: Table, row: usize) -> usize {
        let len = |args: SliceArgs<'_>| args.begin.bytes().len() + args.end.bytes().len();
        if table == Table::Args {
            return self.get(row).map_or(0, |(_, args)| len(args));
        }
        let owners = ArgOwner::ALL.into_iter().filter(|owner| owner.table() == table);
        owners.map(|owner| len(self.of(owner, row))).sum()
    }
}
