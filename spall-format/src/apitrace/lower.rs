//! Calls as events on the ordinal clock. \[apitrace C.5\]

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt::Write;

use spall_model::{
    Args, ByteRange, Clock, Conventions, DiagnosticKind, Event, Id, MetaEvent, Parsed, Scope, Text, Thread,
    ThreadEvent, ThreadRole, Tick, Unit, Value,
};

use super::call::Call;
use super::calls::Calls;
use super::marker::{Group, GroupKind, Marker, MarkerText, Markers};
use crate::FormatError;

/// The only process of a recording.
const PROCESS: Id<'static> = Id::Number(0);
/// The track of the frames, a thread of its own: frames and marker groups need not nest.
const FRAMES: Thread<'static> = Thread { pid: PROCESS, tid: Id::Text(b"frames") };

/// Names of functions are cut here. Each call repeats its function's name, at no cost to the file; whoever compares or
/// hashes the names of events would pay for it again and again.
const MAX_NAME: usize = 256;

/// What is counted in place of a time, which recordings do not have. \[apitrace C.5\]
///
/// A flame graph of the slices, from marker groups to functions, is so weighted by the number of calls, or by the
/// bytes of their arguments, which shows uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Axis {
    /// A tick is one enter or leave of a call.
    #[default]
    Calls,
    /// A tick is a byte of the decompressed stream.
    Bytes,
}

impl Axis {
    fn entered(self, call: &Call<'_>) -> u64 {
        match self {
            Self::Calls => call.entered,
            Self::Bytes => call.enter.0,
        }
    }

    /// `None` if the call never returned.
    fn left(self, call: &Call<'_>) -> Option<u64> {
        match self {
            Self::Calls => call.left,
            Self::Bytes => call.leave.map(|(_, end)| end),
        }
    }

    fn begun(self, group: &Group<'_>) -> u64 {
        match self {
            Self::Calls => group.begin,
            Self::Bytes => group.begin_byte,
        }
    }
}

/// The events of a decompressed stream.
///
/// A recording has no time: a tick is one enter or leave of a call, unless [`Events::with_axis`] says otherwise. Slices
/// come when they end, inner ones first.
///
/// | in the stream | event |
/// |---|---|
/// | a property | [`Event::Meta`]; `process.name` names the process, which is number 0 |
/// | a call | a slice on its thread, with the category `call`, or `fake` if the tracer inserted it; a name over 256 bytes is cut |
/// | a call that never returned | [`Event::Unfinished`] |
/// | a marker group | a slice on its thread from the call that opened it to the one that closed it, with the category `group` |
/// | calls from `glBegin` to `glEnd`, `glNewList` to `glEndList` | the same, with the category `primitives` or `list` |
/// | a mark | an instant on its thread, with the category `mark` |
/// | the end of a frame | an instant on its thread with the category `frame`, and a slice on the track `frames` |
/// | a leave of a call that is not open | the diagnostic `UnmatchedEnd` |
/// | a call that closes no group | the diagnostic `UnmatchedGroup` |
/// | an event that the end of the stream cuts off | the diagnostic `Truncated` |
///
/// The iterator leaves arguments out: to read one takes the signatures, which an event cannot carry.
/// [`Events::next_with_arguments`] has them as text. The bytes of an event are those of its calls in the stream.
#[derive(Debug, Clone)]
pub struct Events<'a> {
    calls: Calls<'a>,
    axis: Axis,
    markers: Markers<'a>,
    /// What is to be handed out before the next call is read.
    queue: VecDeque<Parsed<'a>>,
    frame_start: u64,
    n_properties: usize,
    /// How many of the leaves that the calls have dropped were handed out.
    n_unmatched: usize,
    /// What comes after them.
    next: Option<Option<Result<Call<'a>, FormatError>>>,
    end: Option<Result<(), FormatError>>,
    /// The call whose slice is in front of the queue.
    call: Option<Call<'a>>,
}

/// The events of a decompressed stream, see [`Events`].
///
/// # Errors
/// As [`Calls::new`].
///
/// ```
/// use spall_format::apitrace;
/// use spall_model::{Event, Tick, Ticks};
/// let stream = b"\x05\0\0\x07\x05flush\0\0\x01\0\0";
/// let last = apitrace::parse_all(stream)?.last().unwrap()?;
/// let Event::Complete(slice, length) = last.event else { panic!() };
/// assert!(slice.name.is(b"flush"));
/// assert_eq!((slice.at, length), (Tick(0), Ticks(1)));
/// # Ok::<(), spall_format::FormatError>(())
/// ```
pub fn parse_all(stream: &[u8]) -> Result<Events<'_>, FormatError> {
    let calls = Calls::new(stream)?;
    let mut events = Events {
        calls,
        axis: Axis::default(),
        markers: Markers::default(),
        queue: VecDeque::new(),
        frame_start: 0,
        n_properties: 0,
        n_unmatched: 0,
        next: None,
        end: None,
        call: None,
    };
    events.push(Event::Clock(Clock::new(Unit::Ordinal)), (0, 0));
    events.push(Event::Conventions(Conventions::default().with_children_first()), (0, 0));
    events.push(Event::ThreadRole(FRAMES, ThreadRole::Frames), (0, 0));
    Ok(events)
}

impl<'a> Events<'a> {
    /// Counts something else; to be said before the first event is asked for.
    #[must_use]
    pub fn with_axis(mut self, axis: Axis) -> Self {
        self.axis = axis;
        self
    }

    /// The calls behind the events, to ask for properties and signatures.
    #[must_use]
    pub fn calls(&self) -> &Calls<'a> {
        &self.calls
    }

    /// The next event, where calls have their arguments and what they returned as text, as
    /// [`Call::display_arguments`] writes it.
    ///
    /// The text is written to `text` and borrowed from there: a trace builder has to copy it. It is cut where it is
    /// longer than 32 bytes and 4 times the bytes of the call, which may repeat long names at no cost to the file.
    ///
    /// ```
    /// use spall_format::apitrace;
    /// use spall_model::Event;
    /// let stream = b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\0";
    /// let mut events = apitrace::parse_all(stream)?;
    /// let mut text = Vec::new();
    /// while let Some(parsed) = events.next_with_arguments(&mut text) {
    ///     if let Event::Complete(call, _) = parsed?.event {
    ///         assert_eq!(call.args.bytes(), b"(mode = 42)");
    ///     }
    /// }
    /// # Ok::<(), spall_format::FormatError>(())
    /// ```
    pub fn next_with_arguments<'t>(
        &mut self,
        text: &'t mut Vec<u8>,
    ) -> Option<Result<Parsed<'t>, FormatError>>
    where
        'a: 't,
    {
        let mut parsed: Parsed<'t> = match self.advance()? {
            Ok(parsed) => parsed,
            Err(error) => return Some(Err(error)),
        };
        // The slice of a call is the first one that is made of it.
        if let Event::Complete(slice, _) | Event::Unfinished(slice) = &mut parsed.event
            && let Some(call) = self.call.take()
        {
            text.clear();
            let bytes = (call.enter.1 - call.enter.0) + call.leave.map_or(0, |(start, end)| end - start);
            let limit = usize::try_from(bytes.saturating_mul(4).saturating_add(32)).unwrap_or(usize::MAX);
            // An error says that the limit was reached; the text is what fits.
            let _ = write!(Bounded { text, limit }, "{}", call.display_arguments(self.calls.signatures()));
            if text != b"()" {
                slice.args = Args::text(text);
            }
        }
        Some(Ok(parsed))
    }

    fn advance(&mut self) -> Option<Result<Parsed<'a>, FormatError>> {
        loop {
            if let Some(parsed) = self.queue.pop_front() {
                return Some(Ok(parsed));
            }
            if let Some(&(name, value)) = self.calls.properties().get(self.n_properties) {
                self.n_properties += 1;
                self.property(name, value);
                continue;
            }
            if let Some(&bytes) = self.calls.unmatched_leaves().get(self.n_unmatched) {
                self.n_unmatched += 1;
                let event = Event::Diagnostic(DiagnosticKind::UnmatchedEnd);
                return Some(Ok(Parsed { consumed: 0, event, bytes }));
            }
            let Some(next) = self.next.take() else {
                self.next = Some(self.calls.next());
                self.n_unmatched = 0;
                continue;
            };
            match (self.end, next) {
                (_, Some(Ok(call))) => self.call(&call),
                (_, Some(Err(error))) => self.finish(Err(error)),
                (None, None) => self.finish(Ok(())),
                (Some(Ok(())), None) => return None,
                (Some(Err(error)), None) => {
                    self.end = Some(Ok(()));
                    return Some(Err(error));
                }
            }
        }
    }

    fn push(&mut self, event: Event<'a>, (start, end): (u64, u64)) {
        self.queue.push_back(Parsed { consumed: 0, event, bytes: ByteRange::new(start, end) });
    }

    fn property(&mut self, name: &'a [u8], value: &'a [u8]) {
        let (key, text) = (Text::plain(name), Text::plain(value));
        self.push(Event::Meta(MetaEvent { thread: None, key, value: Value::Text(text) }), (0, 0));
        if name == b"process.name" {
            self.push(Event::ProcessName(PROCESS, text), (0, 0));
        }
    }

    fn call(&mut self, call: &Call<'a>) {
        self.call = Some(*call);
        let category = if call.is_fake { &b"fake"[..] } else { b"call" };
        let name = call.function.name;
        let entered = self.axis.entered(call);
        let slice = on_thread(call.thread, entered, name.get(..MAX_NAME).unwrap_or(name), category);
        let Some(left) = self.axis.left(call) else {
            self.push(Event::Unfinished(slice), call.enter);
            return;
        };
        let bytes = (call.enter.0, call.leave.unwrap_or(call.enter).1);
        self.push(complete(slice, left), bytes);
        match self.markers.see(call, self.calls.signatures()) {
            Some(Marker::Group { group, .. }) => {
                self.push(complete(group_slice(&group, self.axis), left), bytes);
            }
            Some(Marker::UnmatchedPop(_)) => {
                self.push(Event::Diagnostic(DiagnosticKind::UnmatchedGroup), bytes)
            }
            Some(Marker::Mark(text)) => {
                let mark = on_thread(call.thread, entered, plain_text(text), b"mark");
                self.push(Event::Instant(mark, Scope::Thread), bytes);
            }
            Some(Marker::FrameEnd) => self.frame(call, left, bytes),
            None => {}
        }
    }

    fn frame(&mut self, call: &Call<'a>, left: u64, bytes: (u64, u64)) {
        let swap = on_thread(call.thread, left, call.function.name, b"frame");
        self.push(Event::Instant(swap, Scope::Thread), bytes);
        let mut frame = ThreadEvent::new(FRAMES, tick(self.frame_start), Text::plain(b"frame"));
        frame.category = Text::plain(b"frame");
        self.push(complete(frame, left), bytes);
        self.frame_start = left;
    }

    /// Says what is only known at the end; an error comes after it.
    fn finish(&mut self, end: Result<(), FormatError>) {
        self.end = Some(end);
        let groups: Vec<_> = self.markers.unclosed().map(|group| group_slice(group, self.axis)).collect();
        for group in groups {
            self.push(Event::Unfinished(group), (0, 0));
        }
        if let Some(cut) = self.calls.truncated() {
            self.push(Event::Diagnostic(cut.kind), (cut.bytes.start, cut.bytes.end));
        }
    }
}

/// Text up to a limit.
struct Bounded<'t> {
    text: &'t mut Vec<u8>,
    limit: usize,
}

impl Write for Bounded<'_> {
    fn write_str(&mut self, more: &str) -> core::fmt::Result {
        let room = self.limit.saturating_sub(self.text.len());
        let end = (0..=room.min(more.len())).rev().find(|&end| more.is_char_boundary(end)).unwrap_or(0);
        self.text.extend_from_slice(more.get(..end).unwrap_or_default().as_bytes());
        if end < more.len() { Err(core::fmt::Error) } else { Ok(()) }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Parsed<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        self.call = None;
        next
    }
}

impl core::iter::FusedIterator for Events<'_> {}

fn tick(ordinal: u64) -> Tick {
    Tick(i64::try_from(ordinal).unwrap_or(i64::MAX))
}

fn on_thread<'a>(thread: u64, at: u64, name: &'a [u8], category: &'a [u8]) -> ThreadEvent<'a> {
    // Real threads are numbered from 0; the first writers used addresses.
    let thread = Thread::new(PROCESS, thread.cast_signed());
    ThreadEvent { category: Text::plain(category), ..ThreadEvent::new(thread, tick(at), Text::plain(name)) }
}

fn complete(slice: ThreadEvent<'_>, end: u64) -> Event<'_> {
    Event::Complete(slice, tick(end) - slice.at)
}

fn group_slice<'a>(group: &Group<'a>, axis: Axis) -> ThreadEvent<'a> {
    let category = match group.kind {
        GroupKind::Marker => &b"group"[..],
        GroupKind::Primitives => b"primitives",
        GroupKind::List => b"list",
    };
    on_thread(group.thread, axis.begun(group), plain_text(group.text), category)
}

fn plain_text<'a>(text: MarkerText<'a>) -> &'a [u8] {
    match text {
        MarkerText::Plain(text) => text,
        MarkerText::Wide(text) => text.ascii_prefix(),
    }
}
