//! The events of a file as a list.

use core::fmt::Debug;

use spall_trace::model::{ByteRange, Event, Parser};

/// Returns the events of a file with the bytes that they come from, and the error at the end if there is one.
pub fn items<'a, P: Parser>(parser: P, data: &'a [u8]) -> Vec<Result<(Event<'a>, ByteRange), P::Error>> {
    let mut items = Vec::new();
    let result = parser.parse_all(data, |&event, bytes| items.push(Ok((event, bytes))));
    items.extend(result.err().map(Err));
    items
}

/// Returns the events of a file, of which all can be read.
pub fn events_of<'a, P: Parser<Error: Debug>>(parser: P, data: &'a [u8]) -> Vec<Event<'a>> {
    let mut events = Vec::new();
    parser.parse_all(data, |&event, _| events.push(event)).unwrap();
    events
}
