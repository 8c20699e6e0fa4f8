//! Splitting the input of a parser anywhere changes nothing; cutting the input leaves a prefix of the events.

use core::fmt::Display;

use spall_trace::{
    format::{
        apitrace, callgrind, folded, ftrace, heph, otlp, perf_script, perfetto, pprof,
        spall::{self as binary, auto},
    },
    json,
    model::{ByteRange, DiagnosticKind, Event, LendingParser, ProfileId, ProfileKey, Progress},
};

/// Reads `bytes` whole, in pieces, and cut, with every parser. The last byte says how large the pieces are, so that a
/// file with any byte behind it is still a file. Returns whether there is an event.
///
/// # Panics
/// When the events differ.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, bytes)) = bytes.split_last() else { return false };
    let size = usize::from(size) + 1;
    let spall = check(binary::Parser::new, bytes, size, Junk::HidesTheRest);
    let heph = check(heph::Parser::new, bytes, size, Junk::EndsAtARecord);
    let profile = check(json::JsonProfileParser::new, bytes, size, Junk::HidesTheRest);
    let json = check(json::JsonParser::new, bytes, size, Junk::HidesTheRest);
    let auto = check(|| auto::Parser::new(auto::NoSymbols), bytes, size, Junk::HidesTheRest);
    // A cut recording ends with the calls and groups that are open there, so only splitting is compared.
    let apitrace = in_pieces(apitrace::Parser::new, bytes, size);
    // A cut trace ends with the states and frames that are known there.
    let perfetto = in_pieces(perfetto::Parser::new, bytes, size);
    // The last sample of a cut text has the frames that are there, and its profiles end with what their samples stand for.
    let perf = in_pieces(perf_script::Parser::new, bytes, size);
    let perf = perf.iter().any(|(_, kind, _)| *kind == Kind::Content);
    // What a cut text says of threads comes where it ends.
    let ftrace = in_pieces(ftrace::Parser::new, bytes, size);
    let ftrace = ftrace.iter().any(|(_, _, event)| event.starts_with("Clock"));
    // The ids of processes depend on all spans of the file.
    let services = [json::ServiceJson::Otlp, json::ServiceJson::Jaeger, json::ServiceJson::Zipkin]
        .map(|format| in_pieces(|| json::ServiceJsonParser::new(format), bytes, size));
    let has_span = |facts: &[Fact]| facts.iter().any(|(_, _, event)| event.starts_with("Async"));
    let services = services.iter().any(|facts| has_span(facts));
    let services = has_span(&in_pieces(otlp::Parser::new, bytes, size)) || services;
    // The first lines say whether all have two numbers, and the whole of a profile is one record.
    let folded = has_sample(&in_pieces(folded::Parser::new, bytes, size));
    let pprof = has_sample(&in_pieces(pprof::Parser::new, bytes, size));
    // Every line adds to the costs of a function.
    let callgrind = has_sample(&in_pieces(callgrind::Parser::new, bytes, size));
    spall
        || heph
        || profile
        || json
        || auto
        || !apitrace.is_empty()
        || perfetto.len() > MIN_PERFETTO
        || perf
        || ftrace
        || services
        || folded
        || pprof
        || callgrind
}

/// What the parser of Perfetto says of any bytes: its clock, its conventions, and that they are junk.
const MIN_PERFETTO: usize = 3;

fn has_sample(facts: &[Fact]) -> bool {
    facts.iter().any(|(_, _, event)| event.starts_with("Sample"))
}

/// What a reader finds behind junk.
#[derive(Clone, Copy, PartialEq)]
enum Junk {
    /// The next record that fits, and what fits depends on how much is left.
    HidesTheRest,
    /// The next record, which its own bytes tell.
    EndsAtARecord,
}

/// An event as text, and what of it matters when the input is cut.
type Fact = (ByteRange, Kind, String);

/// Reads `bytes` whole and in pieces. Returns what a parser says.
fn in_pieces<P: LendingParser<Error: Display>>(
    parser: impl Fn() -> P,
    bytes: &[u8],
    size: usize,
) -> Vec<Fact> {
    let (whole, error) = read(parser(), bytes, bytes.len());
    let (pieces, error_in_pieces) = read(parser(), bytes, size);
    assert_eq!(differs(&whole, &pieces), None, "in pieces of {size}");
    assert_eq!((whole.len(), &error), (pieces.len(), &error_in_pieces), "in pieces of {size}");
    whole
}

fn check<P: LendingParser<Error: Display>>(
    parser: impl Fn() -> P,
    bytes: &[u8],
    size: usize,
    junk: Junk,
) -> bool {
    let whole = in_pieces(&parser, bytes, size);
    let (cut, _) = read(parser(), &bytes[..bytes.len() - size.min(bytes.len())], bytes.len());
    // The number 0 stands for several layouts of spall, and which it is is judged by what there is of the file.
    if bytes.starts_with(b"\x0d\xf0\xad\x0b\0\0\0\0\0\0\0\0\0\0\0\0") {
        return true;
    }
    let said = |facts: &[Fact], what: Kind| facts.iter().any(|(_, kind, _)| *kind == what);
    // Whether a first object is the document or an event is judged by its keys, as many as there are.
    let is_bare = |facts: &[Fact]| said(&facts[..facts.len().min(1)], Kind::BareEvents);
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
    let content = |mut facts: Vec<Fact>| {
        facts.retain(|(_, kind, _)| matches!(kind, Kind::Content | Kind::WholeProfile));
        facts
    };
    let (whole, cut) = (content(whole), content(cut));
    assert_eq!(differs(&cut, &whole), None, "cut by {size}");
    assert!(cut.len() <= whole.len(), "cut by {size}, but there is also {:?}", cut.last());
    !whole.is_empty()
}

/// The first place at which both say something, but not the same.
fn differs(a: &[Fact], b: &[Fact]) -> Option<String> {
    let (a, b) = a.iter().zip(b).find(|(a, b)| a != b)?;
    Some(format!("{a:?} is not {b:?}"))
}

/// What a parser says, and the error if there is one.
fn read<P>(mut parser: P, bytes: &[u8], size: usize) -> (Vec<Fact>, Option<String>)
where
    P: LendingParser<Error: Display>,
{
    let (mut start, mut end) = (0, size.min(bytes.len()));
    let mut facts: Vec<Fact> = Vec::new();
    loop {
        let before = facts.len();
        let mut see = |event: &Event<'_>, range: ByteRange| {
            facts.push((range, kind(event), format!("{event:?}")));
        };
        match parser.lend(&bytes[start..end], end == bytes.len(), &mut see) {
            Ok(Progress::NeedMore(more)) => {
                assert!(more > 0 && end < bytes.len(), "asks for what it has");
                assert_eq!(facts.len(), before, "hands over what comes again");
                end = (end + size).min(bytes.len());
            }
            Ok(Progress::Read(length)) => start += length,
            Ok(Progress::End) => return (facts, None),
            Err(error) => return (facts, Some(error.to_string())),
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

fn kind(event: &Event<'_>) -> Kind {
    match event {
        Event::Diagnostic(DiagnosticKind::BareEvents) => Kind::BareEvents,
        Event::Diagnostic(DiagnosticKind::Junk) => Kind::Junk,
        Event::Diagnostic(_) => Kind::OtherDiagnostic,
        Event::Profile(profile) => match profile.profile {
            ProfileId::Own(part) if matches!(part.key, ProfileKey::Number(_)) => Kind::WholeProfile,
            _ => Kind::Content,
        },
        _ => Kind::Content,
    }
}
