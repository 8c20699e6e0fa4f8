//! Splitting the input of a parser anywhere changes nothing, nor does it whether events are returned or handed over; cutting the
//! input leaves a prefix of the events.

use core::fmt::{Debug, Display};

use spall_trace::{
    format::{
        apitrace, heph,
        spall::{self as binary, auto},
    },
    json,
    model::{ByteRange, Chunk, DiagnosticKind, Event, LendingParser, Parser, ProfileKey, Progress, Receiver},
};

/// Reads `bytes` whole, in pieces, and cut, with every parser. The last byte says how large the pieces are, so that a
/// file with any byte behind it is still a file. Returns whether there is an event.
///
/// # Panics
/// When the events differ.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, bytes)) = bytes.split_last() else { return false };
    let size = usize::from(size) + 1;
    let spall = check(|| events(binary::Parser::new()), bytes, size, Junk::HidesTheRest);
    let heph = check(|| events(heph::Parser::new()), bytes, size, Junk::EndsAtARecord);
    let json = check(|| events(json::JsonParser::new()), bytes, size, Junk::HidesTheRest);
    check_handed_over(binary::Parser::new, bytes, size);
    check_handed_over(heph::Parser::new, bytes, size);
    check_handed_over(json::JsonParser::new, bytes, size);
    let auto = check(|| lent_events(auto::Parser::new(auto::NoSymbols)), bytes, size, Junk::HidesTheRest);
    // A cut recording ends with the calls and groups that are open there, so only splitting is compared.
    let apitrace = in_pieces(|| lent_events(apitrace::Parser::new()), bytes, size).0;
    spall || heph || json || auto || !apitrace.is_empty()
}

/// What a reader finds behind junk.
#[derive(Clone, Copy, PartialEq)]
enum Junk {
    /// The next record that fits, and what fits depends on how much is left.
    HidesTheRest,
    /// The next record, which its own bytes tell.
    EndsAtARecord,
}

/// What a reader did with the bytes that it was given.
enum Step<T> {
    NeedMore(usize),
    Consumed(usize, Option<(ByteRange, T)>),
    End,
    Failed(String),
}

/// One step of a parser of events.
fn events<'a, P: Parser<Error: Display>>(mut parser: P) -> impl FnMut(&'a [u8], bool) -> Step<Event<'a>> {
    move |data, eof| match parser.parse(data, eof) {
        Ok(Chunk::NeedMore(more)) => Step::NeedMore(more),
        Ok(Chunk::Skipped(length)) => Step::Consumed(length, None),
        Ok(Chunk::Parsed(parsed)) => Step::Consumed(parsed.consumed, Some((parsed.bytes, parsed.event))),
        Ok(Chunk::End) => Step::End,
        Err(error) => Step::Failed(error.to_string()),
    }
}

/// One step of a parser whose events live until the next step only.
fn lent_events<P: LendingParser<Error: Display>>(
    mut parser: P,
) -> impl FnMut(&[u8], bool) -> Step<LentEvent> {
    move |data, eof| match parser.next_chunk(data, eof) {
        Ok(Chunk::NeedMore(more)) => Step::NeedMore(more),
        Ok(Chunk::Skipped(length)) => Step::Consumed(length, None),
        Ok(Chunk::Parsed(parsed)) => {
            Step::Consumed(parsed.consumed, Some((parsed.bytes, LentEvent::of(&parsed.event))))
        }
        Ok(Chunk::End) => Step::End,
        Err(error) => Step::Failed(error.to_string()),
    }
}

/// Reads `bytes` whole and in pieces. Returns what a reader says, and the error if there is one.
fn in_pieces<'a, T: Fact, S: FnMut(&'a [u8], bool) -> Step<T>>(
    reader: impl Fn() -> S,
    bytes: &'a [u8],
    size: usize,
) -> (Vec<(ByteRange, T)>, Option<String>) {
    let (whole, error) = read(reader(), bytes, bytes.len());
    let (pieces, error_in_pieces) = read(reader(), bytes, size);
    assert_eq!(differs(&whole, &pieces), None, "in pieces of {size}");
    assert_eq!((whole.len(), &error), (pieces.len(), &error_in_pieces), "in pieces of {size}");
    (whole, error)
}

fn check<'a, T: Fact, S: FnMut(&'a [u8], bool) -> Step<T>>(
    reader: impl Fn() -> S,
    bytes: &'a [u8],
    size: usize,
    junk: Junk,
) -> bool {
    let (whole, _) = in_pieces(&reader, bytes, size);
    let (cut, _) = read(reader(), &bytes[..bytes.len() - size.min(bytes.len())], bytes.len());
    // The number 0 stands for several layouts of spall, and which it is is judged by what there is of the file.
    if bytes.starts_with(b"\x0d\xf0\xad\x0b\0\0\0\0\0\0\0\0\0\0\0\0") {
        return true;
    }
    let said = |facts: &[(ByteRange, T)], what: Kind| facts.iter().any(|(_, fact)| fact.kind() == what);
    // Whether a first object is the document or an event is judged by its keys, as many as there are.
    let is_bare = |facts: &[(ByteRange, T)]| said(&facts[..facts.len().min(1)], Kind::BareEvents);
    if is_bare(&whole) && !is_bare(&cut) {
        return true;
    }
    // So is whether the document is a CPU profile, whose head then reaches to the end of it.
    if said(&whole, Kind::WholeProfile) || said(&cut, Kind::WholeProfile) {
        return true;
    }
    if junk == Junk::HidesTheRest && said(&cut, Kind::Junk) {
        return true;
    }
    let content = |mut facts: Vec<(ByteRange, T)>| {
        facts.retain(|(_, fact)| matches!(fact.kind(), Kind::Content | Kind::WholeProfile));
        facts
    };
    let (whole, cut) = (content(whole), content(cut));
    assert_eq!(differs(&cut, &whole), None, "cut by {size}");
    assert!(cut.len() <= whole.len(), "cut by {size}, but there is also {:?}", cut.last());
    !whole.is_empty()
}

/// Compares the events that a parser returns with those that it hands over.
fn check_handed_over<P: Parser<Error: Display>>(parser: impl Fn() -> P, bytes: &[u8], size: usize) {
    let (returned, error) = read(events(parser()), bytes, bytes.len());
    for size in [size, bytes.len()] {
        let (handed_over, error_after) = handed_over(parser(), bytes, size);
        assert_eq!(differs(&returned, &handed_over), None, "handed over in pieces of {size}");
        assert_eq!(
            (returned.len(), &error),
            (handed_over.len(), &error_after),
            "handed over in pieces of {size}"
        );
    }
}

/// The first place at which both say something, but not the same.
fn differs<T: Fact>(a: &[(ByteRange, T)], b: &[(ByteRange, T)]) -> Option<String> {
    let mut pairs = a.iter().zip(b);
    // A number may be none, which equals nothing.
    let (a, b) = pairs.find(|(a, b)| a != b && format!("{a:?}") != format!("{b:?}"))?;
    Some(format!("{a:?} is not {b:?}"))
}

/// What a reader says, and the error if there is one.
fn read<'a, T>(
    mut step: impl FnMut(&'a [u8], bool) -> Step<T>,
    bytes: &'a [u8],
    size: usize,
) -> (Vec<(ByteRange, T)>, Option<String>) {
    let (mut start, mut end) = (0, size.min(bytes.len()));
    let mut facts = Vec::new();
    loop {
        match step(&bytes[start..end], end == bytes.len()) {
            Step::NeedMore(more) => {
                assert!(more > 0 && end < bytes.len(), "asks for what it has");
                end = (end + size).min(bytes.len());
            }
            Step::Consumed(length, fact) => {
                assert!(length > 0 || fact.is_some(), "nothing was done");
                start += length;
                facts.extend(fact);
            }
            Step::End => return (facts, None),
            Step::Failed(error) => return (facts, Some(error)),
        }
    }
}

/// A receiver that keeps the events.
struct Kept<'a>(Vec<(ByteRange, Event<'a>)>);

impl<'a> Receiver<'a> for Kept<'a> {
    fn receive(&mut self, event: &Event<'a>, bytes: ByteRange) {
        self.0.push((bytes, *event));
    }
}

/// What a parser says that hands its events over, and the error if there is one. Every third event is returned instead.
fn handed_over<'a, P: Parser<Error: Display>>(
    mut parser: P,
    bytes: &'a [u8],
    size: usize,
) -> (Vec<(ByteRange, Event<'a>)>, Option<String>) {
    let (mut start, mut end) = (0, size.min(bytes.len()));
    let mut kept = Kept(Vec::new());
    loop {
        let (data, eof) = (&bytes[start..end], end == bytes.len());
        let progress = if kept.0.len() % 3 == 2 {
            parser.parse(data, eof).map(|chunk| chunk.hand_over(&mut kept))
        } else {
            parser.parse_into(data, eof, &mut kept)
        };
        match progress {
            Ok(Progress::Consumed(length)) => start += length,
            Ok(Progress::NeedMore(_)) => {
                assert!(end < bytes.len(), "asks for what it has");
                end = (end + size).min(bytes.len());
            }
            Ok(Progress::End) => return (kept.0, None),
            Err(error) => return (kept.0, Some(error.to_string())),
        }
    }
}

/// What matters of an event when the input is cut.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Content,
    WholeProfile,
    BareEvents,
    Junk,
    OtherDiagnostic,
}

trait Fact: PartialEq + Debug {
    fn kind(&self) -> Kind;
}

impl Fact for Event<'_> {
    fn kind(&self) -> Kind {
        match self {
            Event::Diagnostic(DiagnosticKind::BareEvents) => Kind::BareEvents,
            Event::Diagnostic(DiagnosticKind::Junk) => Kind::Junk,
            Event::Diagnostic(_) => Kind::OtherDiagnostic,
            Event::Profile(profile) if profile.key == ProfileKey::Whole => Kind::WholeProfile,
            _ => Kind::Content,
        }
    }
}

/// An event that was borrowed from its parser.
#[derive(PartialEq, Debug)]
struct LentEvent {
    kind: Kind,
    /// All of it.
    text: String,
}

impl LentEvent {
    fn of(event: &Event<'_>) -> Self {
        Self { kind: event.kind(), text: format!("{event:?}") }
    }
}

impl Fact for LentEvent {
    fn kind(&self) -> Kind {
        self.kind
    }
}
