//! The numbers of the fields in Perfetto's `perfetto_trace.proto`, as far as track events need them.

/// The packets of a trace.
pub(super) const PACKET: u32 = 1;

pub(super) mod packet {
    pub(crate) const CLOCKS: u32 = 6;
    /// The time of the packet in nanoseconds.
    pub(crate) const TIME: u32 = 8;
    pub(crate) const SEQUENCE: u32 = 10;
    pub(crate) const EVENT: u32 = 11;
    pub(crate) const TEXTS: u32 = 12;
    pub(crate) const SEQUENCE_FLAGS: u32 = 13;
    pub(crate) const TRACK: u32 = 60;
}

pub(super) mod track {
    pub(crate) const UUID: u32 = 1;
    pub(crate) const NAME: u32 = 2;
    pub(crate) const PROCESS: u32 = 3;
    pub(crate) const THREAD: u32 = 4;
    pub(crate) const PARENT: u32 = 5;
    pub(crate) const COUNTER: u32 = 8;
    /// The order of the tracks below it.
    pub(crate) const CHILDREN: u32 = 11;
    pub(crate) const RANK: u32 = 12;
    pub(crate) const MERGING: u32 = 15;
}

/// The value of [`track::MERGING`] for a track that is never shown as one with others.
pub(super) const UNMERGED: u64 = 2;

pub(super) mod process {
    pub(crate) const PID: u32 = 1;
    pub(crate) const NAME: u32 = 6;
    pub(crate) const SORT_INDEX: u32 = 3;
    pub(crate) const LABEL: u32 = 8;
}

pub(super) mod thread {
    pub(crate) const PID: u32 = 1;
    pub(crate) const TID: u32 = 2;
    pub(crate) const SORT_INDEX: u32 = 3;
    pub(crate) const NAME: u32 = 5;
}

pub(super) mod event {
    pub(crate) const CATEGORY: u32 = 3;
    pub(crate) const ARGUMENT: u32 = 4;
    pub(crate) const KIND: u32 = 9;
    pub(crate) const NAME: u32 = 10;
    pub(crate) const TRACK: u32 = 11;
    /// The values of counters beside the event, and their tracks.
    pub(crate) const FURTHER_VALUE: u32 = 12;
    pub(crate) const FURTHER_TRACK: u32 = 31;
    pub(crate) const COUNTER_VALUE: u32 = 44;
    pub(crate) const FLOW: u32 = 47;
    pub(crate) const ENDING_FLOW: u32 = 48;
}

/// Kinds of events.
pub(super) mod kind {
    pub(crate) const BEGIN: u64 = 1;
    pub(crate) const END: u64 = 2;
    pub(crate) const INSTANT: u64 = 3;
    pub(crate) const COUNTER: u64 = 4;
}

pub(super) mod argument {
    pub(crate) const KEY: u32 = 1;
    pub(crate) const BOOL: u32 = 2;
    pub(crate) const UINT: u32 = 3;
    pub(crate) const INT: u32 = 4;
    pub(crate) const DOUBLE: u32 = 5;
    pub(crate) const TEXT: u32 = 6;
    /// A list or a map. The messages for them nest, which writers and readers follow by recursion.
    pub(crate) const JSON: u32 = 9;
}

/// Texts that packets refer to by numbers.
pub(super) mod texts {
    pub(crate) const CATEGORY: u32 = 1;
    pub(crate) const NAME: u32 = 2;
    pub(crate) const KEY: u32 = 3;
}
