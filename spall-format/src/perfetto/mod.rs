//! Perfetto's traces, which Chrome, Android and the SDKs of Perfetto write as Protocol Buffers. \[perfetto\]
//!
//! A trace is a sequence of packets, which [`Parser`] turns into [`spall_model::Event`]s, one packet at a time. Texts that
//! packets refer to by number are kept by the parser, so it is a [`LendingParser`](spall_model::LendingParser).
//!
//! | in the file | event |
//! |---|---|
//! | track events | slices, instants, counters, flows and states on threads and on tracks of their own |
//! | track events with a phase | what the phase means in Trace Event JSON |
//! | ftrace | slices and counters that programs print, states of threads, counters |
//! | process trees, statistics of the system and of processes | names, counters |
//! | samples of `perf`, of Chrome and of other profilers | samples with shared call frames |
//! | heap profiles and graphs, and everything else | the diagnostic [`NotRead`](spall_model::DiagnosticKind::NotRead) |
//!
//! This module needs the feature `alloc`, and compressed packets need the features `gzip` and `zstd`.
//!
//! ```
//! use spall_format::perfetto::Parser;
//! use spall_model::{Event, LendingParser as _, Tick};
//!
//! // One packet with a time of 7 ns and an instant named "hi" on the track of no process.
//! let file = b"\x0a\x0d\x40\x07\x50\x01\x5a\x07\x48\x03\xba\x01\x02hi";
//! let mut instants = Vec::new();
//! Parser::new().lend_all(file, |event, _| {
//!     if let Event::Instant(event, _) = event {
//!         instants.push((event.at, event.name.decode().into_owned()));
//!     }
//! })?;
//! assert_eq!(instants, [(Tick(7), "hi".to_owned())]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod args;
mod clock;
mod counters;
mod event;
mod event_counters;
mod ftrace;
mod known_args;
mod legacy;
mod output;
mod parser;
mod samples;
mod schema;
mod sequence;
mod stacks;
mod state;
mod states;
mod stats;
mod strings;
mod track;
mod typed_args;

pub use event::PROFILE_ID;
pub use parser::Parser;

use crate::protobuf::varint;

/// Returns whether data begins like a trace: with a packet whose first field is one that packets have.
///
/// JSON may begin with the same byte, a line feed. A packet is told from text by its first field, and by bytes that no
/// text has. 16 bytes are enough for nearly every file. [perfetto 1.1](crate::rules::perfetto#1.1)
///
/// ```
/// use spall_format::perfetto::is_trace;
///
/// assert!(is_trace(b"\x0a\x04\x40\x00\x50\x01"));
/// assert!(!is_trace(b"\n[{\"ph\":\"B\"}]"));
/// ```
#[must_use]
pub fn is_trace(data: &[u8]) -> bool {
    first_field(data).is_some_and(|packet| {
        let is_bracket = matches!(data.trim_ascii_start(), [b'[' | b'{', ..]);
        let is_text = |&byte: &u8| byte >= b' ' || byte.is_ascii_whitespace();
        !is_bracket || !packet.iter().all(is_text)
    })
}

/// Returns the first packet, as far as it is there, if its first field is one that packets have.
fn first_field(data: &[u8]) -> Option<&[u8]> {
    /// More bytes of a text without a control character are hardly found in a packet.
    const MAX_LOOK: usize = 256;
    let rest = data.strip_prefix(b"\x0a")?;
    let (length, n) = varint(rest)?;
    let packet = rest.get(n..)?;
    let wanted = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_LOOK);
    let packet = packet.get(..wanted).unwrap_or(packet);
    let (key, n) = varint(packet)?;
    let is_known = match (key >> 3, key & 7) {
        (3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, 0) => true,
        (3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, _) => false,
        (1..=200 | 900..=2000, 2) => {
            let inside = packet.get(n..).and_then(varint);
            inside.is_some_and(|(inside, _)| inside < length)
        }
        _ => false,
    };
    is_known.then_some(packet)
}
