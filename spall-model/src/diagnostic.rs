//! Reports about damage and oddities of a file that can be read all the same.

use crate::{ByteRange, Tick};

/// One report about damage or an oddity, with its place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The kind of damage or oddity.
    pub kind: DiagnosticKind,
    /// The bytes of the file that the report is about.
    pub bytes: ByteRange,
    /// The time of the event that the report is about, if that has one, or else of the event before it; `None` if no event with a
    /// time comes before. [damage 1](crate::rules::damage#1)
    pub at: Option<Tick>,
}

impl Diagnostic {
    /// Returns a report of this kind about these bytes of the file, whose time is not known.
    #[must_use]
    pub const fn new(kind: DiagnosticKind, bytes: ByteRange) -> Self {
        Self { kind, bytes, at: None }
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $name:literal,)*) => {
        /// A kind of damage or oddity. The documentation of each kind says what became of the event.
        ///
        /// ```
        /// use spall_model::DiagnosticKind;
        ///
        /// let kind = DiagnosticKind::UnmatchedEnd;
        /// assert_eq!(kind.to_string(), "unmatched-end");
        /// assert_eq!(kind.description(), "An end has no open begin. The end is left out.");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $(
                $(#[doc = $doc])*
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $kind,
            )*
        }

        impl DiagnosticKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Returns a short stable name of the kind, such as `unmatched-end`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Returns what the kind means and what became of the event, in plain sentences.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),*).trim_ascii_start(),)* }
            }

        }
    };
}

kinds! {
    // Found by the builder.
    /// An end has no open begin. The end is left out.
    UnmatchedEnd = "unmatched-end",
    /// A begin has no end. The slice is kept as unfinished.
    UnfinishedSlice = "unfinished-slice",
    /// A slice has a start but no duration. The slice is kept as unfinished.
    MissingDuration = "missing-duration",
    /// The name of an end is not the name of the slice it closes. The slice keeps its own name.
    NameMismatch = "name-mismatch",
    /// An end is earlier than its begin. The slice gets no duration.
    EndBeforeBegin = "end-before-begin",
    /// A duration is negative. The slice gets no duration.
    NegativeDuration = "negative-duration",
    /// Begins and ends of a thread are not in the order of time. They pair in the order of the file unless
    /// `resorted`.
    Unordered = "unordered",
    /// Begins and ends of an unordered thread were sorted, because that leaves fewer faults.
    Resorted = "resorted",
    /// An async span has no end. The span is kept as unfinished.
    UnfinishedAsync = "unfinished-async",
    /// An async end or step has no begin. The event is left out.
    UnmatchedAsync = "unmatched-async",
    /// An async span that is already open starts again. The second start is left out.
    DuplicateAsync = "duplicate-async",
    /// An async span ends while another one of its id and name, which began later, is open, as equal arguments of begin and
    /// end tell. An end whose arguments tell nothing closes the span that began last.
    RepeatedAsync = "repeated-async",
    /// An async span has steps of both kinds. The steps are left out, the span is kept.
    MixedAsyncSteps = "mixed-async-steps",
    /// The end of a flow has no start. The end is left out.
    UnmatchedFlow = "unmatched-flow",
    /// The start of a flow has no end. The start is left out.
    UnfinishedFlow = "unfinished-flow",
    /// A flow that is already open starts again. The later start counts.
    DuplicateFlow = "duplicate-flow",
    /// There is no slice that a flow could be bound to. The flow is left out.
    UnboundFlow = "unbound-flow",
    /// A counter event has no usable value. The event is left out.
    EmptyCounter = "empty-counter",
    /// A value of a counter is not a number. The value is left out, the other values of the event are kept.
    BadCounterValue = "bad-counter-value",
    /// An object is deleted that does not exist. The event is left out.
    UnmatchedDelete = "unmatched-delete",
    /// An object is created that already exists. The event is left out.
    DuplicateObject = "duplicate-object",
    /// The parent of a track is not in its process, or the track is its own parent in the end. The track lies directly
    /// below the process.
    LostParent = "lost-parent",
    /// The parent of an async span is not among the spans of its key. The span lies below no other.
    LostSpanParent = "lost-span-parent",
    /// The span that another one links to is not in the trace. The link is kept as an argument.
    LostSpanLink = "lost-span-link",
    /// Async spans are each other's parents in a circle, or one is its own. The one that starts first lies below no other.
    CircularSpan = "circular-span",
    /// More slices are open at once than `Limits::max_depth` or the parser allows. The slice is left out.
    DepthLimit = "depth-limit",
    /// There are more tracks than `Limits::max_tracks` allows, or more threads with samples than a file of this size may have
    /// ([`Budget`](crate::Budget)). The event is left out.
    TrackLimit = "track-limit",
    /// There are more slices than `Limits::max_slices` allows. The slice is left out.
    SliceLimit = "slice-limit",
    /// There are more different stacks than a file of this size may have ([`Budget`](crate::Budget)), or too many functions
    /// are inlined into one another. The innermost functions of a stack are left out, or the outermost ones that are
    /// inlined; its sample is kept.
    StackLimit = "stack-limit",
    /// Nothing tells how the clock of a merged trace relates to the other clocks. The trace keeps its times.
    UnalignedClock = "unaligned-clock",

    /// A part of a sampling profile has no head in the file. The part is left out.
    ProfileWithoutHead = "profile-without-head",
    /// A sampling profile has a second head. The second head is left out.
    DuplicateProfile = "duplicate-profile",
    /// A call frame has an id that another frame has. The second frame is left out.
    DuplicateFrame = "duplicate-frame",
    /// The caller of a call frame is not in the profile, or the frame is its own caller in the end. The frame
    /// becomes a root.
    LostFrame = "lost-frame",
    /// A sample, a call site or a line refers to a call frame that is not in the profile. A sample is kept with an
    /// empty stack; a call site or a line is left out.
    UnknownFrame = "unknown-frame",
    /// A thread has more than one sampling profile, and they are not several values of the same samples. Every profile
    /// is kept, but only the first is on the timeline.
    SecondProfile = "second-profile",
    /// A sample has a negative weight, as in a profile that is the difference of two. It is left out.
    NegativeWeight = "negative-weight",
    /// A sample does not say its process, and not exactly one process has such a thread. The sample is taken for
    /// one of the process with the thread's id.
    MissingProcess = "missing-process",
    /// A sampling profile ends by another clock than that of its samples, so that the last sample would hold for far too
    /// long. It holds for the median distance of the samples.
    BadProfileEnd = "bad-profile-end",
    /// A name in the stack of a sample is not a text. The name is left out of the stack.
    BadStack = "bad-stack",

    // Found by parsers: what is wrong with the file as a whole.
    /// The unit of time is not a positive finite number. One nanosecond per tick is used.
    BadTimeUnit = "bad-time-unit",
    /// A part of the file has another unit than the axis. Its numbers are taken for ticks of the axis.
    OtherUnit = "other-unit",
    /// The file says more than once when its times begin. The last one counts.
    DuplicateEpoch = "duplicate-epoch",
    /// What the file says of when its times begin cannot be read, or is before the year 2000. It sets no clock.
    BadEpoch = "bad-epoch",
    /// The file ends inside a record. The record is left out.
    Truncated = "truncated",
    /// Bytes belong to no record. The bytes are skipped.
    Junk = "junk",
    /// Nothing behind this place can be trusted. What came before is kept.
    ReadingStopped = "reading-stopped",
    /// A record runs over the end of the part that encloses it. The rest of the enclosing part is left out.
    Overrun = "overrun",
    /// A record cannot be read to its end. What was read of it is kept, and the rest is left out.
    DamagedRecord = "damaged-record",
    /// The end of the list of events, or of the whole document, is not marked. Everything up to there is read.
    UnclosedList = "unclosed-list",
    /// Nothing separates two events. Both are read.
    MissingSeparator = "missing-separator",
    /// There are more separators than events. The events are read.
    ExtraSeparator = "extra-separator",
    /// The events are not in the list that the format wants around them. They are read.
    BareEvents = "bare-events",
    /// There is something after the end of the document. It is ignored.
    TrailingData = "trailing-data",
    /// Packets or events were lost before the file was written, as gaps in their numbers or the file itself say.
    LostPackets = "lost-packets",
    /// The numbers of packets go back: packets are repeated or in another order.
    PacketOrder = "packet-order",
    /// A processor switches away from another thread than the one that it switched to before. Both are kept.
    SwitchMismatch = "sched-mismatch",
    /// An event depends on a part of the recording that was lost. The event is left out.
    LostState = "lost-state",
    /// Content is of a kind that is not read. It is left out.
    NotRead = "not-read",
    /// Compressed data cannot be decoded. What came out before is kept, what follows is lost.
    BadCompression = "bad-compression",
    /// The checksum of compressed data does not match what it decodes to. The data is kept as it is.
    BadChecksum = "bad-checksum",

    // Found by parsers: what is wrong with an event.
    /// The id of a span or a trace has another form than its format gives to ids. It is kept as it stands.
    UnusualId = "unusual-id",
    /// A span is there twice, equal in everything. One of them is kept.
    DuplicateSpan = "duplicate-span",
    /// A span has the id of another one of its trace. Both are kept.
    RepeatedSpanId = "repeated-span-id",
    /// A span has an end but no start. It lies at its end, without duration.
    MissingStart = "missing-start",
    /// An event of a span has no time. It lies at the start of the span.
    MissingEventTime = "missing-event-time",
    /// A value lies inside more lists and maps than are read. It is read as null.
    DeepValue = "deep-value",
    /// There are more spans, or more events and links of spans, than a file of this size may have
    /// ([`Budget`](crate::Budget)). The item is left out.
    SpanLimit = "span-limit",
    /// An event cannot be read. It is left out.
    DamagedEvent = "damaged-event",
    /// Something else stands where an event should be. It is left out.
    NotAnEvent = "not-an-event",
    /// The kind of an event is unknown. The event is left out.
    UnknownEvent = "unknown-event",
    /// An event does not say its kind. The event is left out.
    MissingKind = "missing-kind",
    /// A time does not fit in 64 bits of ticks. The time is clamped.
    TimeOutOfRange = "time-out-of-range",
    /// A time is NaN. The event is kept, at the time of the event before it in the file.
    NanTime = "nan-time",
    /// An event has no time. The event is left out.
    MissingTime = "missing-time",
    /// A time is not a number. The event is left out.
    BadTime = "bad-time",
    /// Nothing tells how the clock of an event relates to that of the trace. The time is kept as it is.
    UnknownClock = "unknown-clock",
    /// A duration is not a number. It is read as absent.
    BadDuration = "bad-duration",
    /// A time of a thread's clock is not a number, negative or out of range. It is read as absent.
    BadThreadTime = "bad-thread-time",
    /// The wall clock's duration is missing. The duration by the thread clock is used.
    DurationFromThreadClock = "duration-from-thread-clock",
    /// An event has no thread id. Its process id is used.
    MissingThread = "missing-thread",
    /// An async, flow or object event has no id. The event is left out.
    MissingId = "missing-id",
    /// A snapshot event has no snapshot. The event is kept: its object exists from there on.
    MissingSnapshot = "missing-snapshot",
    /// A metadata event lacks the argument that it is about. The event is left out.
    BadMetadata = "bad-metadata",
    /// A field has a value of an unexpected kind. It is read as absent.
    BadField = "bad-field",
    /// Arguments cannot be decoded to their end. The arguments before the damage are kept.
    BadArgument = "bad-argument",
    /// An event refers to a text or another entry that the file does not have. The reference is left out.
    UnknownEntry = "unknown-entry",
    /// The numbers of samples and of their times differ, or there are more samples than a file of this size may have. The
    /// surplus is left out.
    SampleCount = "sample-count",
    /// A call graph stands for more different stacks than a trace should have. What is below the others lies below a function
    /// `(rest)`.
    CallGraphLimit = "call-graph-limit",
    /// A sampling profile has no samples. Its frames are kept. If the profile counts how often each frame was
    /// found, those counts are laid out as if they were samples in an unknown order.
    MissingSamples = "missing-samples",
}

/// Writes the short name of the kind, [`DiagnosticKind::name`].
impl core::fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// The diagnostics of a file: how often each kind was found, and the first reports in full.
///
/// ```
/// use spall_model::{ByteRange, DiagnosticKind, Diagnostics};
///
/// let mut diagnostics = Diagnostics::new(1);
/// diagnostics.add(DiagnosticKind::Junk, ByteRange::new(7, 9), None);
/// diagnostics.add(DiagnosticKind::Junk, ByteRange::new(20, 21), None);
/// assert_eq!(diagnostics.count(DiagnosticKind::Junk), 2);
/// assert_eq!(diagnostics.kept().len(), 1);
/// println!("{diagnostics}"); // a sentence for each kind: how often it was found, and where first
/// ```
#[cfg(feature = "alloc")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diagnostics {
    kept: alloc::vec::Vec<Diagnostic>,
    counts: alloc::vec::Vec<DiagnosticCount>,
    #[cfg_attr(feature = "serde", serde(skip))]
    max_kept: usize,
}

/// The number of reports of one kind.
#[cfg(feature = "alloc")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DiagnosticCount {
    /// The kind of the reports.
    pub kind: DiagnosticKind,
    /// The number of reports, those that were not kept in full included.
    pub count: u64,
    /// The smallest position in the file, in bytes, at which a report of the kind begins.
    pub first_byte: u64,
    /// The time of that report, as [`Diagnostic::at`].
    pub at: Option<Tick>,
}

#[cfg(feature = "alloc")]
impl Diagnostics {
    /// Returns an empty collection that keeps at most `max_kept` reports in full.
    #[must_use]
    pub fn new(max_kept: u32) -> Self {
        let max_kept = usize::try_from(max_kept).unwrap_or(usize::MAX);
        Self { kept: alloc::vec::Vec::new(), counts: alloc::vec::Vec::new(), max_kept }
    }

    /// Adds a report: it is counted, and kept in full if there is still room.
    #[cold]
    pub fn add(&mut self, kind: DiagnosticKind, bytes: ByteRange, at: Option<Tick>) {
        match self.counts.iter_mut().find(|count| count.kind == kind) {
            Some(count) => {
                count.count += 1;
                if bytes.start < count.first_byte {
                    (count.first_byte, count.at) = (bytes.start, at);
                }
            }
            None => self.counts.push(DiagnosticCount { kind, count: 1, first_byte: bytes.start, at }),
        }
        if self.kept.len() < self.max_kept {
            self.kept.push(Diagnostic { kind, bytes, at });
        }
    }

    /// Returns the number of reports of a kind; 0 if there are none.
    #[must_use]
    pub fn count(&self, kind: DiagnosticKind) -> u64 {
        self.counts.iter().find(|count| count.kind == kind).map_or(0, |count| count.count)
    }

    /// Returns the number of reports of every kind that was found, in the order in which the kinds were first found.
    #[must_use]
    pub fn counts(&self) -> &[DiagnosticCount] {
        &self.counts
    }

    /// Returns the first reports in full, in the order in which they were found.
    #[must_use]
    pub fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Returns whether there are no reports.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Writes what was found, how often, and where first: a sentence for a user.
#[cfg(feature = "alloc")]
impl core::fmt::Display for DiagnosticCount {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { kind, count, first_byte, .. } = self;
        let times = if *count == 1 { "time" } else { "times" };
        write!(f, "{} ({count} {times}, first at byte {first_byte})", kind.description())
    }
}

/// Writes a line for each [`DiagnosticCount`], and nothing if there are none.
#[cfg(feature = "alloc")]
impl core::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (at, count) in self.counts.iter().enumerate() {
            let line_break = if at > 0 { "\n" } else { "" };
            write!(f, "{line_break}{count}")?;
        }
        Ok(())
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
        assert_eq!(alloc::format!("{:>5}", DiagnosticKind::Junk), " junk");
    }

    #[test]
    fn prints_each_kind_with_its_count_and_first_byte() {
        let mut diagnostics = Diagnostics::new(0);
        assert_eq!(alloc::format!("{diagnostics}"), "");
        for (kind, at) in
            [(DiagnosticKind::Junk, 9), (DiagnosticKind::BadEpoch, 20), (DiagnosticKind::Junk, 7)]
        {
            diagnostics.add(kind, ByteRange::new(at, at + 1), None);
        }
        let (junk, epoch) = (DiagnosticKind::Junk.description(), DiagnosticKind::BadEpoch.description());
        assert_eq!(
            alloc::format!("{diagnostics}"),
            alloc::format!("{junk} (2 times, first at byte 7)\n{epoch} (1 time, first at byte 20)")
        );
    }

    #[test]
    fn beyond_the_limit_diagnostics_are_still_counted() {
        let mut diagnostics = Diagnostics::new(1);
        diagnostics.add(DiagnosticKind::Junk, ByteRange::new(7, 9), Some(Tick(70)));
        diagnostics.add(DiagnosticKind::Junk, ByteRange::new(3, 4), Some(Tick(30)));
        assert_eq!(diagnostics.kept().len(), 1);
        assert_eq!(
            diagnostics.counts(),
            [DiagnosticCount { kind: DiagnosticKind::Junk, count: 2, first_byte: 3, at: Some(Tick(30)) }]
        );
    }
}
