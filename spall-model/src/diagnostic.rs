//! What is wrong with a file that could be read all the same.

use crate::ByteRange;

/// One thing found wrong, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnostic {
    /// What.
    pub kind: DiagnosticKind,
    /// The bytes concerned.
    pub bytes: ByteRange,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $name:literal,)*) => {
        /// What is wrong. Each kind says what became of the event.
        ///
        /// Slices that overlap without one containing the other are no diagnostic: lanes are the layout's decision, and
        /// the layout counts them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $($(#[doc = $doc])* $kind,)*
        }

        impl DiagnosticKind {
            /// Every kind, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// A short stable name, such as `unmatched-end`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    // Found by the builder.
    /// An end without an open begin: left out.
    UnmatchedEnd = "unmatched-end",
    /// A begin without an end: kept as an unfinished slice.
    UnfinishedSlice = "unfinished-slice",
    /// A slice with a start but no length: kept as an unfinished slice.
    MissingDuration = "missing-duration",
    /// An end whose name is not that of the slice it closed.
    NameMismatch = "name-mismatch",
    /// An end earlier than its begin: the slice has no length.
    EndBeforeBegin = "end-before-begin",
    /// A negative length: the slice has no length.
    NegativeDuration = "negative-duration",
    /// Begins and ends of a thread are not in time order: they pair in the order of the file unless `resorted`.
    Unordered = "unordered",
    /// Begins and ends of an unordered thread were sorted, as that leaves fewer faults.
    Resorted = "resorted",
    /// An async span without an end: kept, open-ended.
    UnfinishedAsync = "unfinished-async",
    /// An async end or step without a begin: left out.
    UnmatchedAsync = "unmatched-async",
    /// A second start of an async span that is open already: left out.
    DuplicateAsync = "duplicate-async",
    /// Steps of both kinds in one async span: the steps are left out, the span is kept.
    MixedAsyncSteps = "mixed-async-steps",
    /// An arrow's end without a start: left out.
    UnmatchedFlow = "unmatched-flow",
    /// An arrow's start without an end: left out.
    UnfinishedFlow = "unfinished-flow",
    /// A second start for an arrow that is open already: the later one counts.
    DuplicateFlow = "duplicate-flow",
    /// No slice for an arrow to be bound to: left out.
    UnboundFlow = "unbound-flow",
    /// A counter event without a usable value: left out.
    EmptyCounter = "empty-counter",
    /// A value of a counter that is no number: left out, the event's other values kept.
    BadCounterValue = "bad-counter-value",
    /// The deletion of an object that does not exist: left out.
    UnmatchedDelete = "unmatched-delete",
    /// A second creation of an object that exists already: left out.
    DuplicateObject = "duplicate-object",
    /// More slices open at once than `Limits::max_depth`: left out.
    DepthLimit = "depth-limit",
    /// More tracks than `Limits::max_tracks`: the event is left out.
    TrackLimit = "track-limit",
    /// More slices than `Limits::max_slices`: left out.
    SliceLimit = "slice-limit",

    /// Part of a sampling profile whose head is not in the file: left out.
    ProfileWithoutHead = "profile-without-head",
    /// A second head of a sampling profile: left out.
    DuplicateProfile = "duplicate-profile",
    /// A second frame with the same id: left out.
    DuplicateFrame = "duplicate-frame",
    /// A frame whose caller is not in the profile, or who calls itself in the end: it is a root.
    LostFrame = "lost-frame",
    /// A sample of a frame that is not in the profile: kept, its stack is empty. Or a call site or a
    /// line of one: left out.
    UnknownFrame = "unknown-frame",
    /// A sampling profile of a thread that has another one: kept, but not on the timeline.
    SecondProfile = "second-profile",
    /// A sample that does not say its process, where not just one process has such a thread: taken as a sample of the
    /// process with the thread's id.
    MissingProcess = "missing-process",
    /// A name in the stack of a sample that is no text: left out of the stack.
    BadStack = "bad-stack",

    // Found by readers of any format.
    /// A time beyond what 64 bits of ticks hold: clamped.
    TimeOutOfRange = "time-out-of-range",
    /// A time that is not a number: the event is kept, at the time of the one before it in the file.
    NanTime = "nan-time",
    /// A unit of time that is no positive finite number: one nanosecond per tick is used.
    BadTimeUnit = "bad-time-unit",
    /// The file ends inside a record: the record is left out.
    Truncated = "truncated",
    /// Bytes that belong to no record: skipped.
    Junk = "junk",
    /// Nothing behind this place can be trusted: what came before is kept.
    ReadingStopped = "reading-stopped",
    /// An event of a kind that nobody knows: left out.
    UnknownEvent = "unknown-event",
    /// A record that runs over the end of what encloses it: the rest of the enclosing part is left out.
    Overrun = "overrun",

    // Found by readers of JSON.
    /// The array or object is not closed.
    MissingBracket = "missing-bracket",
    /// No comma between two events: read all the same.
    MissingComma = "missing-comma",
    /// More commas than events: read all the same.
    ExtraComma = "extra-comma",
    /// Events without an enclosing array: read all the same.
    BareEvents = "bare-events",
    /// Something after the end of the document: ignored.
    TrailingData = "trailing-data",
    /// An event that is no valid object: left out, up to its end or the next event.
    DamagedEvent = "damaged-event",
    /// An element of the event array that is no object: left out.
    NotAnObject = "not-an-object",
    /// An event without a phase: left out.
    MissingPhase = "missing-phase",
    /// An event without a time: left out.
    MissingTime = "missing-time",
    /// A time that is no number: the event is left out.
    BadTime = "bad-time",
    /// A length or thread time that is no number: read as absent.
    BadDuration = "bad-duration",
    /// The length was taken from the thread clock because the wall clock's is missing.
    DurationFromThreadClock = "duration-from-thread-clock",
    /// An event without a thread id: its process id is used.
    MissingThread = "missing-thread",
    /// An async, flow or object event without an id: left out.
    MissingId = "missing-id",
    /// A snapshot event without a snapshot: kept, its object exists from there.
    MissingSnapshot = "missing-snapshot",
    /// A metadata event without the argument it is about: left out.
    BadMetadata = "bad-metadata",
    /// A field with a value of an unexpected kind: read as absent.
    BadField = "bad-field",
    /// Samples and their times are not equally many: the surplus is left out.
    SampleCount = "sample-count",
    /// A sampling profile without samples. Its frames are kept, and where it says how often each was found, that is laid
    /// out as if it were samples: nothing is known of their order.
    MissingSamples = "missing-samples",

    // Found by readers of Heph.
    /// The packet counter of a stream has a gap: that many packets, or some, were lost.
    LostPackets = "lost-packets",
    /// The packet counter of a stream went back: duplicates, or another order.
    CounterOrder = "counter-order",
    /// Attributes that cannot be decoded to their end: those before are kept.
    BadAttribute = "bad-attribute",
    /// More than one epoch: the last counts.
    DuplicateEpoch = "duplicate-epoch",
    /// An epoch that is not 8 bytes long: kept as metadata, it sets no clock.
    BadEpoch = "bad-epoch",

    // Found by readers of apitrace.
    /// Compressed data that cannot be decoded: what came out before is kept, what follows is lost.
    BadCompression = "bad-compression",
    /// Compressed data that decodes, but not to what was once compressed, as its checksum says: kept as it is.
    BadChecksum = "bad-checksum",
    /// The end of a marker group where none is open: left out.
    UnmatchedGroup = "unmatched-group",
}

impl core::fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// How often each kind was found, and the first ones in full.
#[cfg(feature = "alloc")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    kept: alloc::vec::Vec<Diagnostic>,
    counts: alloc::vec::Vec<Count>,
    max_kept: usize,
}

/// How often a kind was found.
#[cfg(feature = "alloc")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// What.
    pub kind: DiagnosticKind,
    /// How often.
    pub count: u64,
    /// Where the first one begins in the file.
    pub first_byte: u64,
}

#[cfg(feature = "alloc")]
impl Diagnostics {
    /// Nothing found; at most `max_kept` will be kept in full.
    #[must_use]
    pub fn new(max_kept: u32) -> Self {
        let max_kept = usize::try_from(max_kept).unwrap_or(usize::MAX);
        Self { kept: alloc::vec::Vec::new(), counts: alloc::vec::Vec::new(), max_kept }
    }

    /// Adds one.
    #[cold]
    pub fn add(&mut self, kind: DiagnosticKind, bytes: ByteRange) {
        match self.counts.iter_mut().find(|count| count.kind == kind) {
            Some(count) => {
                count.count += 1;
                count.first_byte = count.first_byte.min(bytes.start);
            }
            None => self.counts.push(Count { kind, count: 1, first_byte: bytes.start }),
        }
        if self.kept.len() < self.max_kept {
            self.kept.push(Diagnostic { kind, bytes });
        }
    }

    /// How many of `kind` there are.
    #[must_use]
    pub fn count(&self, kind: DiagnosticKind) -> u64 {
        self.counts.iter().find(|count| count.kind == kind).map_or(0, |count| count.count)
    }

    /// The kinds that were found, in the order in which they were first found.
    #[must_use]
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// The first ones in full, in the order in which they were found.
    #[must_use]
    pub fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_kebab_case() {
        let mut names: alloc::vec::Vec<_> = DiagnosticKind::ALL.iter().map(|kind| kind.name()).collect();
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DiagnosticKind::ALL.len());
    }

    #[test]
    fn beyond_the_limit_diagnostics_are_still_counted() {
        let mut diagnostics = Diagnostics::new(1);
        diagnostics.add(DiagnosticKind::Junk, ByteRange::new(7, 9));
        diagnostics.add(DiagnosticKind::Junk, ByteRange::new(3, 4));
        assert_eq!(diagnostics.kept().len(), 1);
        assert_eq!(diagnostics.counts(), [Count { kind: DiagnosticKind::Junk, count: 2, first_byte: 3 }]);
    }
}
