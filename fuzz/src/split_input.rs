//! Splitting the input anywhere changes nothing; cutting it leaves a prefix.

use spall::{
    format::{heph, spall as binary},
    json,
    model::{Chunk, Parser},
};

/// Reads `bytes` whole, in pieces, and cut, with every parser. The first byte says how large the pieces
/// are. Whether there is an event.
///
/// # Panics
/// When the events differ.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, bytes)) = bytes.split_first() else { return false };
    let size = usize::from(size) + 1;
    let spall = check(binary::Parser::new, bytes, size);
    let heph = check(heph::Parser::new, bytes, size);
    let json = check(json::Parser::new, bytes, size);
    spall || heph || json
}

fn check<P: Parser<Error: std::fmt::Display>>(parser: impl Fn() -> P, bytes: &[u8], size: usize) -> bool {
    let whole = events(parser(), bytes, bytes.len());
    let pieces = events(parser(), bytes, size);
    assert_eq!(whole, pieces, "in pieces of {size}");
    let cut = events(parser(), &bytes[..bytes.len() - size.min(bytes.len())], bytes.len());
    // The number 0 stands for several layouts of spall, and which it is is judged by what there is of the file.
    if bytes.starts_with(b"\x0d\xf0\xad\x0b\0\0\0\0\0\0\0\0\0\0\0\0") {
        return true;
    }
    // Whether a first object is the document or an event is judged by its keys, as many as there are.
    let is_bare =
        |events: &[String]| events.first().is_some_and(|line| line.contains("Diagnostic(BareEvents)"));
    if is_bare(&whole) && !is_bare(&cut) {
        return true;
    }
    // The head of a CPU profile that is a document reaches to the end of it.
    if cut.iter().any(|line| line.contains("Profile(ProfileEvent") && line.contains("key: Whole")) {
        return true;
    }
    // After junk a reader looks for the next record that fits, and what fits depends on how much is left.
    if cut.iter().any(|line| line.contains("Diagnostic(Junk)")) {
        return true;
    }
    let content = |line: &&String| !line.contains("Diagnostic(") && !line.starts_with("error");
    let whole: Vec<_> = whole.iter().filter(content).collect();
    let cut: Vec<_> = cut.iter().filter(content).collect();
    let differs = cut.iter().zip(&whole).find(|(cut, whole)| cut != whole);
    assert!(cut.len() <= whole.len() && differs.is_none(), "cut by {size}: {differs:?} {:?}", cut.last());
    !whole.is_empty()
}

/// The events, each as text, and the error if there is one.
fn events<P: Parser<Error: std::fmt::Display>>(mut parser: P, bytes: &[u8], size: usize) -> Vec<String> {
    let (mut start, mut end) = (0, size.min(bytes.len()));
    let mut events = Vec::new();
    loop {
        match parser.parse(&bytes[start..end], end == bytes.len()) {
            Ok(Chunk::NeedMore(more)) => {
                assert!(more > 0 && end < bytes.len(), "asks for what it has");
                end = (end + size).min(bytes.len());
            }
            Ok(Chunk::Skipped(length)) => {
                assert!(length > 0);
                start += length;
            }
            Ok(Chunk::Parsed(parsed)) => {
                start += parsed.consumed;
                events.push(format!("{:?} {:?}", parsed.bytes, parsed.event));
            }
            Ok(Chunk::End) => return events,
            Err(error) => {
                events.push(format!("error {error}"));
                return events;
            }
        }
    }
}
